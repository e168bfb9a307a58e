"""Plans what installing or removing would do, from a recipe and what is there: steps as data, nothing done."""

from collections.abc import Callable
from pathlib import Path

from service.mark import hand
from service.recipe import Recipe, UnitFile
from service.steps import Erase, LeaveAlone, MakeFolder, Step, Write

Read = Callable[[Path], bytes | None]
"""The content of a file, or None where there is none."""
IsFolder = Callable[[Path], bool]


def to_install(recipe: Recipe, read: Read, is_folder: IsFolder) -> tuple[Step, ...]:
    """The steps that bring the system to what the recipe says. A file that a person changed is left alone."""
    folders = tuple(MakeFolder(path) for path in recipe.folders if not is_folder(path))
    files = tuple(step for file in recipe.files if (step := _put(file, read)))
    leftovers = tuple(step for path in recipe.leftovers if (step := _drop(path, read)))
    return (*folders, *files, *leftovers, *recipe.start)


def to_remove(recipe: Recipe, read: Read) -> tuple[Step, ...]:
    """The steps that take everything away again but what a person wrote or changed."""
    paths = (*(file.path for file in recipe.files), *recipe.leftovers)
    gone = tuple(step for path in paths if (step := _drop(path, read)))
    return (*recipe.stop, *gone, *recipe.forget) if gone else ()


def _put(file: UnitFile, read: Read) -> Step | None:
    there = read(file.path)
    if there == file.content:
        return None
    if there is not None and (whose := _whose(there)) != "ours":
        return LeaveAlone(
            file.path,
            "was changed by hand" if whose == "changed" else "was not written by memproc",
            "Keep your changes in a drop-in beside it, move this file away, and install again.",
        )
    return Write(file.path, file.content, file.text)


def _drop(path: Path, read: Read) -> Step | None:
    there = read(path)
    if there is None:
        return None
    if _whose(there) != "ours":
        return LeaveAlone(path, "holds changes that memproc did not write", "Remove it yourself if you want it gone.")
    return Erase(path)


def _whose(content: bytes) -> str:
    # Task Scheduler's files are UTF-16, and begin with its mark.
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return hand(content.decode(encoding, "replace"))
