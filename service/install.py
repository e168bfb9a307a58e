"""Install and remove a service step by step.

Files that the user wrote or changed are never touched.
"""

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
_WOULD = {
    "Making": "Would make",
    "Writing": "Would write",
    "Removing": "Would remove",
    "Running": "Would run",
}


class StepFailed(Exception):
    """A required command failed: `argv` is the command, the message the first line it printed."""

    def __init__(self, argv: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.argv = argv


@dataclass(frozen=True, slots=True)
class InstallStep:
    """A step of an installation or a removal; doing it twice does no harm."""

    sentence: str
    carry_out: Callable[[], None]
    """Raises OSError or StepFailed."""
    text: str = ""
    """The content of the file that the step writes."""
    is_refusal: bool = False
    """Whether the step does nothing, because the file is the user's own."""

    @property
    def intention(self) -> str:
        """Return the sentence for a step that is shown and not carried out."""
        verb, rest = self.sentence.split(" ", 1)
        return f"{_WOULD.get(verb, verb)} {rest}"


def to_install(recipe: Recipe, run: RunCommand) -> list[InstallStep]:
    """Return the steps that carry out the recipe. Raises OSError where a file cannot be read."""
    folders = [_make_folder(path) for path in recipe.folders if not path.is_dir()]
    files = [step for file in recipe.files if (step := _put(file))]
    outdated = [step for path in recipe.outdated if (step := _remove(path))]
    return [*folders, *files, *outdated, *(_run(command, run) for command in recipe.start)]


def to_remove(recipe: Recipe, run: RunCommand) -> list[InstallStep]:
    """Return the steps that remove the service; [] where it is not installed. Raises OSError."""
    paths = (*(file.path for file in recipe.files), *recipe.outdated)
    files = [step for path in paths if (step := _remove(path))]
    if not files:
        return []
    before = (_run(command, run) for command in recipe.stop)
    after = (_run(command, run) for command in recipe.after_removal)
    return [*before, *files, *after]


def _make_folder(path: Path) -> InstallStep:
    """Return the step that makes a folder to which only this account has access."""
    make = partial(path.mkdir, mode=0o700, parents=True, exist_ok=True)
    return InstallStep(f"Making the folder {path}", make)


def _put(file: UnitFile) -> InstallStep | None:
    """Return the step that writes a file, or refuses to replace the user's; None if it is there."""
    present = _content(file.path)
    if present == file.content:
        return None
    writer = "memproc" if present is None else author(present)
    if writer == "memproc":
        write = partial(_write, file.path, file.content)
        return InstallStep(f"Writing {file.path}", write, file.text)
    reason = "was not written by memproc" if writer == "somebody else" else "was changed by hand"
    advice = "Keep your changes in a drop-in beside it, move this file away, and install again."
    return _refusal(file.path, reason, advice)


def _remove(path: Path) -> InstallStep | None:
    """Return the step that removes a file, or refuses if the user changed it; None if gone."""
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
    """Return the content of a file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _run(command: SystemCommand, run: RunCommand) -> InstallStep:
    """Return the step that runs a command, with as many attempts as it may have."""

    def carry_out() -> None:
        for attempt in range(command.attempts):
            if attempt:
                sleep(_PAUSE_SECONDS)
            answer = run(command.argv)
            if answer.code == 0 or command.optional:
                return
        raise StepFailed(command.argv, answer.first_line)

    return InstallStep(f"Running {shlex.join(command.argv)}", carry_out)


def _erase(path: Path) -> None:
    """Remove a file, and the drop-in folder around it once it is empty."""
    path.unlink(missing_ok=True)
    if path.parent.suffix == ".d" and not any(path.parent.iterdir()):
        path.parent.rmdir()


def _write(path: Path, content: bytes) -> None:
    """Write the file atomically: a service manager must never read half a unit."""
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
