"""Find the entries of a folder that may be exports: regular files, and ZIPs that were unpacked.

Safari unpacks a ZIP when it downloads it, so a folder that holds an index is read like its ZIP.
Other files that a person may have dropped are reported, with what they look like.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from daemon.files.private import make_private
from daemon.files.reasons import remedy
from daemon.files.write import replace_file
from rules.arrival import Sighting
from rules.errors import FileTrouble
from rules.typingmind.foreign_files import ENOUGH, looks_like

ENDINGS = (".json", ".zip")
INDEX = "data.json"
_INDEXES = (INDEX, "conversations.json")
"""Files at the top of an unpacked ZIP: of TypingMind, then of ChatGPT, Claude and DeepSeek."""
_PARTS = "chunks"
"""The folder in which TypingMind puts the parts of a large export."""
MOST_ENTRIES = 20_000
"""The most files of a ZIP, or of the folder that it was unpacked to."""
SAMPLE_FILE = "memproc-sample.json"
# Endings of files that are still arriving; Safari downloads into a folder with such an ending.
_ARRIVING = (".part", ".partial", ".crdownload", ".download", ".tmp", ".temp")
_OF_SYSTEMS = frozenset({"thumbs.db", "desktop.ini", "icon\r"})
# Folders that file servers and packers put among the person's own.
_FOREIGN = frozenset(
    {"@eadir", "__macosx", "#recycle", "$recycle.bin", "system volume information", "lost+found"}
)
_IN_THE_CLOUD = "it is in the cloud, not on this disk"
# macOS leaves a hidden file of such a name for a file that is in the cloud only.
_AWAY = tuple(f"{ending}.icloud" for ending in ENDINGS)
# Windows: OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS. macOS: SF_DATALESS.
_WINDOWS_AWAY = 0x1000 | 0x40000 | 0x400000
_MACOS_AWAY = 0x40000000

# SQLite's integers are signed; inode numbers of some file systems are not.
_LARGEST_NUMBER = (1 << 63) - 1

LARGEST_BYTES = 512 << 20
"""The most bytes of a JSON text, or a ZIP's texts together; TypingMind takes ZIPs of 512 MB."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file or folder that may be an export, still unread; see `is_named_as_export`."""

    path: str
    sighting: Sighting


@dataclass(frozen=True, slots=True)
class UnusableFile:
    """A file that might be an export, but cannot be used as it is."""

    path: str
    reason: str


def has_ending(path: str) -> bool:
    """Return whether the file is named as exports are; if not, `what_it_is` looks inside."""
    return path.casefold().endswith(ENDINGS)


def is_named_as_export(path: str) -> bool:
    """Return whether a candidate is named as exports are, or is a folder, which holds one."""
    return has_ending(path) or Path(path).is_dir()


def export_parts(folder: Path) -> tuple[Path, ...]:
    """Return the files that a ZIP was unpacked to: its index, then the index's parts.

    Return none where the folder holds no index. Links are not followed, be it the folder or in it.
    Raise OSError.
    """
    if folder.is_symlink() or not folder.is_dir():
        return ()
    indexes = [folder / name for name in _INDEXES]
    index = next((path for path in indexes if path.is_file() and not path.is_symlink()), None)
    inside = folder / _PARTS
    if index is None or index.name != INDEX or inside.is_symlink() or not inside.is_dir():
        return (index,) if index else ()
    with os.scandir(inside) as entries:
        parts = (
            Path(entry.path)
            for entry in entries
            if has_ending(entry.name) and entry.is_file(follow_symlinks=False)
        )
        return (index, *sorted(islice(parts, MOST_ENTRIES + 1)))


def candidates(folder: Path, subfolders: bool = False) -> Iterator[Candidate | UnusableFile]:
    """Yield what may be exports in a folder, files and unpacked ZIPs, and what else was dropped.

    Links are not followed, so that nothing outside the folder is ever read. Raise OSError where the
    folder itself cannot be listed; a sub-folder that cannot be listed is yielded as unusable.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.casefold()
            if name.startswith(".") and name.endswith(_AWAY):
                yield UnusableFile(entry.path, _IN_THE_CLOUD)
            if name.startswith("."):
                continue
            if not name.endswith((*_ARRIVING, "~")) and name not in _OF_SYSTEMS:
                yield from _file(entry.path)
            is_open_to_us = not name.endswith(_ARRIVING) and name not in _FOREIGN
            if is_open_to_us and entry.is_dir(follow_symlinks=False):
                yield from (_subfolder if subfolders else _unpacked)(entry.path)


def _subfolder(path: str) -> Iterator[Candidate | UnusableFile]:
    try:
        yield from candidates(Path(path), subfolders=True)
    except FileNotFoundError:
        return  # removed meanwhile
    except OSError as error:
        yield UnusableFile(path, f"the folder cannot be read: {error.strerror}")


def _unpacked(path: str) -> Iterator[Candidate | UnusableFile]:
    """Yield a folder that is read like its ZIP; any other folder is ignored."""
    try:
        parts = export_parts(Path(path))
        if parts:
            yield _looked_at(path, parts[0].lstat(), sighting_at(Path(path)))
    except OSError:
        return  # it cannot be read, or was removed meanwhile


def _file(path: str) -> Iterator[Candidate | UnusableFile]:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        yield UnusableFile(path, f"it cannot be looked at: {error.strerror}")
        return
    if stat.S_ISREG(status.st_mode):
        yield _looked_at(path, status)


def _looked_at(
    path: str, status: os.stat_result, sighting: Sighting | None = None
) -> Candidate | UnusableFile:
    """Return a candidate, unless its name is not UTF-8, or its content is in the cloud only.

    `sighting` is None where `status` is that of the candidate itself.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        # Linux allows any bytes in a name; the archive and our sentences need text.
        return UnusableFile(ascii(path), "its name is not written in UTF-8: give it another")
    attributes, flags = getattr(status, "st_file_attributes", 0), getattr(status, "st_flags", 0)
    if attributes & _WINDOWS_AWAY or flags & _MACOS_AWAY:
        # Reading it would make the system download it, or fail.
        return UnusableFile(path, _IN_THE_CLOUD)
    return Candidate(path, sighting or sighting_of(status))


def sighting_at(path: Path) -> Sighting:
    """Return the place and size of a file, or of all that a ZIP was unpacked to. Raise OSError.

    Links are not followed.
    """
    sightings = [sighting_of(part.lstat()) for part in export_parts(path) or (path,)]
    size = sum(sighting.size for sighting in sightings)
    return replace(
        sightings[0], size=size, mtime_ns=max(sighting.mtime_ns for sighting in sightings)
    )


def sighting_of(status: os.stat_result) -> Sighting:
    """Return a file's place and size, in numbers that the archive can store."""
    return Sighting(
        status.st_dev & _LARGEST_NUMBER,
        status.st_ino & _LARGEST_NUMBER,
        status.st_size,
        status.st_mtime_ns,
    )


def what_it_is(path: Path) -> tuple[str, str]:
    """Return what a file is that is not named as exports are, and what to do, as two sentences.

    Raise OSError.
    """
    with open_file(path) as file:
        head = file.read(ENOUGH)
    if foreign := looks_like(head):
        return f"{path.name} is {foreign.what}.", foreign.step_for(path.name)
    return (
        f"{path.name} {'has a name that does not end in .json or .zip' if head else 'is empty'}.",
        "If it is an export, give it the name back that it had in TypingMind.",
    )


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading, without following a link or waiting for a pipe. Raise OSError."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    return os.fdopen(os.open(path, flags), "rb")


def others_in(folder: Path) -> tuple[tuple[Path, str, str], ...]:
    """Return the files of a folder that are not processed, each with the reason and what to do.

    Return none where the folder cannot be listed.
    """
    unprocessed = []
    try:
        for entry in candidates(folder):
            match entry:
                case Candidate(path) if not is_named_as_export(path):
                    unprocessed.append((Path(path), *_describe_unprocessed(Path(path))))
                case UnusableFile(path, reason):
                    sentence = f"{Path(path).name} cannot be used: {reason}."
                    unprocessed.append((Path(path), sentence, "Mend that, then try again."))
    except OSError:
        return ()
    return tuple(sorted(unprocessed))


def _describe_unprocessed(path: Path) -> tuple[str, str]:
    """Return what a file is and what to do, or why it cannot be read."""
    try:
        return what_it_is(path)
    except OSError as error:
        next_step = remedy(error, "Allow memproc's user to read it.")
        return f"{path.name} cannot be read: {error.strerror}.", next_step


def exports_in(path: Path) -> tuple[Path, ...]:
    """Return `path` itself, or the exports of a folder in the order of their dates.

    So a chat's newest copy comes last. Files that `candidates` finds unusable are left out. Raise
    FileTrouble.
    """
    try:
        if not path.is_dir():
            return (path,)
        exports = [
            file
            for file in candidates(path)
            if isinstance(file, Candidate) and is_named_as_export(file.path)
        ]
    except OSError as fault:
        raise FileTrouble(
            f"The folder {path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Allow memproc's user to read it, then try again."),
        ) from fault
    return tuple(
        Path(entry.path)
        for entry in sorted(exports, key=lambda entry: (entry.sighting.mtime_ns, entry.path))
    )


def describe_unpacked(inbox: Path) -> Iterator[tuple[str, str]]:
    """Yield each folder in the inbox that is read like its ZIP, and a sentence that says so."""
    try:
        for entry in candidates(inbox):
            path = Path(entry.path)
            if isinstance(entry, Candidate) and path.is_dir():
                name = path.name
                yield name, f"{name} is a folder, and is read like the ZIP that was unpacked to it."
    except OSError:
        return


def sample() -> bytes:
    """Return the sample conversation: ten weeks of Nessa and Aria, one export of one chat."""
    return Path(__file__).with_name("sample.json").read_bytes()


def put_sample(inbox: Path) -> Path:
    """Put the sample into the inbox, as if it had been dropped there, and return where.

    Raise FileTrouble.
    """
    make_private(inbox)
    path = inbox / SAMPLE_FILE
    replace_file(path, [sample()])
    return path
