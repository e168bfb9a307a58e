"""Which files a lost archive can be had back from, and which chats each of them shows; oldest first.

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
class Source:
    """A file that shows chats. `version` is None for one that is not in the backups."""

    path: Path
    kept_at: str
    version: Version | None
    is_output: bool
    """It stands among the updated exports."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file, or a chat in one, that could not be used, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of every chat, oldest first, by the chat's id; and those that could not be used."""

    of: dict[str, list[Source]]
    passed_over: tuple[PassedOver, ...]

    def is_of_its_own(self, chat_id: str) -> bool:
        """Whether the chat has been worked on, so that its original was kept; else it is only somebody's output."""
        return any(one.version is not None and one.version.chat_id == chat_id for one in self.of.get(chat_id, ()))


def find_sources(folders: Folders, more: Sequence[Path]) -> Sources:
    """Backups, updated exports, and the exports that the person names. Raises FileTrouble where a folder is unreadable.

    Chats that only a named export shows are none of memproc's yet.
    """
    passed_over = [
        PassedOver(folders.backups / INDEX, f"Line {line.number} cannot be read.")
        for line in read_index(folders.backups)
        if isinstance(line, UnreadableLine)
    ]
    found: dict[str, list[Source]] = {}
    ours: set[str] = set()
    for source in sorted(_all(folders, more), key=_age):
        try:
            chats = chats_of(source)
        except MemprocError as trouble:
            passed_over.append(PassedOver(source.path, trouble.message))
            continue
        for chat in chats:
            chat_id = _readable_id(chat)
            if chat_id is None:
                passed_over.append(PassedOver(source.path, f'The chat "{chat.title}" in it cannot be read.'))
                continue
            if source not in (held := found.setdefault(chat_id, [])):
                held.append(source)
            if source.version is not None or source.is_output:
                ours.add(chat_id)
    return Sources({chat_id: held for chat_id, held in found.items() if chat_id in ours}, tuple(passed_over))


def chats_of(source: Source) -> tuple[Chat, ...]:
    """All chats of a file. Raises FileTrouble where it is gone or damaged, NotAnExport where it is something else."""
    if source.version is None:
        return tuple(read_export(source.path).chats())
    return chats_in(source.path.name, read_version(source.version))


def chat_in(source: Source, chat_id: str) -> Chat:
    """The chat of that id in a file that has it. Raises as `chats_of` does."""
    return next(chat for chat in chats_of(source) if _readable_id(chat) == chat_id)


def output_of(chat: Chat, sources: Sequence[Source]) -> Source | None:
    """The updated export of a chat: the newest that bears its id in its name, else one of several chats.

    What `memproc expand` wrote may lie in the same folder, under another name.
    """
    ending = file_name("", chat.chat_id).removeprefix("Untitled")
    outputs = [one for one in sources if one.is_output]
    named = [one for one in outputs if one.path.name.endswith(ending)]
    together = [one for one in outputs if len(chats_of(one)) > 1]
    return next(reversed(named or together), None)


def _all(folders: Folders, more: Iterable[Path]) -> list[Source]:
    kept = (version for held in all_versions(folders.backups).values() for version in held)
    found = [Source(one.path, one.written_at, one, is_output=False) for one in kept]
    updated = exports_in(folders.updated) if folders.updated.is_dir() else ()
    found += [Source(path, _changed_at(path), None, is_output=True) for path in updated]
    named = [path for one in more for path in exports_in(one)]
    return found + [Source(path, _changed_at(path), None, is_output=False) for path in named]


def _age(source: Source) -> tuple[bool, str, bool, str]:
    """What stands among the updated exports is the newest of its chat, whatever the clock said of it."""
    is_original = source.version is not None and source.version.kind == "original"
    return source.is_output, source.kept_at, not is_original, str(source.path)


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
