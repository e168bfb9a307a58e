"""Makes a peer's environment: a virtual environment of its own, filled from its locked requirements."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.bench.peers.measured import NotMeasured

HERE = Path(__file__).parent
LIMIT_SECONDS = 900.0
PACKAGES = {"mem0": "mem0ai", "langmem": "langmem"}
"""The peers, and under what name each of them is published."""


def version(peer: str) -> str:
    """The version that is locked."""
    found = re.search(rf"^{PACKAGES[peer]}==(\S+)", _requirements(peer).read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise ValueError(f"{_requirements(peer).name} does not pin {PACKAGES[peer]}")
    return found[1]


def environment(peer: str, folder: Path) -> Path | NotMeasured:
    """The peer's own interpreter below `folder`, installed there unless an earlier run did that. Needs the network."""
    home = folder / peer
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "installed"
    locked = hashlib.sha256(_requirements(peer).read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text("utf-8") == locked:
        return python
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install"]
    for command in (
        [sys.executable, "-m", "venv", "--clear", home],
        [*pip, "--require-hashes", "--requirement", _requirements(peer)],
    ):
        if (failed := _failure([str(word) for word in command])) is not None:
            return NotMeasured(f"{peer} could not be installed: {failed}")
    stamp.write_text(locked, "utf-8")
    return python


def _requirements(peer: str) -> Path:
    return HERE / f"{peer}.txt"


def _failure(command: list[str]) -> str | None:
    """The last line of what a command complained of; None where it ended well."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"it took more than {LIMIT_SECONDS:.0f} seconds"
    if ended.returncode == 0:
        return None
    told = (ended.stderr or ended.stdout).strip().splitlines()
    return told[-1] if told else f"{command[0]} ended with {ended.returncode}"
