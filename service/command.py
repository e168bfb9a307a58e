"""Run a command of the system or of memproc as a list of arguments, never through a shell."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_LIMIT_SECONDS = 60.0
NOT_HERE, TOO_SLOW = 127, 124


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command: its exit code (0 is success) and what it printed."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def first_line(self) -> str:
        """Return the first line of the errors or of the output; else the exit code in words."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[0].strip() if lines else f"it ended with {self.code}"


RunCommand = Callable[[Sequence[str]], Answer]


def run_program(argv: Sequence[str], limit_seconds: float = _LIMIT_SECONDS) -> Answer:
    """Run a command to its end.

    A missing or slow program gives an Answer, too, never an exception.
    """
    try:
        ended = subprocess.run(  # noqa: S603  the arguments are ours
            list(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_seconds,
            check=False,
        )
    except FileNotFoundError:
        return Answer(NOT_HERE, err=f"{argv[0]} is not here")
    except subprocess.TimeoutExpired:
        return Answer(TOO_SLOW, err=f"{argv[0]} did not answer within {limit_seconds:g} seconds")
    except OSError as fault:
        return Answer(NOT_HERE, err=f"{argv[0]} cannot be run: {fault.strerror}")
    return Answer(ended.returncode, ended.stdout, ended.stderr)


def memproc_argv(config: Path | None, *arguments: str) -> list[str]:
    """Return the command line of memproc, run by this Python; `config` becomes `--config`."""
    # -P: without it, a json.py in the current folder would be imported instead of Python's own.
    program = "import sys; from daemon.cli import main; sys.exit(main())"
    options = ("--config", str(config)) if config else ()
    return [sys.executable, "-P", "-c", program, *options, *arguments]
