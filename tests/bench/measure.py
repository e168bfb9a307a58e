"""Runs one child process, and says what it cost: seconds on the clock, seconds of processor, peak memory in bytes."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
COMMAND = Path(sys.executable).parent / "memproc"
FOLDERS = """\
[folders]
inbox = "inbox"
updated = "updated"
backups = "backups"
state = "state"
"""
"""The beginning of a memproc.toml: every folder beside it."""
_BYTES_A_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took, its start and its end included; `told` is what it printed."""

    wall: float
    cpu: float
    peak: int
    told: str = ""


def run(*command: str | Path, folder: Path) -> Cost:
    """Run a command in `folder` to its end; the peak is its own. Raises RuntimeError where it fails.

    Keep this process small: on Linux a child's peak is at least that of the process that started it.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.perf_counter()
        actions = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
        words = [str(word) for word in command]
        with chdir(folder):
            pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        wall = time.perf_counter() - began
        out.seek(0)
        err.seek(0)
        if (code := os.waitstatus_to_exitcode(status)) != 0:
            raise RuntimeError(
                f"{' '.join(words)} ended with {code}: {err.read().decode(errors='replace')[-2000:]}"
            )
        told = out.read().decode(errors="replace")
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * _BYTES_A_UNIT, told)


def peak_now() -> int:
    """The peak of this process so far, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_A_UNIT


def ended(process: subprocess.Popen[bytes]) -> int:
    """End a process that serves, and tell the peak of its own memory, in bytes."""
    status = Path(f"/proc/{process.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    process.terminate()
    peak = os.wait4(process.pid, 0)[2].ru_maxrss * _BYTES_A_UNIT
    process.returncode = 0
    # Linux counts what this process held when it started the other one.
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), peak)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(
        *(
            statistics.median(getattr(cost, name) for cost in costs)
            for name in ("wall", "cpu", "peak")
        )
    )


@dataclass(frozen=True, slots=True)
class Table:
    """What was measured, as it is printed and as it stands in the docs; `notes` say what the figures are of."""

    title: str
    notes: tuple[str, ...]
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        widths = [
            max(len(row[at]) for row in (self.headings, *self.rows))
            for at in range(len(self.headings))
        ]
        lines = [
            self._line(self.headings, widths),
            "|" + "|".join("-" * (width + 2) for width in widths) + "|",
        ]
        lines += [self._line(row, widths) for row in self.rows]
        return "\n".join(
            [f"### {self.title}", "", *self.notes, *([""] if self.notes else []), *lines, ""]
        )

    @staticmethod
    def _line(row: Sequence[str], widths: Sequence[int]) -> str:
        return (
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            + " |"
        )


def as_json(tables: Sequence[Table]) -> str:
    """The figures of all tables, unrounded, for other programs."""
    return (
        json.dumps({table.title: table.figures for table in tables}, indent=2, ensure_ascii=False)
        + "\n"
    )
