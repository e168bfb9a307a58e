"""Take over a parcel on a new computer: all of it is proved first, then put in its places.

stage     every file beside its place, within its size, with its hash; the archive with its own check
aside     what stands in the places goes into a folder "before-import-<date>" there; nothing is deleted
place     backups, updated exports, copies, and the archive as the last

From its beginning to its end a note says that it is under way: after a kill no command works with a half of it, and
the import can be repeated.
"""

import shutil
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive, check
from daemon.archive.chats import known_chats
from daemon.archive.outputs import move_outputs
from daemon.archive.seals import begin_import, end_import, is_unfinished
from daemon.config.loading import parse
from daemon.files.lock import hold
from daemon.files.paths import Folders, archive_path
from daemon.files.removal import STAGE
from daemon.files.write import file_errors, flush_folder, make_private, put_in_place, replace_file
from daemon.recovery.parcel import (
    ARCHIVE,
    ASIDE,
    SETTINGS,
    Manifest,
    PackedFile,
    content,
    opened,
    places,
    refused,
    without_hosts,
)
from rules.errors import ArchiveError, FileTrouble

_ROOM = 64 << 20


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was taken over: chats in the archive, and the folders in which lies what was there before."""

    manifest: Manifest
    chats: int
    aside: tuple[Path, ...]
    settings: Path | None
    """The memproc.toml that was written; None where one counts already, or none came along."""
    hosts: tuple[str, ...]
    """The settings that name a host, and so were commented out in that memproc.toml."""


def import_archive(
    folders: Folders, path: Path, now: str, *, settings: Path | None = None, replace: bool = False
) -> Unpacked:
    """Put everything of a parcel in its place, or nothing; `settings` is where its memproc.toml goes, if anywhere.

    Raises FileTrouble where the file is damaged or no parcel, ArchiveError where an archive with chats stands
    there already and is not to be replaced, and Busy while another memproc, the daemon too, is at work.
    """
    state = folders.state
    for folder in (state, *places(folders).values()):
        make_private(folder)
    with hold(state / "lock"), hold(state / "daemon.lock", "is at work with this archive"):
        is_repeated = is_unfinished(state)
        if not is_repeated:
            if not replace:
                _refuse_a_loss(state)
            _fold_log(state)
        begin_import(state, path)
        is_untouched = not is_repeated
        stages = [folder / STAGE for folder in (state, *places(folders).values())]
        try:
            _clear(stages)
            manifest = _staged(folders, path)
            chats = _proved(folders)
            own, hosts = _own_settings(state, settings)
            is_untouched = False
            aside = tuple(_put_in_places(folders, settings if own else None, own, now))
            end_import(state)
        finally:
            _clear(stages)
            if is_untouched:
                end_import(state)
    return Unpacked(manifest, chats, aside, settings if own else None, hosts)


def _refuse_a_loss(state: Path) -> None:
    with Archive.read(state) as archive:
        chats = len(known_chats(archive))
    if chats:
        raise ArchiveError(
            f"The archive in {state} has {chats:,} chats already, so nothing was taken over.",
            "To put it aside and take over the other one: memproc import-archive FILE --replace --yes",
        )


def _fold_log(state: Path) -> None:
    """Have the archive that is here in one file; where it is too damaged for that, it keeps its log beside it."""
    if archive_path(state).exists():
        with suppress(ArchiveError), Archive.open(state) as archive:
            archive.run("PRAGMA wal_checkpoint(TRUNCATE)")


def _staged(folders: Folders, path: Path) -> Manifest:
    """Unpack every file beside its place, and prove its size and hash."""
    with opened(path) as (package, manifest):
        free = shutil.disk_usage(folders.state).free
        if manifest.size + _ROOM > free:
            raise FileTrouble(
                f"The file unpacks to {manifest.size:,} bytes, and {free:,} are free on the disk of {folders.state}.",
                "Free some space there, then run this again. Nothing was changed.",
            )
        for entry in manifest.files:
            _stage(folders, package, entry)
    return manifest


def _stage(folders: Folders, package: zipfile.ZipFile, entry: PackedFile) -> None:
    folder, _, inside = entry.name.partition("/")
    path = places(folders)[folder] / STAGE / inside if inside else folders.state / STAGE / entry.name
    make_private(path.parent)
    written = replace_file(path, content(package, entry))
    if (written.size, written.sha256) != (entry.size, entry.sha256):
        raise refused(f"{entry.name!r} in it is not what its list of contents says")


def _proved(folders: Folders) -> int:
    """Prove the staged archive, and have its accounts name this computer's folders; how many chats it has."""
    try:
        with Archive.open(folders.state / STAGE) as archive:
            if faults := check(archive):
                raise refused(f"the archive in it is damaged ({faults[0]})")
            move_outputs(archive, folders.updated)
            archive.run("PRAGMA wal_checkpoint(TRUNCATE)")
            return len(known_chats(archive))
    except sqlite3.Error as fault:
        raise refused("the archive in it is damaged, or none of memproc's") from fault


def _own_settings(state: Path, path: Path | None) -> tuple[bytes, tuple[str, ...]]:
    """The memproc.toml that is to be written to `path`, and what was commented out in it; empty where none is.

    Raises ConfigurationError where the one that came along cannot be used.
    """
    staged = state / STAGE / SETTINGS
    if not staged.exists():
        return b"", ()
    parse(staged.read_bytes(), path or staged)
    if path is None:
        return b"", ()
    own, hosts = without_hosts(staged.read_bytes())
    parse(own, path)
    return own, hosts


def _put_in_places(folders: Folders, settings: Path | None, own: bytes, now: str) -> Iterator[Path]:
    """Put everything in its place, the archive as the last; yields the folders into which went what was there."""
    stamp = "".join(letter for letter in now if letter.isalnum())
    for folder in places(folders).values():
        before = [path for path in folder.iterdir() if path.name != STAGE and not path.name.startswith(ASIDE)]
        yield from _aside(folder, before, stamp)
        _move(sorted((folder / STAGE).iterdir()) if (folder / STAGE).is_dir() else (), folder)
    if settings is not None:
        make_private(settings.parent)
        replace_file(settings, [own])
    path = archive_path(folders.state)
    whole = [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))]
    yield from _aside(folders.state, [file for file in whole if file.exists()], stamp)
    _move([folders.state / STAGE / ARCHIVE], folders.state)


def _aside(folder: Path, before: Iterable[Path], stamp: str) -> Iterator[Path]:
    """Move what was there out of the way; the archive's own file last, so that its log is never left without it."""
    if paths := sorted(before, reverse=True):
        aside = folder / f"{ASIDE}{stamp}"
        make_private(aside)
        _move(paths, aside)
        yield aside


def _move(paths: Iterable[Path], folder: Path) -> None:
    for path in paths:
        with file_errors(folder / path.name, "written"):
            put_in_place(path, folder / path.name)
    with file_errors(folder, "written"):
        flush_folder(folder)


def _clear(stages: Iterable[Path]) -> None:
    for stage in stages:
        with file_errors(stage, "removed"):
            if stage.exists():
                shutil.rmtree(stage)
