"""Put each folder on a small disk that fills up, in forty sizes; afterwards there is room again."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.errors import ending_faults
from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.shim import NO_FAULT

NAME = "disks"
_SCENES = ("run", "second-round", "two-chats", "restore", "import-archive", "intake")
_FOLDERS = ("updated", "backups", "state")
_SIZES = 40
_PAGE = 4096
_ROOM = "256m"


def why_not() -> str:
    """Return why no disk can be mounted here; "" where one can."""
    return "" if os.geteuid() == 0 and shutil.which("mount") else "mounting a small disk needs root"


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield points for each folder; the number is that of free pages on its disk, from none to about enough."""
    for folder in _FOLDERS:
        prepared.reset()
        place = prepared.lab.home / folder
        before = _pages(place)
        prepared.lab.attempt(prepared.scene.work(prepared.lab))
        # What is written goes beside what it replaces, and SQLite's log beside the archive.
        largest = max((path.stat().st_size // _PAGE for path in place.rglob("*")), default=0)
        most = _pages(place) - before + 2 * largest
        for number in dict.fromkeys(most * step // _SIZES for step in range(_SIZES)):
            yield Point(NAME, prepared.scene.name, number, folder)


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Let the disk fill up, and go on when there is room; yield what is wrong."""
    prepared.reset()
    place = prepared.lab.home / point.how
    place.mkdir(exist_ok=True)
    with disk_at(place, (_pages(place) + 1 + point.number) * _PAGE):
        end = prepared.lab.attempt(prepared.scene.work(prepared.lab), NO_FAULT)
        yield from ending_faults(end.code, end.out, end.err)
        _mount("remount", _ROOM, place)
        yield from prepared.goes_on(end.asked)


@contextmanager
def disk_at(place: Path, size: int) -> Iterator[None]:
    """Mount a disk of that size at the folder, with the folder's content, for the block."""
    content = place.with_name(f"{place.name}-content")
    shutil.copytree(place, content)
    _mount("", _ROOM, place)
    try:
        shutil.copytree(content, place, dirs_exist_ok=True)
        shutil.rmtree(content)
        _mount("remount", str(size), place)
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def _mount(how: str, size: str, place: Path) -> None:
    options = f"{how},size={size}" if how else f"size={size}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)


def _pages(folder: Path) -> int:
    """Return how many pages the content takes: a file at least one, and a folder one."""
    paths = list(folder.rglob("*"))
    return sum(-(-path.stat().st_size // _PAGE) if path.is_file() else 1 for path in paths)


DISKS = Series(NAME, _SCENES, points, attempt, why_not)
