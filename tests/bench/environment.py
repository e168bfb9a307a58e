"""Makes an environment for what is only measured: a virtual one of its own, filled from locked requirements."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LIMIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """Why there are no figures, in one sentence."""

    reason: str


def environment(name: str, requirements: Path, folder: Path) -> Path | NotMeasured:
    """The interpreter of the environment `name` below `folder`, installed there unless an earlier run did that.

    Needs the network.
    """
    home = folder / name
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "installed"
    locked = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text("utf-8") == locked:
        return python
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", home],
        [*pip, "--require-hashes", "--requirement", requirements],
    ):
        if (failed := _failure([str(word) for word in command])) is not None:
            return NotMeasured(f"{name} could not be installed: {failed}")
    stamp.write_text(locked, "utf-8")
    return python


def _failure(command: list[str]) -> str | None:
    """The last line of what a command complained of; None where it ended well."""
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {LIMIT_SECONDS:.0f} seconds"
    if ended.returncode == 0:
        return None
    told = (ended.stderr or ended.stdout).strip().splitlines()
    return told[-1] if told else f"{command[0]} ended with {ended.returncode}"
