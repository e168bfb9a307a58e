"""Run trials: one command in a forked process, in which one system call goes wrong.

Everything is imported once, before the first fork, so that a trial takes a fraction of a second.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import TextIO

import daemon.models.context
from daemon.cli import main
from daemon.models.completion import Completion
from primer.reply import Request
from tests.faults import shim
from tests.faults.shim import NO_FAULT, Fault
from tests.lives.model import LivelyModel

LIMIT_SECONDS = 60.0
CLOCK = 1_788_220_800  # 1 September 2026
_BROKEN = 99
"""The exit code of a trial in which something was raised that `main` should have caught."""

Work = Callable[[], int]


@dataclass(frozen=True, slots=True)
class TrialEnd:
    """How a trial ended: its exit code (negative: the signal), what it printed, and how many calls it made.

    `asked` are the keys of the requests that were answered, in order, and `asked_at` how many calls had been made at
    each. `calls` is -1 where the process was killed.
    """

    code: int
    out: str
    err: str
    calls: int
    asked: tuple[str, ...]
    asked_at: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lab:
    """The folders of a series of trials: `home` is the person's, and the logs of trials are beside it."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def log(self) -> Path:
        return self.root / "log"

    def memproc(self, *arguments: str) -> Work:
        """Return the work of running the command line with these arguments, in the home folder."""
        return lambda: main(["--config", str(self.home / "memproc.toml"), *arguments])

    def here(self, work: Work) -> int:
        """Do the work in this process, and throw its output away; return the exit code."""
        with chdir(self.home), (self.root / "said").open("w") as said:
            before = sys.stdout, sys.stderr
            sys.stdout = sys.stderr = said
            try:
                return work()
            finally:
                sys.stdout, sys.stderr = before

    def attempt(
        self, work: Work, fault: Fault = NO_FAULT, *, logged: bool = False, seconds: int = CLOCK
    ) -> TrialEnd:
        """Do the work in a forked process, with this fault, while the wall clock stands still."""
        return self.end(self.begin(work, fault, logged=logged, seconds=seconds))

    def begin(
        self, work: Work, fault: Fault = NO_FAULT, *, logged: bool = False, seconds: int = CLOCK
    ) -> int:
        """Begin the work in a forked process; return its process id."""
        for name in ("out", "err", "asked", "calls"):
            (self.root / name).write_bytes(b"")
        child = os.fork()
        if child == 0:
            self._carry_out(work, fault, logged, seconds)
        return child

    def end(self, child: int) -> TrialEnd:
        """Wait for the process; return how it ended."""
        code = _ended(child)
        asked = [line.split() for line in (self.root / "asked").read_text().splitlines()]
        return TrialEnd(
            code=code,
            out=(self.root / "out").read_text(errors="replace"),
            err=(self.root / "err").read_text(errors="replace"),
            calls=int((self.root / "calls").read_text() or -1),
            asked=tuple(key for key, _ in asked),
            asked_at=tuple(int(calls) for _, calls in asked),
        )

    def _carry_out(self, work: Work, fault: Fault, logged: bool, seconds: int) -> None:
        """Do the work in the forked process; never returns."""
        code = _BROKEN
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.stdout, sys.stderr = (
                _redirected(number, self.root / name) for number, name in ((1, "out"), (2, "err"))
            )
            vars(daemon.models.context)["complete"] = ScriptedAnswers(self.root / "asked")
            log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if logged else -1
            os.chdir(self.home)
            shim.stop_clock(seconds, fault.jump)
            shim.arm(self.home, fault, log)
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            calls = shim.disarm()
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            (self.root / "calls").write_text(str(calls))
            os._exit(code & 255)


class ScriptedAnswers:
    """The models of a trial: they give the same answer to the same request, and note each before they give it."""

    def __init__(self, noted: Path) -> None:
        self._model = LivelyModel()
        self._noted = noted

    def __call__(self, request: Request) -> Completion:
        """Answer as `daemon.models.completion.complete` would."""
        answer = self._model(request)
        with self._noted.open("a") as noted:
            noted.write(f"{request.key} {shim.counted()}\n")
        return answer


def _redirected(number: int, path: Path) -> TextIO:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(handle, number)
    os.close(handle)
    return open(number, "w", closefd=False)


def _ended(child: int) -> int:
    """Wait for a forked process; return its exit code. One that hangs is killed, and gets the code 124."""
    end = monotonic() + LIMIT_SECONDS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 124
        sleep(0.002)
