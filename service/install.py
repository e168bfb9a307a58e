"""Installs and removes a service step by step. A file that a person changed or wrote is never touched."""

import os
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import sleep

from service.command import RunCommand
from service.unit import Recipe, SystemCommand, UnitFile, author

_PAUSE_SECONDS = 1.0


class StepFailed(Exception):
    """A command failed that must not; `argv` is the command, and the message is the system's."""

    def __init__(self, argv: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.argv = argv


@dataclass(frozen=True, slots=True)
class InstallStep:
    """One thing to do. Doing all steps again does no harm."""

    sentence: str
    """The step in one line."""
    carry_out: Callable[[], None]
    """Does it; raises OSError or StepFailed."""
    text: str = ""
    """The content of the file that it writes."""
    is_refusal: bool = False
    """Whether it does nothing, because a file is the person's."""


def to_install(
    recipe: Recipe, run: RunCommand, pause: Callable[[float], None] = sleep
) -> list[InstallStep]:
    """The steps that bring the system to what the recipe says. Raises OSError where a file cannot be read."""
    folders = [_make_folder(path) for path in recipe.folders if not path.is_dir()]
    files = [step for file in recipe.files if (step := _put(file))]
    outdated = [step for path in recipe.outdated if (step := _remove(path))]
    return [*folders, *files, *outdated, *(_run(command, run, pause) for command in recipe.start)]


def to_remove(recipe: Recipe, run: RunCommand) -> list[InstallStep]:
    """The steps that remove the service; none where it is not installed. Raises OSError as `to_install` does."""
    paths = (*(file.path for file in recipe.files), *recipe.outdated)
    files = [step for path in paths if (step := _remove(path))]
    before, after = (
        [_run(command, run) for command in commands]
        for commands in (recipe.stop, recipe.after_removal)
    )
    return [*before, *files, *after] if files else []


def _make_folder(path: Path) -> InstallStep:
    return InstallStep(
        f"Making the folder {path}", partial(path.mkdir, mode=0o700, parents=True, exist_ok=True)
    )


def _put(file: UnitFile) -> InstallStep | None:
    present = _content(file.path)
    if present == file.content:
        return None
    writer = "memproc" if present is None else author(present)
    if writer == "memproc":
        return InstallStep(
            f"Writing {file.path}", partial(_write, file.path, file.content), file.text
        )
    reason = "was not written by memproc" if writer == "somebody else" else "was changed by hand"
    advice = "Keep your changes in a drop-in beside it, move this file away, and install again."
    return _refusal(file.path, reason, advice)


def _remove(path: Path) -> InstallStep | None:
    present = _content(path)
    if present is None:
        return None
    if author(present) == "memproc":
        return InstallStep(f"Removing {path}", partial(_erase, path))
    advice = "Remove it yourself if you want it gone."
    return _refusal(path, "holds changes that memproc did not write", advice)


def _refusal(path: Path, reason: str, advice: str) -> InstallStep:
    return InstallStep(f"Not touching {path}: it {reason}. {advice}", lambda: None, is_refusal=True)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _run(
    command: SystemCommand, run: RunCommand, pause: Callable[[float], None] = sleep
) -> InstallStep:
    def carry_out() -> None:
        for attempt in range(command.attempts):
            if attempt:
                pause(_PAUSE_SECONDS)
            answer = run(command.argv)
            if answer.code == 0 or command.optional:
                return
        raise StepFailed(command.argv, answer.first_line)

    return InstallStep(f"Running {shlex.join(command.argv)}", carry_out)


def _erase(path: Path) -> None:
    """Remove a file, and the folder of drop-ins that was made for it once nothing else is in there."""
    path.unlink(missing_ok=True)
    if path.parent.suffix == ".d" and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _write(path: Path, content: bytes) -> None:
    """Write the file at once or not at all: a service manager must never read half a unit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".memproc-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
