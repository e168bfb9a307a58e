"""Import a parcel on a new computer: check all of it first, then move it into place.

    stage     unpack every file next to its place, check its size and hash; check the archive
    aside     move what is there to a folder "before-import-<date>"; nothing is deleted
    place     move backups, updated exports and copies into place, and at last the archive

Meanwhile a note says that an import is under way: after a kill no command works with half of it,
and the import can be repeated.
"""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import tomli
import tomlkit

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import known_chats
from daemon.archive.outputs import move_outputs
from daemon.archive.row_lines import store_lines
from daemon.archive.trouble import begin_import, end_import, is_unfinished
from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from daemon.files.lock import daemon_lock, hold
from daemon.files.paths import Folders, archive_path, free_place
from daemon.files.private import flush_folder, make_private
from daemon.files.reasons import file_errors
from daemon.files.removal import STAGE
from daemon.files.write import put_in_place, replace_file, sweep
from daemon.models.hosts import host_of, names_a_host
from daemon.recovery.parcel import ARCHIVE, ASIDE, SETTINGS, content, map_places, opened, refused
from rules.errors import ArchiveError, FileTrouble
from rules.wording import counted

_ROOM = 64 << 20
_ASKED = frozenset({"agent", "context_manager", "fallback", "embedding"})
"""Settings that name a model, where LiteLLM also takes an address."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The number of chats in the imported archive, and the folders with what was there before."""

    chats: int
    aside: tuple[Path, ...]
    settings: Path | None
    """The memproc.toml that was written; None if there was one already, or the parcel has none."""
    commented_out: tuple[str, ...]
    """The settings that were commented out in it, each with the reason."""


def import_archive(
    folders: Folders, path: Path, now: str, *, settings: Path | None = None
) -> Unpacked:
    """Move everything of a parcel into place, or nothing.

    `settings` is the path for its memproc.toml, or None. Raise FileTrouble where the file is
    damaged or not a parcel, ConfigurationError where its settings cannot be used, ArchiveError
    where the archive here has chats already, and Busy while another memproc, or the daemon, is at
    work.
    """
    state = folders.state
    shelves = [*map_places(folders).values(), state]
    for folder in shelves:
        make_private(folder)
    with hold(state / "lock"), hold(daemon_lock(state), "is at work with this archive"):
        if not is_unfinished(state):
            _refuse_in_use(state)
            if archive_path(state).exists():
                with Archive.open(state) as archive:
                    archive.fold_log()
        try:
            _clear(shelves)
            _stage(folders, path)
            chats = _build_archive(folders, path.name)
            own, commented_out = _own_settings(state, settings)
            begin_import(state, path)
            if settings and own:
                make_private(settings.parent)
                replace_file(settings, [own])
            aside = tuple(_put_in_places(folders, now))
            end_import(state)
        finally:
            _clear(shelves)
    return Unpacked(chats, aside, settings if own else None, commented_out)


def _refuse_in_use(state: Path) -> None:
    """Raise ArchiveError if the archive here has chats, or cannot be read."""
    next_step = (
        f"To take over the other one, first move the folder {state} elsewhere; "
        "then run this again. "
        "What lies in the folders of backups and updated exports is put aside by itself."
    )
    try:
        with Archive.read(state) as archive:
            chats = len(known_chats(archive))
    except ArchiveError as fault:
        raise ArchiveError(f"{fault.message} So nothing was taken over.", next_step) from fault
    if chats:
        raise ArchiveError(
            f"The archive in {state} has {counted(chats, 'chat')} already, "
            "so nothing was taken over.",
            next_step,
        )


def _clear(folders: Iterable[Path]) -> None:
    """Remove the stages of an import, and the unfinished files of a killed one."""
    for folder in folders:
        sweep(folder)
        stage = folder / STAGE
        with file_errors(stage, "removed"):
            if stage.exists():
                shutil.rmtree(stage)


def _stage(folders: Folders, path: Path) -> None:
    """Unpack every file into a stage in the folder that it is for, and check its size and hash.

    Raise FileTrouble where the disk has no room for all of it and for the work itself.
    """
    with opened(path) as (package, manifest):
        free = shutil.disk_usage(folders.state).free
        if manifest.size + _ROOM > free:
            raise FileTrouble(
                f"The file unpacks to {manifest.size:,} bytes, and memproc wants {_ROOM:,} more "
                f"for its work. On the disk of {folders.state} {free:,} are free.",
                "Free some space there, then run this again. Nothing was changed.",
            )
        for entry in manifest.files:
            folder, _, inside = entry.name.partition("/")
            place = map_places(folders).get(folder, folders.state)
            staged = place / STAGE / (inside or entry.name)
            make_private(staged.parent)
            written = replace_file(staged, content(package, entry))
            if (written.size, written.sha256) != (entry.size, entry.sha256):
                raise refused(f"{entry.name!r} in it is not what its list of contents says")


def _build_archive(folders: Folders, name: str) -> int:
    """Build an archive from the staged rows, check it, and set the paths in it.

    Return its number of chats.

    `name` is the parcel's.
    """
    stage = folders.state / STAGE
    try:
        with (
            file_errors(stage, "read"),
            (stage / ARCHIVE).open("rb") as lines,
            Archive.open(stage) as archive,
        ):
            store_lines(archive, lines)
            if faults := check_integrity(archive):
                raise refused(f"the archive in it is damaged ({faults[0]})", name)
            move_outputs(archive, folders.updated)
            archive.fold_log()
            return len(known_chats(archive))
    except ArchiveError as fault:
        reason = f"its archive cannot be used. {fault.message.removesuffix('.')}"
        raise refused(reason, name) from fault


def _own_settings(state: Path, path: Path | None) -> tuple[bytes, tuple[str, ...]]:
    """Return memproc.toml's content for `path`, and the settings commented out; empty if none.

    A setting that would send a key to a host, or names a folder of the other computer, gets a # in
    front, since the person has not agreed to it here. Without such settings the file stays as it
    is, byte for byte. It is checked even if it is not written. Raise ConfigurationError.
    """
    staged = state / STAGE / SETTINGS
    if not staged.exists():
        return b"", ()
    content, place = staged.read_bytes(), path or staged
    parse_settings(content, place)
    tables = tomli.loads(content.decode("utf-8-sig"))
    mark = f"not from here {sha256(content).hexdigest()}"
    names: list[str] = []
    marked = _marked(tables, (), mark, names)
    if names:
        pairs = zip(
            tomlkit.dumps(tables).split("\n"), tomlkit.dumps(marked).split("\n"), strict=True
        )
        lines = (
            f"#{line}\n" if mark in marked_line else f"{line}\n" for line, marked_line in pairs
        )
        content = "".join(lines).encode()
        parse_settings(content, place)
    return (content, tuple(names)) if path else (b"", ())


def _marked(value: Any, place: tuple[str, ...], mark: str, names: list[str]) -> Any:
    """Return the settings with `mark` for each value that must not apply here; `names` gets it."""
    match value:
        case dict():
            return {
                name: _marked(inner, (*place, name), mark, names) for name, inner in value.items()
            }
        case list():
            return [_marked(inner, place, mark, names) for inner in value]
        case str() if (reason := _why_not_here(place, value)) is not None:
            names.append(f"{'.'.join(place)} ({reason})")
            return mark
    return value


def _why_not_here(place: tuple[str, ...], value: str) -> str | None:
    """Return why a setting must not apply here: the host or the folder that it names.

    None if it may.
    """
    if "options" in place:
        inside = place[place.index("options") + 1 :]
        return host_of(value) if names_a_host(inside, value) else None
    if place[-1] in _ASKED and "://" in value:
        return host_of(value.partition("/")[2])
    # A default folder is valid on every computer.
    is_own = place[0] == "folders" and value != Config().folders.model_dump().get(place[-1])
    if value and (is_own or place[-2:] == ("texts", "folder")):
        return "a folder of the other computer"
    return None


def _put_in_places(folders: Folders, now: str) -> Iterator[Path]:
    """Move everything into place, the archive last.

    Yield the folders with what was there before.
    """
    state = folders.state
    stamp = "".join(letter for letter in now if letter.isalnum())
    for folder in map_places(folders).values():
        was_there = [
            path
            for path in folder.iterdir()
            if path.name != STAGE and not path.name.startswith(ASIDE)
        ]
        yield from _aside(folder, was_there, stamp)
        stage = folder / STAGE
        staged = sorted(stage.iterdir()) if stage.is_dir() else []
        _move(staged, folder)
    archive = archive_path(state)
    ours = [archive.with_name(f"{archive.name}{ending}") for ending in ("-wal", "-shm", "")]
    yield from _aside(state, [path for path in ours if path.exists()], stamp)
    _move([archive_path(state / STAGE)], state)


def _aside(folder: Path, before: Iterable[Path], stamp: str) -> Iterator[Path]:
    """Move what was there into a new folder.

    The archive's file is moved after its write-ahead log.
    """
    if paths := sorted(before, reverse=True):
        # The name may be taken, if a killed import is repeated after the clock was set back.
        aside = free_place(folder, f"{ASIDE}{stamp}")
        make_private(aside)
        _move(paths, aside)
        yield aside


def _move(paths: Iterable[Path], folder: Path) -> None:
    """Move files into a folder, and flush it, so that a power cut loses none."""
    for path in paths:
        place = folder / path.name
        with file_errors(place, "written"):
            put_in_place(path, place)
    with file_errors(folder, "written"):
        flush_folder(folder)
