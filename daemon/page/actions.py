"""What buttons do: the very commands that a person would type, in a process of their own.

So a button follows the same rules, holds the same locks and tells the same sentences as a command, and what a command
loads leaves memory with it.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from service.command import memproc_argv

_LONGEST_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command said and how it ended; `code` is its exit code, or None where it took too long and was ended."""

    code: int | None
    text: str

    @property
    def is_done(self) -> bool:
        """It did what it was asked for."""
        return self.code == 0


def do_command(toml: Path | None, *arguments: str, given: str = "") -> CommandResult:
    """Run a memproc command to its end; `given` goes to its standard input. Arguments never reach a shell."""
    try:
        done = subprocess.run(  # noqa: S603  our own Python, and arguments that click reads
            memproc_argv(toml, *arguments), input=given, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=_LONGEST_SECONDS, check=False,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return CommandResult(None, "It took longer than two minutes, and was ended. What is finished is kept.")
    return CommandResult(
        done.returncode, "\n".join(part.strip() for part in (done.stdout, done.stderr) if part.strip())
    )


def start_command(toml: Path | None, arguments: Sequence[str]) -> None:
    """Start a command that goes on by itself, as a run does; its progress is told by the archive."""
    subprocess.Popen(  # noqa: S603  our own Python, and arguments that click reads
        memproc_argv(toml, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=sys.platform != "win32",
    )  # fmt: skip
