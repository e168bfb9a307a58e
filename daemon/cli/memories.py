"""A chat's memories (`memproc memories`, `show`), and what a person decides about them (`use`, `pin`, `retry`...)."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from shutil import get_terminal_size

import click
from rich.cells import cell_len, set_cell_size

from daemon.archive import memories as choices
from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.chat.holding import Holding, holding, holding_of
from daemon.cli.settings import TO_SEE_IT, Settings, json_option, moment, pass_settings
from daemon.status.printable import folded, in_one_line, printable_json, visible
from rules.conversation.memory import EXTRACTED, Edition, Memory
from rules.conversation.memory_title import called, dates, short_name
from rules.errors import NotFound
from rules.plan.folds import in_words
from rules.typingmind.dates import parse_date
from rules.wording import counted

_AUTO = "auto"
_KINDS = ("as-of", "hindsight")
_MOST_DIGITS = 6
_WIDE = 120  # columns
_HASH = 8  # characters that are shown of a request's hash
_LONGEST_WORDS = 60  # characters of a quote, where no terminal says how wide it is
_LEAST_WORDS = 12
_LOOKS_LIKE_AN_ID = re.compile("[mf][0-9a-f]{4,15}")


@click.command
@click.argument("chat")
@click.option(
    "--tree", is_flag=True, help="What the export shows, each fold with its memories below it."
)
@json_option
@pass_settings
def memories(settings: Settings, chat: str, tree: bool, as_json: bool) -> None:
    """List the memories of CHAT, named by its id or its title: number, day, tokens before and now, first words.

    The number names the memory in `show`, `use`, `pin`, `retry` and `recall`; folds are called f1, f2, and so on.
    """
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        whole = holding(archive, settings.config, known.chat_id)
    if as_json:
        click.echo(printable_json([_in_full(whole, memory) for memory in whole.memories]))
    elif not whole.memories:
        settings.say(f'"{known.title}" has no memories yet. What a run would do: memproc plan')
    else:
        settings.say(f"{known.title} ({known.chat_id}), tokens before and now:")
        placed = _in_tree(whole) if tree else ((memory, 0) for memory in whole.memories)
        width = get_terminal_size().columns if sys.stdout.isatty() else None
        for line in _lines(whole, list(placed), width):
            click.echo(line)


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.option(
    "--raw", is_flag=True, help="With ids, questions, and the requests that it was made from."
)
@json_option
@pass_settings
def show(settings: Settings, names: tuple[str, ...], raw: bool, as_json: bool) -> None:
    """Show MEMORY in full: its number in CHAT, its id, or the beginning of its id.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = _one_of(archive, settings, names)
        title = next(chat.title for chat in known_chats(archive) if chat.chat_id == whole.chat_id)
    if as_json:
        click.echo(printable_json({"chat_id": whole.chat_id, **_in_full(whole, shown)}))
        return
    lines = [*_stands_for(shown, raw)]
    if raw and shown.keys:
        lines.append(f"from message {shown.keys[0]} to {shown.keys[-1]}")
    for member in map(whole.memory, shown.members):
        name = called(member) if raw else f"memory {short_name(member)}"
        lines.append(f"made of {name}, {dates(member)}: {member.edition.tokens:,} tokens")
    lines.append(
        in_words(shown, whole.states[shown.memory_id]) if raw else _marks(whole, shown) or "shown"
    )
    if not raw:
        lines.append(
            f"Ids, questions and requests: memproc show {whole.chat_id} {short_name(shown)} --raw"
        )
    _say_folded([f'"{title}"', *lines] if not raw else lines)
    _print_editions(shown, whole.editions[shown.memory_id], raw)


def describe(memory: Memory) -> Iterator[str]:
    """The memory as lines, in the edition that is shown."""
    yield from _stands_for(memory)
    yield ""
    yield "\n\n".join(_parts(memory, memory.edition))


def _named(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> list[tuple[Holding, Memory]]:
    """The memories of these names; the first of them may be the chat's. Raises NotFound."""
    first, *others = names
    has_chat = bool(others) and (
        not _LOOKS_LIKE_AN_ID.fullmatch(first) or not all(map(_LOOKS_LIKE_AN_ID.fullmatch, others))
    )
    chat, ids = (first, others) if has_chat else ("", list(names))
    return [holding_of(archive, settings.config, name, chat) for name in ids]


def _one_of(archive: Archive, settings: Settings, names: Sequence[str]) -> tuple[Holding, Memory]:
    """The one memory of these names, of which the first may be the chat's."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    chat, name = names if len(names) > 1 else ("", names[0])
    return holding_of(archive, settings.config, name, chat)


def _in_full(whole: Holding, memory: Memory) -> dict[str, object]:
    """All that is known of a memory, for programs."""
    state = whole.states[memory.memory_id]
    editions = [asdict(edition) for edition in whole.editions[memory.memory_id]]
    return {
        "name": short_name(memory),
        **asdict(memory),
        "state": state.word,
        "folded_into": state.into,
        "editions": editions,
    }


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


def _lines(
    whole: Holding, placed: Sequence[tuple[Memory, int]], width: int | None
) -> Iterator[str]:
    """A line for each memory, which is not longer than a terminal of `width` columns if there is one.

    Where they are of several years, each day has its year.
    """
    years = {(memory.began_at or "")[:4] for memory, _ in placed}
    rows = []
    for memory, depth in placed:
        began = parse_date(memory.began_at) if memory.began_at else None
        day = (
            f"{began.day:2} {began:%b}{f' {began.year}' if len(years) > 1 else ''}" if began else ""
        )
        tokens = f"{memory.source_tokens:,} to {memory.edition.tokens:,}"
        rows.append(
            (
                "   " * depth + short_name(memory),
                day,
                tokens,
                _first_words(memory),
                _marks(whole, memory),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    is_tree = any(depth for _, depth in placed)
    for row in rows:
        name = row[0].ljust(widths[0]) if is_tree else row[0].rjust(widths[0])
        line = f"{name}  {row[1].rjust(widths[1])}  {row[2].rjust(widths[2])}  "
        marks = f"  {row[4]}" if row[4] else ""
        room = max(width - len(line) - len(marks) - 2, _LEAST_WORDS) if width else _LONGEST_WORDS
        words = in_one_line(row[3])
        if cell_len(words) > room:
            words = f"{set_cell_size(words, room - 3).rstrip()}..."
        whole_line = f'{line}"{words}"{marks}'
        yield (
            set_cell_size(whole_line, width)
            if width and cell_len(whole_line) > width
            else whole_line
        )


def _first_words(memory: Memory) -> str:
    quotes = memory.edition.quotes
    return " ".join((quotes[0].text if quotes else memory.edition.texts[-1]).split())


def _marks(whole: Holding, memory: Memory) -> str:
    """The marks of a memory that is out of the ordinary, in a few words."""
    state, edition = whole.states[memory.memory_id], memory.edition
    words = [f"of {len(memory.members)}"] if memory.is_fold else []
    if state.into:
        words.append(f"in {short_name(whole.memory(state.into))}")
    elif state.word != "shown":
        words.append(state.word)
    if edition.kind == "person":
        words.append("yours")
    elif edition.made == EXTRACTED:
        words.append("extracted")
    words += ["hindsight"] if edition.kind == "hindsight" else []
    words += ["pinned"] if memory.pinned else []
    words += ["recalled"] if memory.recalled else []
    words += ["new edition due"] if memory.due else []
    return ", ".join(words)


def _stands_for(memory: Memory, raw: bool = False) -> Iterator[str]:
    name = (
        called(memory) if raw else f"{'fold' if memory.is_fold else 'memory'} {short_name(memory)}"
    )
    yield name[0].upper() + name[1:]
    yield (
        f"stands for {counted(len(memory.keys), 'message')}, {dates(memory)}: {memory.source_tokens:,} tokens are now "
        f"{memory.edition.tokens:,}"
    )


def _say_folded(lines: Sequence[str]) -> None:
    """Print lines; on a terminal no word is broken at its edge."""
    text = visible("\n".join(lines))
    click.echo(
        folded(text, get_terminal_size().columns, further=0) if sys.stdout.isatty() else text
    )


def _print_editions(memory: Memory, editions: Sequence[Edition], raw: bool) -> None:
    """Print them side by side in 120 columns or more, else one below the other."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    if len(editions) == 1 or console.width < _WIDE:
        for edition in editions:
            _say_folded(["", "\n\n".join(_parts(memory, edition, raw))])
        return
    table = Table.grid(expand=True, padding=(0, 2))
    for _ in editions:
        table.add_column(ratio=1, overflow="fold")
    for row in zip(*(_parts(memory, edition, raw) for edition in editions), strict=True):
        table.add_row(*(Text(visible(f"\n{cell}")) for cell in row))
    console.print(table)


def _parts(memory: Memory, edition: Edition, raw: bool = False) -> tuple[str, ...]:
    """The parts of an edition: its kind, quote, perspective and memory; if `raw`, its source and all six messages."""
    shown = ", shown" if memory.edition.number == edition.number else ""
    in_prompts = ", seen by later prompts" if memory.in_prompts.number == edition.number else ""
    made = (
        f"agent {edition.agent}, context manager {edition.context_manager}"
        if raw
        else edition.agent
    )
    if edition.kind == "person":
        made = f"edited in TypingMind, after {made}"  # these two have written it first
    elif edition.made == EXTRACTED:
        made = f"extracted from the conversation by the built-in engine{f': {made}' if raw else ''}"
    else:
        made = f"written: {made}" if raw else f"written by {made}"
    about = [
        f"edition {edition.number}, {edition.kind}{shown}{in_prompts}: {edition.tokens:,} tokens",
        f"{made}, {moment(edition.written_at)} UTC",
    ]
    if not raw:
        spoken = zip(("Quote", "Perspective", "Memory"), edition.texts[1::2], strict=True)
        return "\n".join(about), *(f"{heading}\n{text}" for heading, text in spoken)
    if edition.requests:
        about.append(f"requests {', '.join(request[:_HASH] for request in edition.requests)}")
    for quote in edition.quotes:
        source = (
            f"is from message {quote.source}"
            if quote.source
            else "is from a message that is not known any more"
        )
        about.append(
            f"the quote of {counted(len(quote.text), 'character')} {source}, chosen by the {quote.chosen}"
        )
    messages = (
        f"{'--- context manager ' + '-' * 10 if slot % 2 == 0 else '--- agent ' + '-' * 20}\n{text}"
        for slot, text in enumerate(edition.texts)
    )
    return "\n".join(about), *messages


def _edition(ctx: click.Context, param: click.Parameter, text: str) -> int | str | None:
    """Return the number of an edition, its kind, or None for `auto`."""
    if text == _AUTO:
        return None
    if text in _KINDS:
        return text
    if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS:
        return int(text)
    kinds = ", ".join(f'"{kind}"' for kind in _KINDS)
    raise click.BadParameter(
        f'"{text}" is neither the number of an edition nor {kinds} or "{_AUTO}".'
    )


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.argument("edition", callback=_edition)
@pass_settings
def use(settings: Settings, names: tuple[str, ...], edition: int | str | None) -> None:
    """Show EDITION of MEMORY from now on: a number from `memproc show`, or the newest `as-of` or `hindsight` one.

    `auto` is what memory.editions prefers.
    """
    with settings.context() as context:
        _, before = _one_of(context.archive, settings, names)
        changed = choices.choose_edition(context.archive, before, edition)
        _, now = holding_of(context.archive, context.config, before.memory_id)
    shown = f"{now.edition.kind} edition {now.edition.number} of {called(now)}"
    how = "as memory.editions prefers" if edition is None else "as you have chosen"
    begun = (
        f"From now on {shown} is shown" if changed else f"Nothing to do: {shown} is shown already"
    )
    settings.say(f"{begun}, {how}.")
    if changed and now.edition.number != before.edition.number:
        settings.say(TO_SEE_IT)


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@pass_settings
def pin(settings: Settings, names: tuple[str, ...]) -> None:
    """Keep MEMORY as it is: no edition of it is written any more, and it is never folded, until you unpin it."""
    with settings.context() as context:
        _, pinned = _one_of(context.archive, settings, names)
        changed = choices.pin(context.archive, pinned)
    if changed:
        settings.say(
            f"Pinned {called(pinned)}: it stays as it is. To undo this: memproc unpin {pinned.memory_id}"
        )
    else:
        settings.say(f"Nothing to do: {called(pinned)} is pinned already.")


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@pass_settings
def unpin(settings: Settings, names: tuple[str, ...]) -> None:
    """Let MEMORY be rewritten and folded again.

    If you have edited it in TypingMind, your text gives way to memproc's edition. Your text stays among its editions:
    `memproc use` brings it back.
    """
    with settings.context() as context:
        _, before = _one_of(context.archive, settings, names)
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


def _former_token(settings: Settings, texts: tuple[str, ...]) -> None:
    """Print a token, as this command did before `memproc mcp token`.

    Raises click.UsageError where a text is given: it may be a token or a memory's name, and nothing is stored.
    """
    if texts:
        raise click.UsageError("Nothing was stored. To take a token: memproc mcp token TEXT")
    from daemon.recall.bearer import new_token

    click.echo(new_token(settings.folders.state))
    click.echo("This command is called `memproc mcp token` now.", err=True)


def _is_chat(archive: Archive, name: str) -> bool:
    try:
        find_chat(archive, name)
    except NotFound:
        return False
    return True


@click.command
@click.argument("names", metavar="[CHAT] MEMORY...", nargs=-1, required=True)
@pass_settings
def recall(settings: Settings, names: tuple[str, ...]) -> None:
    """Bring back each MEMORY, which you have deleted in TypingMind; a fold comes with the memories that it is made of.

    The next run puts it between its neighbours again, and later memories see it again.
    """
    with settings.context() as context:
        if names[0] == "token" and not _is_chat(context.archive, "token"):
            _former_token(settings, names[1:])
            return
        named = _named(context.archive, settings, names)
        recalled = [choices.recall(context.archive, memory) for _, memory in named]
    for (chat, memory), back in zip(named, recalled, strict=True):
        for memory_id in back:
            settings.say(f"Recalled {called(chat.memory(memory_id))}.")
        if not back:
            settings.say(f"Nothing to do: {called(memory)} is not forgotten.")
    if any(recalled):
        settings.say(TO_SEE_IT)


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.option(
    "--say", default="", help="What the agent should know or mind when it writes this memory."
)
@json_option
@pass_settings
def retry(settings: Settings, names: tuple[str, ...], say: str, as_json: bool) -> int:
    """Ask the models for MEMORY again. It makes up to a dozen calls; the edition before is kept.

    Without --say only questions that were never asked before are sent: after a refusal, say something.
    """
    from daemon.cli.run import Progress
    from daemon.remember.retry import UnchangedMemory
    from daemon.remember.retry import retry as ask_again

    progress = Progress(quiet=settings.quiet or as_json)
    with progress.bars, settings.context(progress.tell) as context:
        _, memory = _one_of(context.archive, settings, names)
        outcome = ask_again(context, memory.memory_id, say)
    if as_json:
        kind = "kept" if isinstance(outcome, UnchangedMemory) else "written"
        click.echo(
            printable_json({"outcome": kind, **asdict(outcome), "run": progress.tally.as_json()})
        )
    elif isinstance(outcome, UnchangedMemory):
        click.echo(
            visible(f"{outcome.memory_id} stays as it was. {outcome.reason} {outcome.next_step}"),
            err=True,
        )
    else:
        for line in (*progress.tally.sentences(), *describe(outcome), "", TO_SEE_IT):
            settings.say(line)
    return 1 if isinstance(outcome, UnchangedMemory) else 0
