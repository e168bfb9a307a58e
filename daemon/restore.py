"""Have a kept version back, or the whole raw conversation; what stands in their place is kept first (D2)."""

from dataclasses import dataclass
from pathlib import Path

from daemon.archive.chats import KnownChat
from daemon.archive.messages import whole
from daemon.archive.outputs import Output, last_output, record_output
from daemon.deliver import chat_container
from daemon.files.backup import Version, keep_version, read_version, versions
from daemon.files.folders import make_private
from daemon.files.write import Written, replace_file
from daemon.house import House
from daemon.paths import Folders
from rules.errors import FileTrouble, NotFound
from rules.output.naming import file_name


@dataclass(frozen=True, slots=True)
class Restorable:
    """A version, its bytes, where it would go, and the bytes that stand there now (None: nothing does)."""

    version: Version
    content: bytes
    path: Path
    now: bytes | None


def find_version(folders: Folders, chat: KnownChat, number: int, path: Path) -> Restorable:
    """The kept version of that number. Raises NotFound, or FileTrouble where it is damaged."""
    kept = versions(folders.backups, chat.chat_id)
    found = next((version for version in kept if version.number == number), None)
    if found is None:
        raise NotFound(
            f'There is no version {number} of "{chat.title}"; there are {len(kept)}.',
            f"List them with: memproc versions {chat.chat_id}",
        )
    return Restorable(found, read_version(found), path, _read(path))


def updated_path(house: House, chat: KnownChat) -> Path:
    """Where the chat's updated export stands, or would stand."""
    last = last_output(house.archive, chat.chat_id)
    if last is not None and Path(last.path).parent == house.folders.updated:
        return Path(last.path)
    return house.folders.updated / file_name(chat.title, chat.chat_id)


def restore(house: House, chat: KnownChat, wanted: Restorable) -> Written:
    """Put the version in the updated export's place. The present one becomes a version; nothing is pruned."""
    now = house.clock()
    if wanted.now is not None:
        keep_version(house.folders.backups, chat.chat_id, chat.title, wanted.path.stem, wanted.path, now)
    make_private(wanted.path.parent)
    written = replace_file(wanted.path, [wanted.content])
    record_output(
        house.archive,
        Output(chat.chat_id, str(wanted.path), written.sha256, "restored", wanted.version.sha256, now),
    )
    return written


def expand(house: House, chat: KnownChat, path: Path) -> Written:
    """Write the full raw conversation as an export that TypingMind imports. Raises FileTrouble if `path` exists."""
    if path.exists():
        raise FileTrouble(f"{path} exists already.", "Name another file with --output, or move that one away.")
    found = whole(house.archive, chat.chat_id)
    make_private(path.parent)
    return replace_file(path, [chat_container(found.head + b",".join(found.messages) + found.tail)])


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
