"""`memproc diff CHAT [V1] [V2]`: what changed between two versions of a chat's export."""

from collections.abc import Iterable
from dataclasses import asdict

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.backup import read_version, versions
from daemon.files.paths import Folders
from daemon.recovery.compare import Content, compare
from daemon.recovery.restore import find_version, read_updated, updated_path
from daemon.status.sentences import in_one_line, printable_json
from rules.errors import NotFound
from rules.output.difference import Difference
from rules.output.readable import Line, readable

_STYLES = {"+": "green", "-": "red", "~": "yellow", " ": "bold"}


@click.command
@click.argument("chat")
@click.argument("before", metavar="[V1]", type=int, required=False)
@click.argument("after", metavar="[V2]", type=int, required=False)
@json_option
@pass_settings
def diff(settings: Settings, chat: str, before: int | None, after: int | None, as_json: bool) -> int:
    """Show what changed in CHAT from version V1 to V2 (numbers from `memproc versions`).

    Without V2: up to the present updated export. Without V1, too: from the newest version.
    """
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        one = _version(settings.folders, known, before)
        other = (
            _present(archive, settings.folders, known) if after is None else _version(settings.folders, known, after)
        )
        found, memories = compare(archive, settings.config, known.chat_id, one, other)
    if as_json:
        report = {"before": one.name, "after": other.name, "same_bytes": one.data == other.data, **asdict(found)}
        click.echo(printable_json(report))
        return 0
    print_lines(counts(found, one.name, other.name))
    print_lines(readable(found, memories))
    if found.is_empty:
        how = "They are the same, byte for byte." if one.data == other.data else "They say the same in other bytes."
        settings.say(how)
    return 0


def counts(found: Difference, before: str, after: str) -> tuple[Line, Line]:
    """How many messages and memories the two have, ours among the messages."""
    return (
        Line(" ", f"{before}: {found.messages_before} messages, {found.memories_before} memories"),
        Line(" ", f"{after}: {found.messages_after} messages, {found.memories_after} memories"),
    )


def print_lines(lines: Iterable[Line]) -> None:
    """Print a difference: in colour on a terminal, plain elsewhere, nothing cut off."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        mark = "" if line.mark == " " else f"{line.mark} "
        console.print(in_one_line(f"{mark}{line.text}"), style=_STYLES[line.mark])


def _version(folders: Folders, chat: KnownChat, number: int | None) -> Content:
    """That version, or the newest. Raises NotFound."""
    if number is not None:
        found = find_version(folders, chat, number)
    elif kept := versions(folders.backups, chat.chat_id):
        found = kept[-1]
    else:
        raise NotFound(f'No version of "{chat.title}" is kept yet.', "The first run that compresses it keeps one.")
    return Content(
        f"version {found.number} ({found.kind}, {found.written_at[:16].replace('T', ' ')})", read_version(found)
    )


def _present(archive: Archive, folders: Folders, chat: KnownChat) -> Content:
    path = updated_path(archive, folders, chat)
    content = read_updated(path)
    if content is None:
        raise NotFound(
            f'There is no updated export of "{chat.title}": {path} is not there.',
            f"Compare two versions: memproc versions {chat.chat_id}",
        )
    return Content("the updated export", content)
