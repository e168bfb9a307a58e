"""Find the files that hold chats: backups, updated exports, and exports that the person names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.files.backup import Version, all_versions, read_version
from daemon.files.backup_index import INDEX, UnreadableLine, read_index
from daemon.files.candidates import exports_in
from daemon.files.paths import Folders, file_name
from daemon.files.read import chats_in, read_export
from daemon.files.removal import as_its_file_says, changed_at
from rules.errors import ChatSkipped, FileTrouble, MemprocError
from rules.typingmind.chat import Chat, read_messages
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file that holds chats. `version` is None for one that is not in the backups."""

    path: Path
    kept_at: str
    version: Version | None
    is_output: bool
    """Whether it is one of the updated exports."""

    def age(self) -> tuple[bool, str, bool, str]:
        """Return the key by which files are sorted, oldest first."""
        is_original = self.version is not None and self.version.kind == "original"
        return self.is_output, self.kept_at, not is_original, str(self.path)


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file, or a chat in one, that could not be used, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The usable files of memproc's chats, and what cannot be used."""

    by_chat: Mapping[str, Sequence[BackupFile]]
    """Files by the ids of the chats in them, oldest first; a file may be listed several times."""
    unused: tuple[UnusedFile, ...]


def find_files(folders: Folders, more: Sequence[Path]) -> FoundFiles:
    """Find backups, updated exports, and the exports `more` that the person names.

    An updated export counts as the newest file of its chat, whatever its date. Chats that are only
    in named exports are left out. Raise FileTrouble where a folder is unreadable.
    """
    unused = [
        UnusedFile(folders.backups / INDEX, f"Line {line.number} cannot be read.")
        for line in read_index(folders.backups)
        if isinstance(line, UnreadableLine)
    ]
    backups = [
        BackupFile(version.path, version.written_at, version, is_output=False)
        for versions in all_versions(folders.backups).values()
        for version in versions
    ]
    updated = exports_in(folders.updated) if folders.updated.is_dir() else ()
    outputs = [BackupFile(path, changed_at(path), None, is_output=True) for path in updated]
    named = [
        BackupFile(path, changed_at(path), None, is_output=False)
        for place in more
        for path in exports_in(place)
    ]
    files: dict[str, list[BackupFile]] = {}
    for file in sorted((*backups, *outputs, *named), key=BackupFile.age):
        readable, faults = _readable_chats(file)
        unused += faults
        for chat_id in dict.fromkeys(readable):
            files.setdefault(chat_id, []).append(file)
    ours = {chat_id: found for chat_id, found in files.items() if any(map(_is_ours, found))}
    return FoundFiles(ours, tuple(unused))


def _is_ours(file: BackupFile) -> bool:
    """Return whether memproc itself has written or kept the file."""
    return file.version is not None or file.is_output


def _readable_chats(file: BackupFile) -> tuple[list[str], list[UnusedFile]]:
    """Return the ids of a file's readable chats, and what in it cannot be read."""
    try:
        chats = chats_in_file(file)
    except MemprocError as trouble:
        return [], [UnusedFile(file.path, trouble.message)]
    readable: list[str] = []
    unused: list[UnusedFile] = []
    for chat in chats:
        chat_id = _readable_id(chat)
        if chat_id is None:
            reason = f'The chat "{cut_title(chat.title)}" in it cannot be read.'
            unused.append(UnusedFile(file.path, reason))
        else:
            readable.append(chat_id)
    return readable, unused


def chats_in_file(file: BackupFile) -> tuple[Chat, ...]:
    """Return all chats of a file.

    Raise FileTrouble where it is gone or damaged, NotAnExport where it is something else.
    """
    if file.version is None:
        return tuple(read_export(file.path).chats())
    try:
        content = read_version(file.version)
    except FileTrouble:
        version = as_its_file_says(file.version)
        if version is None:
            raise
        content = read_version(version)
    return chats_in(file.path.name, content)


def chat_in(file: BackupFile, chat_id: str) -> Chat:
    """Return the chat of that id in a file that has it. Raise as `chats_in_file` does."""
    return next(chat for chat in chats_in_file(file) if _readable_id(chat) == chat_id)


def updated_export(files: Sequence[BackupFile], chat_id: str) -> BackupFile | None:
    """Return the chat's updated export: the newest file named by its id, else a whole export.

    Files that `memproc expand` once wrote may be in the same folder, under other names.
    """
    ending = file_name("", chat_id).removeprefix("Untitled")
    newest_first = [file for file in reversed(files) if file.is_output]
    for file in newest_first:
        if file.path.name.endswith(ending):
            return file
    for file in newest_first:
        if len(chats_in_file(file)) > 1:
            return file
    return None


def _readable_id(chat: Chat) -> str | None:
    """Return the id of a chat whose messages can be read; None for others."""
    try:
        read_messages(chat)
    except ChatSkipped:
        return None
    return chat.id_if_any or None
