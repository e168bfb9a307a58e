"""Cut the power: lose what was not flushed, as a file system may lose it.

This is done in two ways. A model of a disk carries out the calls that the shim has logged, and loses what was not flushed:

    flushed    only flushed names and bytes are left
    names      all names are left, but only the flushed bytes: a file may be empty
    some-N     a part of what was not flushed is left, chosen by chance N

And with a real file system: the command is killed at the call, and the disk image is copied before the system has written
back what it holds in memory. Mounting the copy replays the journal of the file system.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.faults import oracle
from tests.faults.point import Point
from tests.faults.prepared import LoggedCall, Prepared, Series
from tests.faults.shim import Act, Fault

NAME = "power"
_SCENES = (
    "run",
    "second-round",
    "new-chat",
    "two-chats",
    "restore",
    "rebuild",
    "import-archive",
    "intake",
)
_MODELS = ("flushed", "names", *(f"some-{number}" for number in range(3)))
_DISKS = {
    "ext4": ("ext4", "loop", "192M"),
    "ext4-noauto": ("ext4", "loop,noauto_da_alloc", "192M"),
    "xfs": ("xfs", "loop,nouuid", "320M"),
}
_REBUILT = "-shm"
"""The ending of the file that SQLite rebuilds from the log: it is shared memory, and never flushed."""


@dataclass(slots=True)
class Inode:
    """A file: its flushed content, and the one that programs see."""

    flushed: bytes = b""
    seen: bytes = b""
    waiting: list[LoggedCall] = field(default_factory=list)
    """The calls that have changed it since it was flushed."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """Names that change at once, as when a folder is renamed with all that is in it."""

    folder: str
    """The folder whose flush makes the change durable."""
    names: dict[str, Inode | None]
    """The file that each name has since, if any."""


class ModelDisk:
    """The files below a folder as programs see them, and as they would be after a power cut."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._folders = {str(path) for path in home.rglob("*") if path.is_dir()}
        self._seen = {
            str(path): Inode(path.read_bytes(), path.read_bytes())
            for path in home.rglob("*")
            if path.is_file()
        }
        self._names: dict[str, Inode] = dict(self._seen)
        """The names that have been flushed."""
        self._by_path = dict(self._seen)
        """The file that was last opened by a path, which may have another name by now."""
        self._waiting: list[Renaming] = []
        """What has not been flushed of them, in its order."""

    def carry_out(self, call: LoggedCall) -> None:
        """Carry out one system call."""
        match call.name:
            case "create":
                self._by_path[call.path] = Inode()
                self._name(call.path, self._by_path[call.path])
            case "rename":
                self._rename(call.path, call.other)
            case "remove":
                self._folders.discard(call.path)
                self._name(call.path, None)
            case "folder":
                self._folders.add(call.path)
            case "write" | "cut":
                inode = self._by_path[call.path]
                inode.seen = changed(inode.seen, call)
                inode.waiting.append(call)
            case "flush":
                self._flush(call.path)

    def after(self, how: str) -> dict[str, bytes]:
        """Return the files, by path, as they would be after a power cut now."""
        chance = Random(how)
        names = dict(self._names)
        for renaming in self._waiting:
            if how == "flushed" or (how != "names" and chance.random() < 0.5):
                break  # a journal keeps the order of names
            _set(names, renaming)
        files: dict[str, bytes] = {}
        for name, inode in names.items():
            files[name] = inode.flushed
            for call in inode.waiting if how.startswith("some") else ():
                if chance.random() < 0.5:
                    files[name] = changed(files[name], call)
        return files

    @property
    def folders(self) -> set[str]:
        """Return all folders: whatever makes one must flush its parent at once, or may lose its content."""
        return self._folders

    def _name(self, path: str, inode: Inode | None) -> None:
        self._change(Renaming(str(Path(path).parent), {path: inode}))

    def _change(self, renaming: Renaming) -> None:
        _set(self._seen, renaming)
        self._waiting.append(renaming)

    def _rename(self, old: str, new: str) -> None:
        names: dict[str, Inode | None] = {}
        for path in [path for path in self._seen if path == old or path.startswith(f"{old}/")]:
            moved = new + path[len(old) :]
            self._by_path[moved] = self._seen[path]
            names |= {path: None, moved: self._seen[path]}
        self._change(Renaming(str(Path(new).parent), names))
        for folder in [
            folder for folder in self._folders if folder == old or folder.startswith(f"{old}/")
        ]:
            self._folders.add(new + folder[len(old) :])
            self._folders.discard(folder)

    def _flush(self, path: str) -> None:
        """Flush the names in a folder, or the content of a file."""
        if path in self._folders or path == self._home:
            for renaming in self._waiting:
                if renaming.folder == path:
                    _set(self._names, renaming)
            self._waiting = [renaming for renaming in self._waiting if renaming.folder != path]
        elif inode := self._by_path.get(path):
            inode.flushed, inode.waiting = inode.seen, []


def changed(content: bytes, call: LoggedCall) -> bytes:
    """Return the content after a call that writes or truncates."""
    if call.name == "cut":
        return content[: call.offset].ljust(call.offset, b"\0")
    return (
        content[: call.offset].ljust(call.offset, b"\0")
        + call.data
        + content[call.offset + len(call.data) :]
    )


def _set(names: dict[str, Inode], renaming: Renaming) -> None:
    for name, inode in renaming.names.items():
        if inode is None:
            names.pop(name, None)
        else:
            names[name] = inode


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield a point after each call that changes something, in each way."""
    numbers = sorted({call.number for call in prepared.calls if not call.path.endswith(_REBUILT)})
    for how in (*_MODELS, *(disk for disk in _DISKS if not no_disk(disk))):
        for number in numbers:
            yield Point(NAME, prepared.scene.name, number, how)


def no_disk(disk: str) -> str:
    """Return why there is no such disk here; "" where there is."""
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        return "a file system of one's own needs root and loop devices"
    return "" if shutil.which(f"mkfs.{_DISKS[disk][0]}") else f"there is no mkfs.{_DISKS[disk][0]}"


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Cut the power there, and go on; yield what is wrong."""
    asked = tuple(
        key
        for key, at in zip(prepared.unharmed.asked, prepared.unharmed.asked_at, strict=True)
        if at < point.number
    )
    if point.how in _DISKS:
        with _after_a_cut_of(prepared, point):
            yield from _is_well(prepared, point, asked)
    else:
        prepared.reset()
        disk = ModelDisk(prepared.lab.home)
        for call in prepared.calls:
            if call.number <= point.number:
                disk.carry_out(call)
        _lay_out(prepared.lab.home, disk, point.how)
        yield from _is_well(prepared, point, asked)


def _is_well(prepared: Prepared, point: Point, asked: tuple[str, ...]) -> Iterator[str]:
    is_over = point.number >= prepared.calls[-1].number
    if is_over and oracle.updated(prepared.lab.home) != prepared.unharmed.after:
        yield "what was said to be written is not there"
    # A disk that is mounted anew may have another number; a model of one knows no inodes.
    yield from prepared.goes_on(asked, is_inbox_new=True)


def _lay_out(home: Path, disk: ModelDisk, how: str) -> None:
    """Make the folders as they are after the cut; a file that has not changed keeps its inode."""
    files = {
        name: content for name, content in disk.after(how).items() if not name.endswith(_REBUILT)
    }
    for path in [path for path in home.rglob("*") if path.is_file() and str(path) not in files]:
        path.unlink()
    # A folder whose new name was lost has its old one again.
    folders = disk.folders | {
        str(folder) for name in files for folder in Path(name).parents if home in folder.parents
    }
    for folder in sorted(
        {str(path) for path in home.rglob("*") if path.is_dir()} - folders, reverse=True
    ):
        Path(folder).rmdir()
    for folder in sorted(folders):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = Path(name)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)


@contextmanager
def _after_a_cut_of(prepared: Prepared, point: Point) -> Iterator[None]:
    """Make the home folder a file system of its own for the block, as it is after a power cut at the call."""
    home, image, copy = (
        prepared.lab.home,
        prepared.lab.root / "disk",
        prepared.lab.root / "disk-after",
    )
    kind, options, size = _DISKS[point.how]
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    image.unlink(missing_ok=True)
    _do("truncate", "--size", size, image)
    _do(f"mkfs.{kind}", "-q", image)
    with _mounted(image, options, home):
        shutil.copytree(prepared.base, home, symlinks=True, dirs_exist_ok=True)
        _do("sync", "--file-system", home)
        prepared.lab.attempt(prepared.scene.work(prepared.lab), Fault(Act.KILL_AFTER, point.number))
        _do("cp", "--sparse=always", image, copy)
    with _mounted(copy, options, home):
        if (home / "lost+found").exists():
            (home / "lost+found").rmdir()
        yield


@contextmanager
def _mounted(image: Path, options: str, place: Path) -> Iterator[None]:
    _do("mount", "-o", options, image, place)
    try:
        yield
    finally:
        _do("umount", place)


def _do(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


POWER = Series(NAME, _SCENES, points, attempt)
