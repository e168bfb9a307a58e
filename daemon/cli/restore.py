"""Compare and restore kept versions of a chat: `memproc diff`, `restore`, `undo`, `expand`."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from daemon.archive.chats import KnownChat, find_chat
from daemon.archive.keeping import kept_passages, newest_messages
from daemon.cli.printing import in_width, styled
from daemon.cli.settings import Settings, confirmed, pass_settings, yes_option
from daemon.files.backup import versions_of as kept_versions
from daemon.files.clock import in_full
from daemon.models.context import Context
from daemon.recovery import restore as recovery
from daemon.recovery.compare import Content, compare_versions, version_content
from daemon.recovery.restore import Restorable, expand
from daemon.reports.report import Step
from daemon.status.printable import in_one_line
from rules.errors import NotAnExport, NotFound
from rules.output.difference import Difference
from rules.output.difference_lines import DifferenceLine
from rules.wording import counted, cut_title

_COLOURS = {"+": "green", "-": "red", "~": "yellow"}
_UNTIL_ACCEPTED = (
    "This chat stays so until you talk on and drop its new export. "
    "To compress it again: memproc accept {}"
)
_LACKS_LATER = (
    "This version lacks what was said after it. To talk on from here, fork the chat in TypingMind "
    "first. An export of this same chat is skipped until you say: memproc accept {}"
)
_FIRST_LINES = 14
"""How many lines of a difference precede the question, so that all fits in a terminal's 24."""


@click.command
@click.argument("chat")
@click.argument("before", metavar="[V1]", type=int, required=False)
@click.argument("after", metavar="[V2]", type=int, required=False)
@pass_settings
def diff_command(settings: Settings, chat: str, before: int | None, after: int | None) -> None:
    """Show what changed in CHAT from version V1 to V2 (numbers from `memproc versions`).

    Without V2: up to the present updated export. Without V1, too: from the newest version.
    """
    folders = settings.folders
    with settings.chat(chat) as (archive, known):
        if before is None:
            versions = kept_versions(folders.backups, known.chat_id)
            if not versions:
                raise NotFound(
                    f'No version of "{cut_title(known.title)}" is kept yet.',
                    "The first run that compresses it keeps one.",
                )
            before = versions[-1].number
        first = version_content(archive, folders, known, before)
        second = version_content(archive, folders, known, after)
        difference, changes = compare_versions(
            archive, settings.config, known.chat_id, first, second
        )
    same_bytes = first.data == second.data
    settings.draw("\n".join(_in_lines(difference, changes, first.name, second.name)))
    same = "are the same, byte for byte" if same_bytes else "say the same in other bytes"
    sentence = f"They {same}." if difference.is_empty else ""
    settings.done(
        sentence,
        before=first.name,
        after=second.name,
        same_bytes=same_bytes,
        **asdict(difference),
    )


@click.command
@click.argument("chat")
@click.argument("version", type=int)
@yes_option
@pass_settings
def restore_command(settings: Settings, chat: str, version: int, yes: bool) -> None:
    """Put VERSION (a number from `memproc versions`) of CHAT in the place of its updated export.

    The present file is kept as a version first. Before it asks, it shows the difference.
    """
    _restore(settings, chat, version, yes)


@click.command
@click.argument("chat")
@yes_option
@pass_settings
def undo_command(settings: Settings, chat: str, yes: bool) -> None:
    """Put back what the updated export of CHAT was before it was written last.

    That is the newest kept version that says something else: `memproc restore` puts any other back.
    The present file is kept as a version first, so that an undo can be undone. Before it asks, it
    shows the difference.
    """
    _restore(settings, chat, None, yes)


def _restore(settings: Settings, chat: str, version: int | None, yes: bool) -> None:
    """Show what restoring a version would change, and do it if the person agrees.

    Without `version` it is the newest one that differs.
    """
    with settings.context() as context:
        known = find_chat(context.archive, chat, "whole")
        if version is None:
            chosen = recovery.newest_other(context.archive, context.folders, known)
            when = in_full(chosen.written_at)[:16]
            settings.say_whole(f"Version {chosen.number} ({chosen.kind}, kept {when}):")
        else:
            chosen = recovery.find_version(context.folders, known, version)
        restorable = recovery.prepare_restore(context.archive, context.folders, known, chosen)
        settings.done(version=chosen.number)
        lacks_later = _compare_with_present(settings, context, known, restorable, is_agreed=yes)
        undo, restore = f"undo {known.chat_id}", f"restore {known.chat_id} {version}"
        command = restore if version else undo
        if not confirmed(settings, f"Put version {chosen.number} back?", yes, command):
            return
        recovery.restore(context, known, restorable)
    settings.done(
        f"Restored. Import this file into TypingMind: {restorable.path}",
        (_LACKS_LATER if lacks_later else _UNTIL_ACCEPTED).format(known.chat_id),
        path=restorable.path,
        lacks_later=lacks_later,
    )


@click.command
@click.argument("chat")
@click.option("--output", type=click.Path(path_type=Path), help="Where to write it.")
@pass_settings
def expand_command(settings: Settings, chat: str, output: Path | None) -> None:
    """Write the full raw conversation of CHAT as an export for TypingMind.

    Every message is byte for byte what it was, but for the dates of messages that a fork has
    copied: TypingMind gives these new dates, and here they have those on which they were said.
    """
    with settings.context() as context:
        known = find_chat(context.archive, chat, "part")
        written = expand(context, known, output)
        messages = newest_messages(context.archive, known.chat_id, deleted=False)
        present = {key for key, _ in messages}
        lacking = sum(
            passage.state == "kept" and passage.key not in present
            for passage in kept_passages(context.archive, known.chat_id)
        )
    what = (
        "passage of a message that you deleted is",
        "passages of messages that you deleted are",
    )
    not_included = f"{counted(lacking, *what)} kept, and not in it"
    settings.done(
        f"Wrote {written.path}: {written.size:,} bytes. "
        "Importing it replaces the chat in TypingMind.",
        next=(Step(not_included, f"keep {known.chat_id}"),) if lacking else (),
        path=written.path,
        size=written.size,
        lacking=lacking,
    )


def _compare_with_present(
    settings: Settings,
    context: Context,
    known: KnownChat,
    restorable: Restorable,
    *,
    is_agreed: bool,
) -> bool:
    """Print the beginning of what would change. Return whether messages would be missing.

    With `is_agreed`, no command for the remaining lines is shown, since both will be the same by
    then. A present file that is not an export can still be replaced.
    """
    if restorable.now is None:
        settings.say(f"There is no {restorable.path} now.")
        return False
    now = Content(restorable.path.name, restorable.now)
    then = Content(f"version {restorable.version.number}", restorable.content)
    try:
        difference, changes = compare_versions(
            context.archive, context.config, known.chat_id, now, then
        )
    except NotAnExport as spoilt:
        settings.say(f"What is there now cannot be compared: {spoilt.message}")
        return False
    lines = _in_lines(difference, changes, "now", "then")
    shown = lines[:_FIRST_LINES]
    if not settings.quiet:
        settings.draw("\n".join(shown))
    if len(lines) > len(shown) and not is_agreed:
        further_lines = counted(len(lines) - len(shown), "more line")
        diff = f"diff {known.chat_id} {restorable.version.number}"
        settings.done(next=(Step(f"... and {further_lines}. All of it, from then to now", diff),))
    if difference.is_empty:
        settings.say("They say the same.")
    return any(change.how == "gone" for change in difference.raw)


def _in_lines(
    difference: Difference, changes: Sequence[DifferenceLine], before: str, after: str
) -> list[str]:
    """Return the lines of a difference: the size of both versions, then the changes, coloured."""
    sides = (
        (before, difference.messages_before, difference.memories_before),
        (after, difference.messages_after, difference.memories_after),
    )
    lines = [
        f"{name}: {counted(messages, 'message')}, {counted(number, 'memory', 'memories')}"
        for name, messages, number in sides
    ]
    for change in changes:
        text = change.text if change.mark == " " else f"{change.mark} {change.text}"
        lines.append(styled(in_width(in_one_line(text)), _COLOURS.get(change.mark, "")))
    return lines
