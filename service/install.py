"""Plans what installing or removing would do, from a recipe and what is there: steps as data, nothing done."""

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from service.ask import Answer, Ask, ask_system
from service.recipe import Erase, LeaveAlone, MakeFolder, Recipe, Run, Step, UnitFile, Write, hand, sentence

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


_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Failed:
    """The step that could not be done; `reason` is what the system said of it."""

    step: Step
    reason: str


def carry_out(
    steps: Iterable[Step],
    tell: Callable[[str], None],
    ask: Ask = ask_system,
    pause: Callable[[float], None] = sleep,
) -> Failed | None:
    """Do the steps in their order. Steps that were done stay done: doing all of them again does no harm."""
    for step in steps:
        tell(sentence(step))
        try:
            reason = _do(step, ask, pause)
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
        if reason is not None:
            return Failed(step, reason)
    return None


def _do(step: Step, ask: Ask, pause: Callable[[float], None]) -> str | None:
    """Do one step; the reason where it failed. Raises OSError."""
    match step:
        case MakeFolder():
            step.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        case Write():
            _write(step.path, step.content)
        case Erase():
            _erase(step.path)
        case LeaveAlone():
            pass
        case Run():
            answer = _run(step, ask, pause)
            return None if answer.code == 0 or step.optional else answer.first_words
    return None


def _run(step: Run, ask: Ask, pause: Callable[[float], None]) -> Answer:
    answer = ask(step.argv)
    for _ in range(step.tries - 1):
        if answer.code == 0:
            break
        pause(_PAUSE_SECONDS)
        answer = ask(step.argv)
    return answer


def _erase(path: Path) -> None:
    """Remove a file, and the folder of drop-ins that was made for it once nothing else is in there."""
    path.unlink(missing_ok=True)
    if path.parent.suffix == ".d" and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _write(path: Path, content: bytes) -> None:
    """At once or not at all: a service manager must never read half a unit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".memproc-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
