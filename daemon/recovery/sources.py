"""Which files a lost archive can be rebuilt from, and which chats each of them shows; oldest first.

Every file is read twice: once for the ids in it, and again when its chat has its turn, so that there is never more
than one chat's worth of them in memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from daemon.files.backup import INDEX, UnreadableLine, Version, all_versions, read_index, read_version
from daemon.files.candidates import exports_in
from daemon.files.paths import Folders
from daemon.files.read import chats_in, read_export
from daemon.files.write import file_errors
from rules.errors import ChatSetAside, MemprocError
from rules.output.naming import file_name
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.dates import write_date


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file that shows chats. `version` is None for one that is not in the backups."""

    path: Path
    kept_at: str
    version: Version | None
    is_output: bool
    """Whether it lies among the updated exports."""


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file, or a chat in one, that could not be used, and why."""

    path: Path
    reason: str


def find_files(folders: Folders, more: Sequence[Path]) -> tuple[dict[str, list[BackupFile]], list[UnusedFile]]:
    """Backups, updated exports, and the exports that the person names: by chat id, oldest first; and those unused.

    Chats that only a named export shows are none of memproc's yet. Raises FileTrouble where a folder is unreadable.
    """
    unused = [
        UnusedFile(folders.backups / INDEX, f"Line {line.number} cannot be read.")
        for line in read_index(folders.backups)
        if isinstance(line, UnreadableLine)
    ]
    files: dict[str, list[BackupFile]] = {}
    for file in sorted(_all(folders, more), key=_age):
        try:
            chats = chats_of(file)
        except MemprocError as trouble:
            unused.append(UnusedFile(file.path, trouble.message))
            continue
        for chat in chats:
            chat_id = _readable_id(chat)
            if chat_id is None:
                unused.append(UnusedFile(file.path, f'The chat "{chat.title}" in it cannot be read.'))
            elif file not in files.setdefault(chat_id, []):
                files[chat_id].append(file)
    ours = {name: held for name, held in files.items() if any(file.version or file.is_output for file in held)}
    return ours, unused


def chats_of(file: BackupFile) -> tuple[Chat, ...]:
    """All chats of a file. Raises FileTrouble where it is gone or damaged, NotAnExport where it is something else."""
    if file.version is None:
        return tuple(read_export(file.path).chats())
    return chats_in(file.path.name, read_version(file.version))


def chat_in(file: BackupFile, chat_id: str) -> Chat:
    """The chat of that id in a file that has it. Raises as `chats_of` does."""
    return next(chat for chat in chats_of(file) if _readable_id(chat) == chat_id)


def updated_export(files: Sequence[BackupFile], chat_id: str) -> BackupFile | None:
    """The chat's updated export: the newest that bears its id in its name, else one of a whole export.

    What `memproc expand` once wrote may lie in the same folder, under another name.
    """
    ending = file_name("", chat_id).removeprefix("Untitled")
    outputs = [file for file in files if file.is_output]
    named = [file for file in outputs if file.path.name.endswith(ending)]
    return next(reversed(named or [file for file in outputs if len(chats_of(file)) > 1]), None)


def _all(folders: Folders, more: Iterable[Path]) -> list[BackupFile]:
    kept = [version for held in all_versions(folders.backups).values() for version in held]
    updated = exports_in(folders.updated) if folders.updated.is_dir() else ()
    named = [path for place in more for path in exports_in(place)]
    return [
        *(BackupFile(version.path, version.written_at, version, is_output=False) for version in kept),
        *(BackupFile(path, _changed_at(path), None, is_output=True) for path in updated),
        *(BackupFile(path, _changed_at(path), None, is_output=False) for path in named),
    ]


def _age(file: BackupFile) -> tuple[bool, str, bool, str]:
    """What lies among the updated exports is the newest of its chat, whatever the clock said of it."""
    is_original = file.version is not None and file.version.kind == "original"
    return file.is_output, file.kept_at, not is_original, str(file.path)


def _changed_at(path: Path) -> str:
    with file_errors(path, "looked at"):
        return write_date(datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _readable_id(chat: Chat) -> str | None:
    """The id of a chat whose messages can be read; None for others."""
    try:
        read_messages(chat)
    except ChatSetAside:
        return None
    return chat.id_if_any or None
