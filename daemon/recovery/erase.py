"""Erase a chat for good, from memproc's files, backups, log and archive.

The archive comes last, so that an erasure that was cut short can be repeated, and goes on. A file
that holds other chats too loses this one alone. Of the inbox, which is the person's, only what the
bridge itself has put there is removed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import arrivals_of
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.erasing import erase_rows
from daemon.archive.full_text import forget_index
from daemon.archive.journal import replies
from daemon.bridge.chat_jobs import forget_jobs
from daemon.files.backup_index import IndexLine, kept_lines, rewrite_index
from daemon.files.candidates import exports_in
from daemon.files.packing import pack, unpack
from daemon.files.paths import arrivals_folder, brought_folder, expanded_folder, is_sent
from daemon.files.read import chats_in, export_without_chats
from daemon.files.reasons import file_errors
from daemon.files.removal import remove_file
from daemon.files.write import replace_file
from daemon.models.context import Context
from daemon.recovery.aside import aside_folder
from daemon.recovery.parcel import ASIDE
from daemon.status.log import log_files, log_folder
from rules.errors import FileTrouble, NotAnExport
from rules.typingmind.new_chat import new_chat_id
from rules.wording import counted

_MOST_NEW_CHATS = 20
"""The most new chats that can have been made of one (`output.mode = "new-chat"`)."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of memproc's that holds the chat; `is_shared` if it holds others, which stay."""

    path: Path
    is_shared: bool


@dataclass(frozen=True, slots=True)
class Erasure:
    """Everything that holds a chat, and what the person has to remove themselves."""

    chat: KnownChat
    names: frozenset[str]
    """Its id, and those of new chats that hold its memories and never came back as an export."""
    files: tuple[KeptFile, ...]
    """Updated exports, expanded copies, copies of dropped files, and the bridge's in the inbox."""
    backups: tuple[tuple[IndexLine, bool], ...]
    """Lines of the index, each with whether its file holds other chats too."""
    copies: tuple[Path, ...]
    """Copies of the whole archive."""
    calls: int
    in_inbox: tuple[Path, ...]
    aside: tuple[Path, ...]
    """Folders in which an import has put what was there before."""


def find_erasure(context: Context, chat: KnownChat) -> Erasure:
    """Find everything that holds the chat. Raise FileTrouble where something cannot be read."""
    folders, archive = context.folders, context.archive
    arrivals = arrivals_folder(folders.state)
    names = _names_of(archive, chat.chat_id)
    own_copies = (arrivals, brought_folder(folders.state), aside_folder(folders.backups))
    shelves = (folders.updated, expanded_folder(folders.updated), *own_copies)
    holding = (file for shelf in shelves for file in _holding(shelf, names))
    dropped = list(_holding(folders.inbox, names))
    by_bridge = [file for file in dropped if is_sent(file.path.name) and not file.is_shared]
    own = (folders.state, folders.backups, folders.updated, arrivals)
    return Erasure(
        chat,
        names,
        files=(*holding, *by_bridge),
        backups=tuple(_backups(folders.backups, chat.chat_id, names)),
        copies=tuple(sorted((folders.state / "copies").glob("*"))),
        calls=len(replies(archive, chat.chat_id)),
        in_inbox=tuple(file.path for file in dropped if file not in by_bridge),
        aside=tuple(path for folder in own for path in sorted(folder.glob(f"{ASIDE}*"))),
    )


def _names_of(archive: Archive, chat_id: str) -> frozenset[str]:
    known = {other.chat_id for other in known_chats(archive)} - {chat_id}
    made = (new_chat_id(chat_id, number) for number in range(1, _MOST_NEW_CHATS))
    return frozenset({chat_id, *made} - known)


def erase(context: Context, erasure: Erasure) -> None:
    """Remove all of it. Raise FileTrouble or ArchiveError; repeated, it goes on from there."""
    folders = context.folders
    copies = _hashes_of_copies(arrivals_folder(folders.state), erasure)
    for file in erasure.files:
        with file_errors(file.path, "read"):
            content = file.path.read_bytes() if file.is_shared else b""
        if file.is_shared:
            replace_file(file.path, [export_without_chats(file.path.name, content, erasure.names)])
        else:
            remove_file(file.path)
    _erase_backups(folders.backups, erasure)
    for path in erasure.copies:
        remove_file(path)
    present = arrivals_of(context.archive, [str(path) for path in erasure.in_inbox])
    _erase_from_log(folders.state, erasure)
    forget_jobs(folders.state, erasure.names)
    forget_index(folders.state)  # the next search makes a new one
    erase_rows(context.archive, erasure.chat.chat_id, present, context.clock(), copies)


def _hashes_of_copies(arrivals: Path, erasure: Erasure) -> list[str]:
    """Return the SHA-256 of dropped files that hold the chat alone, and of the bridge's."""
    alone = [file.path for file in erasure.files if not file.is_shared]
    sent = [path for path in alone if is_sent(path.name) and path.exists()]
    return [
        *(path.stem for path in alone if path.parent == arrivals),
        *(sha256(path.read_bytes()).hexdigest() for path in sent),
    ]


def _holding(folder: Path, names: frozenset[str]) -> Iterator[KeptFile]:
    """Yield the exports of a folder that hold a chat with one of these names."""
    for path in exports_in(folder) if folder.is_dir() else ():
        with file_errors(path, "read"):
            is_shared = _is_shared(path.name, path.read_bytes(), names)
        if is_shared is not None:
            yield KeptFile(path, is_shared)


def _backups(folder: Path, chat_id: str, names: frozenset[str]) -> Iterator[tuple[IndexLine, bool]]:
    """Yield the backups that hold the chat, each with whether its file holds other chats too."""
    for _, line in kept_lines(folder):
        is_shared = _is_shared(line.file, _content(folder, line), names)
        if is_shared is not None or line.chat_id == chat_id:
            yield line, bool(is_shared)


def _is_shared(name: str, content: bytes, names: frozenset[str]) -> bool | None:
    """Return whether an export holds this chat and others too; None if it lacks this one."""
    try:
        ids = [chat.id_if_any for chat in chats_in(name, content)]
    except NotAnExport:
        return None
    return None if names.isdisjoint(ids) else not names.issuperset(ids)


def _content(folder: Path, line: IndexLine) -> bytes:
    """Return the content of a backup; empty where it is gone or damaged."""
    try:
        return b"".join(unpack(folder / line.file, line.size, line.sha256))
    except FileTrouble:
        return b""


def _erase_backups(folder: Path, erasure: Erasure) -> None:
    """Remove the chat's files, rewrite those that hold other chats too, and then the index.

    A file that holds several chats may be a version of any of them, and stays one of the others.
    """
    changed: dict[str, IndexLine | None] = {}
    for line, is_shared in erasure.backups:
        if line.file in changed:
            continue
        changed[line.file] = _rewritten(folder, line, erasure.names) if is_shared else None
        if not is_shared:
            remove_file(folder / line.file)
    rewrite_index(folder, lambda line: _line_after(folder, line, changed, erasure.chat.chat_id))
    for file, new in changed.items():
        if new is not None and new.file != file:
            remove_file(folder / file)
    _remove_empty(folder / "versions")
    _remove_empty(folder / "originals")


def _rewritten(folder: Path, line: IndexLine, names: frozenset[str]) -> IndexLine:
    """Write a backup without these chats. Return its line of the index."""
    content = export_without_chats(line.file.removesuffix(".gz"), _content(folder, line), names)
    digest = sha256(content).hexdigest()
    path = folder / line.file.replace(line.sha256[:8], digest[:8])
    packed = replace_file(path, pack([content])).sha256
    file = path.relative_to(folder).as_posix()
    return replace(line, sha256=digest, size=len(content), file=file, packed_sha256=packed)


def _line_after(
    folder: Path, line: IndexLine, changed: Mapping[str, IndexLine | None], chat_id: str
) -> IndexLine | None:
    """Return a line of the index after the erasure of the chat, or None if it goes.

    `changed` has the new line of each file that was rewritten or removed. A file that was listed
    for the erased chat is listed for the first chat left in it.
    """
    new = changed.get(line.file, line)
    if new is None or (line.chat_id == chat_id and line.file not in changed):
        return None
    if line.chat_id == chat_id:
        other = chats_in(new.file.removesuffix(".gz"), _content(folder, new))[0]
        return replace(new, chat_id=other.chat_id, title=other.title)
    return replace(
        line, sha256=new.sha256, size=new.size, file=new.file, packed_sha256=new.packed_sha256
    )


def _remove_empty(folder: Path) -> None:
    """Remove the empty folders in this one: they are named after chats."""
    for shelf in folder.glob("*"):
        if shelf.is_dir() and not any(shelf.iterdir()):
            with file_errors(shelf, "removed"):
                shelf.rmdir()


def _erase_from_log(state: Path, erasure: Erasure) -> None:
    """Take the lines out of the log that name the chat, or a file in which it was alone."""
    names = {erasure.chat.chat_id, *(path.name for path in erasure.in_inbox)}
    names |= {file.path.name for file in erasure.files if not file.is_shared}
    marks = [name.encode("ascii", "backslashreplace") for name in names]
    for path in log_files(log_folder(state)):
        if path.exists():
            with file_errors(path, "read"):
                lines = path.read_bytes().splitlines(keepends=True)
            kept = [line for line in lines if not any(mark in line for mark in marks)]
            if len(kept) < len(lines):
                replace_file(path, kept)


def describe_erasure(erasure: Erasure) -> Iterator[str]:
    """Yield sentences on what there is of the chat, for the person who is about to erase it."""
    chat = erasure.chat
    yield f'"{chat.title}" ({chat.chat_id})'
    messages = counted(chat.messages, "raw message")
    memories = counted(chat.memories, "memory", "memories")
    yield f"  archive: {messages}, {memories}, {counted(erasure.calls, 'answer')} of models"
    for file in erasure.files:
        yield f"  {file.path}{' (the other chats in it stay)' if file.is_shared else ''}"
    backups = {line.file for line, _ in erasure.backups}
    yield f"  backups, the first original among them: {len(backups):,}"
    if erasure.copies:
        without = "of which a new one is made without this chat"
        yield f"  copies of the archive, {without}: {len(erasure.copies):,}"
