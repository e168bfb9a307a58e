"""Erase a chat for good, from memproc's files, backups and archive.

The archive comes last, so that an erasure that was cut short can be repeated. A file that holds
other chats, too, only loses this one. The inbox is the person's: only files that the bridge has put
there are removed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from daemon.archive.arrivals import arrivals_of
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.erasing import erase_rows
from daemon.archive.full_text import forget_index
from daemon.archive.journal import replies
from daemon.bridge.chat_jobs import lent_folder
from daemon.files.backup_index import IndexLine, kept_lines, rewrite_index
from daemon.files.candidates import exports_in
from daemon.files.packing import open_export, pack, unpack
from daemon.files.paths import (
    Folders,
    arrivals_folder,
    brought_folder,
    expanded_folder,
    is_sent,
    planned_folder,
)
from daemon.files.read import chats_in, export_without_chats
from daemon.files.reasons import file_errors
from daemon.files.removal import remove_file
from daemon.files.write import replace_file
from daemon.models.context import Context
from daemon.recovery.aside import aside_folder
from daemon.recovery.parcel import ASIDE
from daemon.recovery.restore import chats_of_export
from rules.errors import FileTrouble
from rules.typingmind.new_chat import new_chat_id
from rules.wording import counted, cut_title

_MOST_NEW_CHATS = 20
"""The most new chats that can have been made of one (`output.mode = "new-chat"`)."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of memproc's that holds the chat; `is_shared` if it also holds others, which stay."""

    path: Path
    is_shared: bool


@dataclass(frozen=True, slots=True)
class KeptBackup:
    """A backup that holds the chat, by its line in the index; `is_shared` if others are in it."""

    line: IndexLine
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Erasure:
    """Everything that holds a chat, including what the person must remove themselves."""

    chat: KnownChat
    names: frozenset[str]
    """Its id, and those of new chats with its memories that never came back as an export."""
    files: tuple[KeptFile, ...]
    """Updated exports, expanded copies, copies of dropped files, and the bridge's in the inbox."""
    backups: tuple[KeptBackup, ...]
    """All versions of the chat; the same file may be listed for several chats."""
    copies: tuple[Path, ...]
    """Copies of the whole archive."""
    calls: int
    in_inbox: tuple[Path, ...]
    aside: tuple[Path, ...]
    """Folders into which an import moved what was there before."""


def find_erasure(context: Context, chat: KnownChat) -> Erasure:
    """Find everything that holds the chat. Raise FileTrouble where something cannot be read."""
    folders, archive = context.folders, context.archive
    # New chats made from it are included unless the archive knows them as chats of their own.
    new_ids = {new_chat_id(chat.chat_id, number) for number in range(1, _MOST_NEW_CHATS)}
    known_ids = {known.chat_id for known in known_chats(archive)}
    names = frozenset({chat.chat_id} | (new_ids - known_ids))
    own_files = [file for shelf in own_shelves(folders) for file in _holding(shelf, names)]
    dropped = list(_holding(folders.inbox, names))
    by_bridge = [file for file in dropped if is_sent(file.path.name) and not file.is_shared]
    # An import moves what was there before into folders inside these.
    filled = (folders.state, folders.backups, folders.updated, arrivals_folder(folders.state))
    return Erasure(
        chat,
        names,
        files=(*own_files, *by_bridge),
        backups=tuple(_backups(folders.backups, chat.chat_id, names)),
        copies=tuple(sorted((folders.state / "copies").glob("*"))),
        calls=len(replies(archive, chat.chat_id)),
        in_inbox=tuple(file.path for file in dropped if file not in by_bridge),
        aside=tuple(path for folder in filled for path in sorted(folder.glob(f"{ASIDE}*"))),
    )


def own_shelves(folders: Folders) -> tuple[Path, ...]:
    """Return memproc's own folders of exports, except backups."""
    return (
        folders.updated,
        expanded_folder(folders.updated),
        arrivals_folder(folders.state),
        brought_folder(folders.state),
        planned_folder(folders.state),
        aside_folder(folders.backups),
    )


def erase(context: Context, erasure: Erasure) -> None:
    """Remove all of it. Raise FileTrouble or ArchiveError; it can then be repeated."""
    folders = context.folders
    alone = [file.path for file in erasure.files if not file.is_shared]
    sent = [path for path in alone if is_sent(path.name) and path.exists()]
    # A copy of a dropped file is named by its SHA-256; a file that the bridge has sent is not.
    hashes = [path.stem for path in alone if path.parent == arrivals_folder(folders.state)]
    hashes += [sha256(path.read_bytes()).hexdigest() for path in sent]
    for file in erasure.files:
        _erase_from_file(file, erasure.names)
    _erase_backups(folders.backups, erasure)
    for path in erasure.copies:
        remove_file(path)
    present = arrivals_of(context.archive, [str(path) for path in erasure.in_inbox])
    for path in lent_folder(folders.state).glob("*"):
        remove_file(path)
    forget_index(folders.state)  # the next search builds a new one
    chat, now = erasure.chat, context.clock()
    erase_rows(context.archive, chat.chat_id, present, now, hashes, chat.title, erasure.names)


def _erase_from_file(file: KeptFile, names: frozenset[str]) -> None:
    """Remove a file; if it also holds other chats, write it again without these."""
    if not file.is_shared:
        remove_file(file.path)
        return
    with file_errors(file.path, "read"):
        content = file.path.read_bytes()
    replace_file(file.path, [export_without_chats(file.path.name, content, names)])


def _holding(folder: Path, names: frozenset[str]) -> Iterator[KeptFile]:
    """Yield the exports of a folder that hold a chat with one of these names."""
    if not folder.is_dir():
        return
    for path in exports_in(folder):
        with open_export(path) as file:
            content = file.read()
        is_shared = _is_shared(content, names)
        if is_shared is not None:
            yield KeptFile(path, is_shared)


def _backups(folder: Path, chat_id: str, names: frozenset[str]) -> Iterator[KeptBackup]:
    """Yield the backups that hold the chat, and damaged ones that are listed for it."""
    for _, line in kept_lines(folder):
        is_shared = _is_shared(_content(folder, line), names)
        if is_shared is not None or line.chat_id == chat_id:
            yield KeptBackup(line, bool(is_shared))


def _is_shared(content: bytes, names: frozenset[str]) -> bool | None:
    """Return whether an export holds other chats beside this one; None if this one is not in it."""
    ids = [chat.id_if_any for chat in chats_of_export(content)]
    if names.isdisjoint(ids):
        return None
    return not names.issuperset(ids)


def _content(folder: Path, line: IndexLine) -> bytes:
    """Return the content of a backup; empty where it is gone or damaged."""
    try:
        return b"".join(unpack(folder / line.file, line.size, line.sha256))
    except FileTrouble:
        return b""


def _erase_backups(folder: Path, erasure: Erasure) -> None:
    """Remove the chat's files, rewrite those that also hold other chats, and then the index.

    A file of several chats may be listed as a version of any of them, and stays one of the others.
    """
    changed: dict[str, IndexLine | None] = {}
    for backup in erasure.backups:
        line = backup.line
        if line.file in changed:
            continue
        if backup.is_shared:
            changed[line.file] = _rewritten(folder, line, erasure.names)
        else:
            changed[line.file] = None
            remove_file(folder / line.file)
    rewrite_index(folder, lambda line: _line_after(folder, line, changed, erasure.chat.chat_id))
    for file, new in changed.items():
        if new is not None and new.file != file:
            remove_file(folder / file)
    _remove_empty(folder / "versions")
    _remove_empty(folder / "originals")


def _rewritten(folder: Path, line: IndexLine, names: frozenset[str]) -> IndexLine:
    """Write a backup again without these chats. Return its new line for the index."""
    name = line.file.removesuffix(".gz")
    content = export_without_chats(name, _content(folder, line), names)
    digest = sha256(content).hexdigest()
    path = folder / line.file.replace(line.sha256[:8], digest[:8])
    packed = replace_file(path, pack([content]))
    return replace(
        line,
        sha256=digest,
        size=len(content),
        file=path.relative_to(folder).as_posix(),
        packed_sha256=packed.sha256,
    )


def _line_after(
    folder: Path, line: IndexLine, changed: Mapping[str, IndexLine | None], chat_id: str
) -> IndexLine | None:
    """Return a line of the index after the erasure of the chat, or None if it is removed.

    `changed` has the new line of each file that was rewritten, None for a removed one. A file that
    was listed for the erased chat is then listed for the first chat left in it.
    """
    is_of_chat = line.chat_id == chat_id
    new = changed.get(line.file, line)
    if new is None or (is_of_chat and line.file not in changed):
        return None
    if is_of_chat:
        first, *_ = chats_in(new.file.removesuffix(".gz"), _content(folder, new))
        return replace(new, chat_id=first.chat_id, title=first.title)
    return replace(
        line,
        sha256=new.sha256,
        size=new.size,
        file=new.file,
        packed_sha256=new.packed_sha256,
    )


def _remove_empty(folder: Path) -> None:
    """Remove the empty folders in this one, since they are named after chats."""
    for shelf in folder.glob("*"):
        if shelf.is_dir() and not any(shelf.iterdir()):
            with file_errors(shelf, "removed"):
                shelf.rmdir()


def describe_erasure(erasure: Erasure) -> Iterator[str]:
    """Yield lines on all that there is of the chat, for the person who is about to erase it."""
    chat = erasure.chat
    messages = counted(chat.messages, "raw message")
    memories = counted(chat.memories, "memory", "memories")
    answers = counted(erasure.calls, "answer")
    yield f'"{cut_title(chat.title)}" ({chat.chat_id})'
    yield f"  archive: {messages}, {memories}, {answers} of models"
    for file in erasure.files:
        others = " (the other chats in it stay)" if file.is_shared else ""
        yield f"  {file.path}{others}"
    backups = {backup.line.file for backup in erasure.backups}
    yield f"  backups, the first original among them: {len(backups):,}"
    if erasure.copies:
        without = "of which a new one is made without this chat"
        yield f"  copies of the archive, {without}: {len(erasure.copies):,}"
