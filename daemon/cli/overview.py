"""Say in a few lines how things are, and what to do next: `memproc` alone on a terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chats
from daemon.cli.settings import Settings
from daemon.cli.status import current_status, daemon_place
from daemon.files.candidates import exports_in
from daemon.status.printable import in_one_line
from daemon.status.screen import headline
from daemon.status.status import Status
from rules.wording import counted

_LONGEST_TITLE = 40
_NOT_SET_UP = """\
memproc is not set up yet. Begin with one of these:
    memproc init    folders, a key or none, the service, a sample
    memproc demo    the whole trip on a sample conversation; no key, no network"""


def show_overview(settings: Settings) -> None:
    """Print the state of the daemon, the chats and the inbox, and the next step."""
    folders = settings.folders
    if settings.config_file.path is None and not folders.inbox.is_dir():
        click.echo(_NOT_SET_UP)
        return
    status = current_status(settings)
    with Archive.read(daemon_place(settings).state) as archive:
        chats = known_chats(archive)
    exports, updated = _exports(folders.inbox), _exports(folders.updated)
    settings.say("\n".join((headline(status), *_chat_lines(chats), *_inbox_lines(exports))))
    sentence, *to_copy = _next_step(status, folders.inbox, exports, updated)
    settings.say(f"\nNext: {sentence}")
    for line in to_copy:
        settings.say_whole(f"    {line}")
    settings.say("All commands: memproc help")


def _exports(folder: Path) -> tuple[Path, ...]:
    return exports_in(folder) if folder.is_dir() else ()


def _chat_lines(chats: Sequence[KnownChat]) -> Iterator[str]:
    """Yield the number of chats, of their memories, and the title of the one seen last."""
    if chats:
        memories = counted(sum(chat.memories for chat in chats), "memory", "memories")
        title = in_one_line(chats[-1].title)
        cut = f"{title[:_LONGEST_TITLE].rstrip()}..." if len(title) > _LONGEST_TITLE else title
        yield f'{counted(len(chats), "chat")} with {memories}; seen last: "{cut}".'


def _inbox_lines(exports: Sequence[Path]) -> Iterator[str]:
    if exports:
        yield f"{counted(len(exports), 'export')} in the inbox."


def _next_step(
    status: Status, inbox: Path, exports: Sequence[Path], updated: Sequence[Path]
) -> tuple[str, ...]:
    """Return what is due first, then lines to copy: a problem, a new export, an updated one.

    An export is new where it was changed after the newest updated export was written.
    """
    if status.problems:
        problem = status.problems[0]
        return f"{in_one_line(problem.what)} wants attention.", problem.next_step
    is_new = exports and (not updated or exports[-1].stat().st_mtime > updated[-1].stat().st_mtime)
    if is_new and not status.running:
        return "see what a run would do with them, and what it costs.", "memproc plan"
    if is_new:
        return "the export is processed automatically. See how far along it is.", "memproc status"
    if updated:
        return "import this file in TypingMind; it replaces the chat.", str(updated[-1])
    return "put an export of a chat into the inbox.", str(inbox)
