"""Find conversations that are in memproc's files but have no row in the archive.

Stopped work leaves them, or another archive in place of the old one. Each is named by its id or by
one of its files; by its title only where no other conversation has the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, is_known, known_chats
from daemon.files.backup_index import kept_lines
from daemon.files.candidates import exports_in
from daemon.files.paths import Folders, is_sent
from daemon.files.reasons import file_errors
from daemon.recovery.erase import own_shelves
from daemon.recovery.restore import chats_of_export
from rules.errors import NotFound
from rules.typingmind.content import make_printable
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class Stray:
    """A conversation without a row in the archive, and memproc's files that hold it."""

    chat_id: str
    title: str
    files: tuple[Path, ...]

    def is_named(self, written: str) -> bool:
        """Return whether `written` is its id or one of its files, with or without the folder."""
        path = Path(written).absolute()
        is_file = any(path == file or written == file.name for file in self.files)
        return written == self.chat_id or is_file


def find_erasable(archive: Archive, folders: Folders, written: str) -> KnownChat:
    """Return the chat, or the conversation without a row in the archive, that `written` names.

    Raises NotFound, FileTrouble.
    """
    written = make_printable(written)
    if is_known(archive, written):
        return find_chat(archive, written, "whole")
    strays = find_strays(archive, folders)
    named = [stray for stray in strays if stray.is_named(written)]
    called_so = [stray for stray in strays if stray.title.casefold() == written.casefold()]
    if not named and not called_so:
        return _find_chat(archive, written, strays)
    known = [chat for chat in known_chats(archive) if chat.title.casefold() == written.casefold()]
    fitting = named or called_so
    if len(fitting) > 1 or (known and not named):
        others = [] if named else [f"{chat.chat_id} ({cut_title(chat.title)})" for chat in known]
        listed = "".join(f"\n  {line}" for line in (*others, *map(_line, fitting)))
        raise NotFound(
            f'"{written}" can be any of these conversations:{listed}', "Name one of them by its id."
        )
    (stray,) = fitting
    return KnownChat(stray.chat_id, stray.title, 0, 0, "")


def find_strays(archive: Archive, folders: Folders) -> tuple[Stray, ...]:
    """Return the conversations without a row in the archive, in the order of their files."""
    known = {chat.chat_id for chat in known_chats(archive)}
    strays: dict[str, Stray] = {}
    in_backups = [
        (line.chat_id, line.title, folders.backups / line.file)
        for _, line in kept_lines(folders.backups)
    ]
    for chat_id, title, path in (*in_backups, *_in_own_files(folders)):
        if chat_id not in known:
            before = strays.get(chat_id, Stray(chat_id, title, ()))
            strays[chat_id] = Stray(chat_id, title, (*before.files, path))
    return tuple(strays.values())


def _in_own_files(folders: Folders) -> Iterator[tuple[str, str, Path]]:
    """Yield id, title and file of each chat in memproc's files but backups, and in the bridge's."""
    shelves = [shelf for shelf in own_shelves(folders) if shelf.is_dir()]
    paths = [path for shelf in shelves for path in exports_in(shelf)]
    if folders.inbox.is_dir():
        paths += [path for path in exports_in(folders.inbox) if is_sent(path.name)]
    for path in paths:
        with file_errors(path, "read"):
            content = path.read_bytes()
        for chat in chats_of_export(content):
            if chat.id_if_any:
                yield chat.chat_id, chat.title, path


def _find_chat(archive: Archive, written: str, strays: Sequence[Stray]) -> KnownChat:
    """Return a chat of the archive.

    Raises NotFound, which lists the conversations without a row.
    """
    try:
        return find_chat(archive, written, "whole")
    except NotFound as fault:
        if not strays:
            raise
        listed = "".join(f"\n  {_line(stray)}" for stray in strays)
        raise NotFound(
            fault.message,
            f"{fault.next_step}\nNot in the archive, and erased by id or file:{listed}",
        ) from fault


def _line(stray: Stray) -> str:
    """Return a line with a conversation's id, title and files."""
    return f"{stray.chat_id} ({cut_title(stray.title)}): {', '.join(map(str, stray.files))}"
