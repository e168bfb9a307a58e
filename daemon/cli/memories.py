"""A chat's memories (`memproc memories`, `show`), and what a person decides about them (`use`, `pin`, `retry`...)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from daemon.archive import memories as choices
from daemon.archive.chats import find_chat
from daemon.chat.survey import Holding, holding, holding_of
from daemon.cli.settings import TO_SEE_IT, Settings, json_option, moment, pass_settings, print_table
from daemon.status.sentences import printable_json, visible
from rules.conversation.memory import EXTRACTED, Edition, Memory, called, dates
from rules.plan.folds import in_words

_HEADINGS = (
    "Level", "No.", "Memory", "From", "Messages", "Tokens", "Now", "Edition", "Made by", "State",
)  # fmt: skip
_AUTO = "auto"
_WIDE = 120  # columns
_HASH = 8  # characters that are shown of a request's hash


@click.command
@click.argument("chat")
@click.option("--tree", is_flag=True, help="What the export shows, each fold with its memories below it.")
@json_option
@pass_settings
def memories(settings: Settings, chat: str, tree: bool, as_json: bool) -> None:
    """List the memories of CHAT, named by its id or its title."""
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        whole = holding(archive, settings.config, known.chat_id)
    if as_json:
        click.echo(printable_json([_in_full(whole, memory) for memory in whole.memories]))
    elif not whole.memories:
        settings.say(f'"{known.title}" has no memories yet. What a run would do: memproc plan')
    else:
        placed = _in_tree(whole) if tree else ((memory, 0) for memory in whole.memories)
        print_table(_HEADINGS, [_row(whole, memory, depth) for memory, depth in placed], right=(0, 1, 4, 5, 6))


@click.command
@click.argument("memory")
@json_option
@pass_settings
def show(settings: Settings, memory: str, as_json: bool) -> None:
    """Show MEMORY, named by its id or the beginning of it, in full.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = holding_of(archive, settings.config, memory)
    if as_json:
        click.echo(printable_json({"chat_id": whole.chat_id, **_in_full(whole, shown)}))
        return
    lines = [*_stands_for(shown)]
    if shown.keys:
        lines.append(f"from message {shown.keys[0]} to {shown.keys[-1]}")
    for member in map(whole.memory, shown.members):
        lines.append(f"made of {called(member)}, {dates(member)}: {member.edition.tokens:,} tokens")
    lines.append(in_words(shown, whole.states[shown.memory_id]))
    click.echo(visible("\n".join(lines)))
    _print_editions(shown, whole.editions[shown.memory_id])


def describe(memory: Memory) -> Iterator[str]:
    """The memory as lines, in the edition that is shown."""
    yield from _stands_for(memory)
    yield ""
    yield "\n\n".join(_parts(memory, memory.edition))


def _in_full(whole: Holding, memory: Memory) -> dict[str, object]:
    """All that is known of a memory, for programs."""
    state = whole.states[memory.memory_id]
    editions = [asdict(edition) for edition in whole.editions[memory.memory_id]]
    return {**asdict(memory), "state": state.word, "folded_into": state.into, "editions": editions}


def _in_tree(whole: Holding) -> Iterator[tuple[Memory, int]]:
    """Each memory with its depth: what stands in the export, oldest first, each fold before its members.

    What is forgotten stands where it was; folds that are not in use come last.
    """

    def branch(memory: Memory, depth: int) -> Iterator[tuple[Memory, int]]:
        yield memory, depth
        for name in memory.members:
            if whole.states[name].into == memory.memory_id:
                yield from branch(whole.memory(name), depth + 1)

    def first_number(memory: Memory) -> int:
        while memory.is_fold:
            memory = whole.memory(memory.members[0])
        return memory.number

    words = {memory.memory_id: whole.states[memory.memory_id].word for memory in whole.memories}
    top = [memory for memory in whole.memories if words[memory.memory_id] in ("shown", "forgotten")]
    unused = [memory for memory in whole.memories if words[memory.memory_id] == "not in use"]
    for memory in [*sorted(top, key=first_number), *unused]:
        yield from branch(memory, 0)


def _row(whole: Holding, memory: Memory, depth: int) -> tuple[str, ...]:
    edition = memory.edition
    extracted = EXTRACTED if edition.made == EXTRACTED else edition.agent
    return (
        str(memory.level),
        str(memory.number),
        "   " * depth + memory.memory_id,
        f"{(memory.began_at or '')[:10]} to {(memory.ended_at or '')[:10]}",
        f"{len(memory.keys):,}",
        f"{memory.source_tokens:,}",
        f"{edition.tokens:,}",
        f"{edition.kind} {edition.number} of {len(whole.editions[memory.memory_id])}",
        "you" if edition.kind == "person" else extracted,
        in_words(memory, whole.states[memory.memory_id]),
    )


def _stands_for(memory: Memory) -> Iterator[str]:
    name = called(memory)
    yield name[0].upper() + name[1:]
    yield (
        f"stands for {len(memory.keys)} messages, {dates(memory)}: {memory.source_tokens:,} tokens are now "
        f"{memory.edition.tokens:,}"
    )


def _print_editions(memory: Memory, editions: Sequence[Edition]) -> None:
    """Print them side by side in 120 columns or more, else one below the other."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    if len(editions) == 1 or console.width < _WIDE:
        for edition in editions:
            click.echo(visible("\n" + "\n\n".join(_parts(memory, edition))))
        return
    table = Table.grid(expand=True, padding=(0, 2))
    for _ in editions:
        table.add_column(ratio=1, overflow="fold")
    for row in zip(*(_parts(memory, edition) for edition in editions), strict=True):
        table.add_row(*(Text(visible(f"\n{cell}")) for cell in row))
    console.print(table)


def _parts(memory: Memory, edition: Edition) -> tuple[str, ...]:
    """What an edition is and where it comes from, then its six messages."""
    shown = ", shown" if memory.edition.number == edition.number else ""
    in_prompts = ", seen by later prompts" if memory.told.number == edition.number else ""
    made = f"agent {edition.agent}, context manager {edition.context_manager}"
    if edition.kind == "person":
        made = f"edited in TypingMind, after {made}"  # these two have written it first
    elif edition.made == EXTRACTED:
        made = f"extracted from the conversation by the built-in engine: {made}"
    else:
        made = f"written: {made}"
    about = [
        f"edition {edition.number}, {edition.kind}{shown}{in_prompts}: {edition.tokens:,} tokens",
        f"{made}, {moment(edition.written_at)} UTC",
    ]
    if edition.requests:
        about.append(f"requests {', '.join(request[:_HASH] for request in edition.requests)}")
    for quote in edition.quotes:
        source = f"is from message {quote.source}" if quote.source else "is from a message that is not known any more"
        about.append(f"the quote of {len(quote.text)} characters {source}, chosen by the {quote.chosen}")
    messages = (
        f"{'--- context manager ' + '-' * 10 if slot % 2 == 0 else '--- agent ' + '-' * 20}\n{text}"
        for slot, text in enumerate(edition.texts)
    )
    return "\n".join(about), *messages


def _number(ctx: click.Context, param: click.Parameter, text: str) -> int | None:
    """The number of an edition, or None for `auto`."""
    if text == _AUTO:
        return None
    if text.isascii() and text.isdecimal():
        return int(text)
    raise click.BadParameter(f'"{text}" is neither the number of an edition nor "{_AUTO}".')


@click.command
@click.argument("memory")
@click.argument("edition", callback=_number)
@pass_settings
def use(settings: Settings, memory: str, edition: int | None) -> None:
    """Show EDITION of MEMORY from now on: a number from `memproc show`, or `auto` for what memory.editions prefers."""
    with settings.context() as context:
        _, before = holding_of(context.archive, context.config, memory)
        changed = choices.choose_edition(context.archive, before, edition)
        _, now = holding_of(context.archive, context.config, before.memory_id)
    shown = f"{now.edition.kind} edition {now.edition.number} of {called(now)}"
    how = "as memory.editions prefers" if edition is None else "as you have chosen"
    begun = f"From now on {shown} is shown" if changed else f"Nothing to do: {shown} is shown already"
    settings.say(f"{begun}, {how}.")
    if changed and now.edition.number != before.edition.number:
        settings.say(TO_SEE_IT)


@click.command
@click.argument("memory")
@pass_settings
def pin(settings: Settings, memory: str) -> None:
    """Keep MEMORY as it is: no edition of it is written any more, and it is never folded, until you unpin it."""
    with settings.context() as context:
        _, pinned = holding_of(context.archive, context.config, memory)
        changed = choices.pin(context.archive, pinned)
    if changed:
        settings.say(f"Pinned {called(pinned)}: it stays as it is. To undo this: memproc unpin {pinned.memory_id}")
    else:
        settings.say(f"Nothing to do: {called(pinned)} is pinned already.")


@click.command
@click.argument("memory")
@pass_settings
def unpin(settings: Settings, memory: str) -> None:
    """Let MEMORY be rewritten and folded again.

    If you have edited it in TypingMind, your text gives way to memproc's edition. Your text stays among its editions:
    `memproc use` brings it back.
    """
    with settings.context() as context:
        _, before = holding_of(context.archive, context.config, memory)
        changed = choices.unpin(context.archive, before)
        _, now = holding_of(context.archive, context.config, before.memory_id)
    if not changed:
        settings.say(f"Nothing to do: {called(before)} is not pinned.")
        return
    settings.say(f"Unpinned {called(before)}: it may be rewritten again.")
    if now.edition.number != before.edition.number:
        settings.say(
            f"It is shown in its {now.edition.kind} edition {now.edition.number} again. Your text is edition "
            f"{before.edition.number}: memproc use {before.memory_id} {before.edition.number}"
        )
        settings.say(TO_SEE_IT)


@click.command
@click.argument("memories", metavar="MEMORY...", nargs=-1, required=True)
@pass_settings
def recall(settings: Settings, memories: tuple[str, ...]) -> None:
    """Bring back each MEMORY, which you have deleted in TypingMind; a fold comes with the memories that it is made of.

    The next run puts it between its neighbours again, and later memories see it again.
    """
    with settings.context() as context:
        named = [holding_of(context.archive, context.config, memory) for memory in memories]
        recalled = [choices.recall(context.archive, memory) for _, memory in named]
    for (chat, memory), back in zip(named, recalled, strict=True):
        for memory_id in back:
            settings.say(f"Recalled {called(chat.memory(memory_id))}.")
        if not back:
            settings.say(f"Nothing to do: {called(memory)} is not forgotten.")
    if any(recalled):
        settings.say(TO_SEE_IT)


@click.command
@click.argument("memory")
@click.option("--say", default="", help="What the agent should know or mind when it writes this memory.")
@json_option
@pass_settings
def retry(settings: Settings, memory: str, say: str, as_json: bool) -> int:
    """Ask the models for MEMORY again. It makes up to a dozen calls; the edition before is kept.

    Without --say only questions that were never asked before are sent: after a refusal, say something.
    """
    from daemon.cli.run import Progress
    from daemon.remember.retry import UnchangedMemory
    from daemon.remember.retry import retry as ask_again

    progress = Progress(quiet=settings.quiet or as_json)
    with progress.bars, settings.context(progress.tell) as context:
        outcome = ask_again(context, memory, say)
    if as_json:
        kind = "kept" if isinstance(outcome, UnchangedMemory) else "written"
        click.echo(printable_json({"outcome": kind, **asdict(outcome), "run": progress.tally.as_json()}))
    elif isinstance(outcome, UnchangedMemory):
        click.echo(visible(f"{outcome.memory_id} stays as it was. {outcome.reason} {outcome.next_step}"), err=True)
    else:
        for line in (*progress.tally.sentences(), *describe(outcome), "", TO_SEE_IT):
            settings.say(line)
    return 1 if isinstance(outcome, UnchangedMemory) else 0
