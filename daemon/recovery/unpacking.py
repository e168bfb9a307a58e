"""Take over a moving file on a new computer: all of it is proved first, then put in its places.

stage     every file beside its place, within its size, with its hash; the archive with its own check
aside     what stands in the places goes into a folder "before-import-<date>" there; nothing is deleted
place     backups, updated exports, copies, and the archive as the last

From its beginning to its end a note says that it is under way: after a kill no command works with a half of it, and
the import can be repeated.
"""

import shutil
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive, check
from daemon.archive.chats import known_chats
from daemon.archive.outputs import move_outputs
from daemon.archive.unfinished import begin_import, end_import, is_unfinished
from daemon.config.reading import parse
from daemon.files.lock import hold
from daemon.files.paths import Folders, archive_path
from daemon.files.write import file_errors, flush_folder, make_private, put_in_place, replace_file
from daemon.inbox.intake import copies_folder
from daemon.recovery.transfer import (
    ARCHIVE,
    ASIDE,
    FOLDERS,
    SETTINGS,
    STAGE,
    Entry,
    Manifest,
    content,
    manifest_of,
    opened,
    refused,
    without_hosts,
)
from rules.errors import ArchiveError, FileTrouble

_ROOM = 64 << 20


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything goes. `settings` is None where a memproc.toml counts already."""

    folders: Folders
    settings: Path | None

    def of(self, name: str) -> Path:
        """The folder that a file of this name goes to, or lies below."""
        if name == SETTINGS:
            return self.folders.state  # it is staged there; where it goes in the end is `settings`
        folder = name.split("/")[0]
        return {
            "backups": self.folders.backups,
            "updated": self.folders.updated,
            "arrivals": copies_folder(self.folders.state),
            ARCHIVE: self.folders.state,
        }[folder]


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What was taken over: chats in the archive, and the folders in which lies what was there before."""

    manifest: Manifest
    chats: int
    aside: tuple[Path, ...]
    settings: Path | None
    hosts: tuple[str, ...] = ()
    """The settings that name a host, and so were commented out in the memproc.toml that came along."""


def import_archive(places: Places, path: Path, now: str, *, replace: bool) -> TakenOver:
    """Put everything of a moving file in its place, or nothing.

    Raises FileTrouble where the file is damaged or no moving file, ArchiveError where an archive with chats stands
    there already and is not to be replaced, and Busy while another memproc, the daemon too, is at work.
    """
    state = places.folders.state
    for folder in (state, places.folders.backups, places.folders.updated, copies_folder(state)):
        make_private(folder)
    with hold(state / "lock"), hold(state / "daemon.lock", "looks after this archive"):
        again = is_unfinished(state)
        if not again:
            if not replace:
                _refuse_a_loss(state)
            _fold_log(state)
        stages = {name: places.of(name) / STAGE for name in (ARCHIVE, *FOLDERS)}
        begin_import(state, path)
        untouched = not again
        try:
            _clear(stages.values())
            with opened(path) as package:
                manifest = manifest_of(package)
                _refuse_a_full_disk(manifest, state)
                for entry in manifest.files:
                    _stage(package, entry, _staged(places, entry.name))
            try:
                chats = _prove(places, manifest)
            except sqlite3.Error as fault:
                raise refused("the archive in it is damaged, or none of memproc's") from fault
            own, hosts = _settings(places, manifest)
            untouched = False
            aside = tuple(_placed(places, manifest, stages, now, own))
            end_import(state)
        finally:
            _clear(stages.values())
            if untouched:
                end_import(state)
    return TakenOver(manifest, chats, aside, places.settings if own else None, hosts)


def _settings(places: Places, manifest: Manifest) -> tuple[bytes, tuple[str, ...]]:
    """The memproc.toml that is to be written, and what was commented out in it; empty where none is."""
    if places.settings is None or not _has_settings(manifest):
        return b"", ()
    own, hosts = without_hosts(_staged(places, SETTINGS).read_bytes())
    parse(own, places.settings)
    return own, hosts


def _refuse_a_loss(state: Path) -> None:
    with Archive.read(state) as archive:
        chats = len(known_chats(archive))
    if chats:
        raise ArchiveError(
            f"The archive in {state} has {chats:,} chats already, so nothing was taken over.",
            "To put it aside and take over the other one: memproc import-archive FILE --replace --yes",
        )


def _refuse_a_full_disk(manifest: Manifest, state: Path) -> None:
    free = shutil.disk_usage(state).free
    if manifest.size + _ROOM > free:
        raise FileTrouble(
            f"The file unpacks to {manifest.size:,} bytes, and {free:,} are free on the disk of {state}.",
            "Free some space there, then run this again. Nothing was changed.",
        )


def _staged(places: Places, name: str) -> Path:
    """Where a file waits until all are proved: below the folder that it goes to."""
    inside = name.split("/")[1:] or [name]
    return places.of(name).joinpath(STAGE, *inside)


def _stage(package: zipfile.ZipFile, entry: Entry, path: Path) -> None:
    make_private(path.parent)
    written = replace_file(path, content(package, entry))
    if (written.size, written.sha256) != (entry.size, entry.sha256):
        raise refused(f"{entry.name!r} in it is not what its list of contents says")


def _prove(places: Places, manifest: Manifest) -> int:
    """The archive is sound, and its accounts name this computer's folders from now on; how many chats it has."""
    with Archive.open(places.of(ARCHIVE) / STAGE) as archive:
        if faults := check(archive):
            raise refused(f"the archive in it is damaged ({faults[0]})")
        move_outputs(archive, places.folders.updated)
        archive.run("PRAGMA wal_checkpoint(TRUNCATE)")
        chats = len(known_chats(archive))
    if _has_settings(manifest):
        staged = _staged(places, SETTINGS)
        parse(staged.read_bytes(), places.settings or staged)
    return chats


def _placed(
    places: Places, manifest: Manifest, stages: Mapping[str, Path], now: str, settings: bytes
) -> Iterator[Path]:
    """Everything in its place, the archive as the last; the folders into which went what was there."""
    stamp = "".join(letter for letter in now if letter.isalnum())
    for name in FOLDERS:
        folder = places.of(name)
        there = [path for path in folder.iterdir() if path.name != STAGE and not path.name.startswith(ASIDE)]
        yield from _aside(folder, there, stamp)
        _move(sorted(stages[name].iterdir()) if stages[name].is_dir() else (), folder)
    if places.settings is not None and settings:
        make_private(places.settings.parent)
        replace_file(places.settings, [settings])
    state = places.folders.state
    yield from _aside(state, _whole_archive(state), stamp)
    _move([archive_path(stages[ARCHIVE])], state)


def _has_settings(manifest: Manifest) -> bool:
    return any(entry.name == SETTINGS for entry in manifest.files)


def _fold_log(state: Path) -> None:
    """Have the archive that is here in one file; where it is too damaged for that, it keeps its log beside it."""
    if archive_path(state).exists():
        with suppress(ArchiveError), Archive.open(state) as archive:
            archive.run("PRAGMA wal_checkpoint(TRUNCATE)")


def _whole_archive(state: Path) -> list[Path]:
    path = archive_path(state)
    return [one for one in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))) if one.exists()]


def _aside(folder: Path, there: Sequence[Path], stamp: str) -> Iterator[Path]:
    """Out of the way, and kept; the archive's own file goes last, so that its log is never left without it."""
    if there:
        aside = folder / f"{ASIDE}{stamp}"
        make_private(aside)
        _move(sorted(there, reverse=True), aside)
        yield aside


def _move(paths: Sequence[Path], folder: Path) -> None:
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
