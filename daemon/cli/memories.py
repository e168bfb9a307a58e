"""Show a chat's memories, and change how they are kept.

memproc memories, show, use, pin, retry

Memories are named by their number in a chat, or by an id or its beginning.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict

import click

from daemon.archive import choices
from daemon.archive.archive import Archive
from daemon.archive.chats import HowNamed, find_chat
from daemon.chat.holding import Holding, holding, holding_of
from daemon.cli.printing import print_error
from daemon.cli.settings import Settings, pass_settings
from daemon.reports.memories import memories_report, memory_report, shown_report
from daemon.reports.report import TO_SEE_IT, Step
from rules.conversation.memory import Edition, Memory
from rules.conversation.memory_title import name_in_sentences

_AUTO = "auto"
_KINDS = ("as-of", "hindsight")
_MOST_DIGITS = 6
_LOOKS_LIKE_AN_ID = re.compile("[mf][0-9a-f]{4,15}")
_named = click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)


def one_memory(
    archive: Archive, settings: Settings, names: Sequence[str], how: HowNamed = "begun"
) -> tuple[Holding, Memory]:
    """Return the one memory of these names; the first may be its chat's. Raises NotFound."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    *chat, name = names
    return holding_of(archive, settings.config, name, "".join(chat), how)


@click.command
@click.argument("chat")
@click.option(
    "--tree", is_flag=True, help="What the export shows, each fold with its memories below it."
)
@pass_settings
def memories_command(settings: Settings, chat: str, tree: bool) -> None:
    """List the memories of CHAT, named by its id or its title.

    Each has its number, day, tokens before and now, and first words. The number names the memory in
    `show`, `use`, `pin`, `retry` and `recall`; folds are called f1, f2, and so on.
    """
    with settings.chat(chat) as (archive, known):
        held = holding(archive, settings.config, known.chat_id)
        settings.show(memories_report(known, held, tree=tree))


@click.command
@_named
@click.option(
    "--raw", is_flag=True, help="With ids, questions, and the requests that it was made from."
)
@pass_settings
def show_command(settings: Settings, names: tuple[str, ...], raw: bool) -> None:
    """Show MEMORY in full: its number in CHAT, its id, or the beginning of its id.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = one_memory(archive, settings, names, "part")
        title = find_chat(archive, whole.chat_id).title
    settings.show(memory_report(title, whole, shown, raw=raw))


def _edition(ctx: click.Context, param: click.Parameter, text: str) -> int | str | None:
    """Return the number of an edition, its kind, or None for `auto`."""
    if ctx.resilient_parsing:  # a shell is completing: this may still be a chat or a memory
        return text
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
@_named
@click.argument("edition", callback=_edition)
@pass_settings
def use_command(settings: Settings, names: tuple[str, ...], edition: int | str | None) -> None:
    """Show EDITION of MEMORY from now on.

    EDITION is a number from `memproc show`, `as-of` or `hindsight` for the newest of that kind, or
    `auto` for your own edition if you have edited the memory, else what memory.editions prefers.
    """
    with settings.context() as context:
        _, before = one_memory(context.archive, settings, names)
        changed = choices.choose_edition(context.archive, before, edition)
        _, now = holding_of(context.archive, context.config, before.memory_id)
    is_own = now.edition.kind == "person"
    shown = f"{_numbered(now.edition)} of {name_in_sentences(now)}"
    how = "as you have chosen"
    if edition is None:
        how = "as you have written it" if is_own else "as memory.editions prefers"
    says = f"From now on {shown} is shown, {how}."
    if not changed:
        says = f"Nothing to do: {shown} is shown already, {how}."
    _tell_choice(settings, before, now, says)


@click.command
@_named
@pass_settings
def pin_command(settings: Settings, names: tuple[str, ...]) -> None:
    """Keep MEMORY as it is until you unpin it.

    No edition of it is written any more, and it is never folded.
    """
    with settings.context() as context:
        _, pinned = one_memory(context.archive, settings, names)
        changed = choices.pin(context.archive, pinned)
    says, undo = f"Nothing to do: {name_in_sentences(pinned)} is pinned already.", None
    if changed:
        says = f"Pinned {name_in_sentences(pinned)}: it stays as it is."
        undo = Step("To undo this", shlex.join(["unpin", *names]))
    _tell_choice(settings, pinned, pinned, says, undo)


@click.command
@_named
@pass_settings
def unpin_command(settings: Settings, names: tuple[str, ...]) -> None:
    """Let MEMORY be rewritten and folded again.

    If you have edited it in TypingMind, your text gives way to memproc's edition. Your text stays
    among its editions: `memproc use` brings it back.
    """
    with settings.context() as context:
        _, before = one_memory(context.archive, settings, names)
        changed = choices.unpin(context.archive, before)
        _, now = holding_of(context.archive, context.config, before.memory_id)
    says, your_text = f"Nothing to do: {name_in_sentences(before)} is not pinned.", None
    if changed:
        says = f"Unpinned {name_in_sentences(before)}: it may be rewritten again."
    if now.edition.number != before.edition.number:
        says += f" It is shown in {_numbered(now.edition)} again."
        number = str(before.edition.number)
        your_text = Step(f"Your text is edition {number}", shlex.join(["use", *names, number]))
    _tell_choice(settings, before, now, says, your_text)


def _numbered(edition: Edition) -> str:
    """Return an edition's number and kind; the person's is "yours"."""
    return f"edition {edition.number} ({'yours' if edition.kind == 'person' else edition.kind})"


def _tell_choice(
    settings: Settings, before: Memory, now: Memory, says: str, *steps: Step | None
) -> None:
    """Show what was done with a memory; if another edition is shown now, also how to see it."""
    is_new = now.edition.number != before.edition.number
    settings.done(
        says,
        next=(*steps, TO_SEE_IT if is_new else None),
        memory_id=now.memory_id,
        edition=now.edition.number,
    )


@click.command
@click.argument("names", metavar="[CHAT] MEMORY...", nargs=-1, required=True)
@pass_settings
def recall_command(settings: Settings, names: tuple[str, ...]) -> None:
    """Bring back each MEMORY that you have deleted in TypingMind.

    A fold comes with the memories that it is made of. The next run puts it between its neighbours
    again, and later memories see it again.
    """
    has_chat = len(names) > 1 and not all(map(_LOOKS_LIKE_AN_ID.fullmatch, names))
    chat, ids = (names[0], names[1:]) if has_chat else ("", names)
    with settings.context() as context:
        named = [holding_of(context.archive, context.config, name, chat) for name in ids]
        recalled = [choices.bring_back(context.archive, memory) for _, memory in named]
    notes = []
    for (held, memory), brought_back in zip(named, recalled, strict=True):
        notes += [
            f"Recalled {name_in_sentences(held.by_id[memory_id])}." for memory_id in brought_back
        ]
        if not brought_back:
            notes.append(f"Nothing to do: {name_in_sentences(memory)} is not forgotten.")
    all_recalled = [memory_id for brought_back in recalled for memory_id in brought_back]
    settings.done(*notes, next=(TO_SEE_IT if all_recalled else None,), recalled=all_recalled)


@click.command
@_named
@click.option(
    "--say", default="", help="What the agent should know or mind when it writes this memory."
)
@click.option(
    "--missed",
    is_flag=True,
    help="Name to it what the newest `memproc eval` found missing; those questions count no more.",
)
@pass_settings
def retry_command(
    settings: Settings,
    names: tuple[str, ...],
    say: str,
    missed: bool,
) -> int:
    """Ask the models for MEMORY again. It makes up to a dozen calls; the edition before is kept.

    Without --say only questions are sent that were never asked before, or that the provider refused
    for no reason that memproc knows: after another refusal, say something.
    """
    if say and missed:
        raise click.UsageError("Say something yourself, or name what was missed.")
    from daemon.cli.progress import Progress
    from daemon.evaluate.asking import retry_missed
    from daemon.remember.retry import UnchangedMemory
    from daemon.remember.retry import retry as ask_again

    progress = Progress(quiet=settings.quiet or settings.for_programs)
    with progress.bar, settings.context(progress.tell) as context:
        _, memory = one_memory(context.archive, settings, names)
        name = memory.memory_id
        outcome = retry_missed(context, name) if missed else ask_again(context, name, say)
    tally, values = progress.tally, asdict(outcome)
    if isinstance(outcome, UnchangedMemory):
        settings.done(**values, outcome="kept", run=tally.as_json())
        which = name_in_sentences(memory).capitalize()
        print_error(f"{which} stays as it was. {outcome.reason}\n{outcome.next_step}")
        return 1
    settings.show(shown_report(outcome))
    values |= {"outcome": "written", "run": tally.as_json()}
    settings.done(*tally.sentences(), next=(TO_SEE_IT,), **values)
    return 0
