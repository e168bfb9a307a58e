"""Run a command on a pseudo-terminal of 80 columns and 24 lines: read what it shows, and type into it."""

import os
import pty
import re
import signal
import struct
import sys
from dataclasses import dataclass, field
from select import select
from time import monotonic
from typing import Any

import pyte

from tests.forked import exit_code, fork_memproc
from tests.stories.person import Person
from tests.waiting import LIMIT_SECONDS

if sys.platform != "win32":
    import fcntl
    import termios

COLUMNS, LINES = 80, 24


@dataclass
class Terminal:
    """A command that runs on a terminal. `seen` has all lines that it ever showed, with the second of each."""

    person: Person
    arguments: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.screen = pyte.HistoryScreen(COLUMNS, LINES, history=10_000)
        self._stream = pyte.ByteStream(self.screen)
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        shell = {
            name: value
            for name, value in os.environ.items()
            if name not in ("COLUMNS", "LINES", "NO_COLOR")
        }
        environment = {**shell, "TERM": "xterm-256color", **self.environment}
        streams = theirs, theirs, theirs
        self._process = fork_memproc(
            self.person.argv(*self.arguments)[1:], self.person.home, environment, streams
        )
        os.close(theirs)

    def types(self, line: str) -> None:
        """Type a line and Return."""
        os.write(self._ours, f"{line}\n".encode())

    def types_unseen(self, line: str) -> None:
        """Type a line once the terminal's echo is off; what was typed before that is thrown away."""
        end = monotonic() + LIMIT_SECONDS
        while termios.tcgetattr(self._ours)[3] & termios.ECHO:
            assert monotonic() < end, self.text()
            self._reads(0.05)
        self.types(line)

    def shows(self, words: str) -> str:
        """Wait until these words (a regular expression) are on the screen; return their line."""
        end = monotonic() + LIMIT_SECONDS
        while not (lines := [line for line in self.lines() if re.search(words, line)]):
            assert self._reads() and monotonic() < end, f"{words!r} never stood in\n{self.text()}"
        return lines[-1]

    def ends(self) -> int:
        """Wait for the end of the command; return its exit code."""
        while self._reads():
            pass
        os.close(self._ours)
        return exit_code(self._process)

    def is_killed(self) -> None:
        """Kill the command (-9), and wait until it is gone."""
        os.kill(self._process, signal.SIGKILL)
        assert self.ends() == -signal.SIGKILL

    def lines(self) -> list[str]:
        """Return all lines, beginning with those that have scrolled away."""
        history: Any = self.screen.history.top
        above = ["".join(line[at].data for at in range(COLUMNS)) for line in history]
        return [line.rstrip() for line in (*above, *self.screen.display)]

    def text(self) -> str:
        return "\n".join(self.lines()).rstrip()

    def _reads(self, seconds: float = LIMIT_SECONDS) -> bool:
        """Read what has come, or comes within that time; return whether more can come."""
        ready, _, _ = select([self._ours], [], [], seconds)
        try:
            block = os.read(self._ours, 65_536) if ready else b""
        except OSError:  # on Linux: the other end is closed
            return False
        self._stream.feed(block)
        self.seen = {**dict.fromkeys(self.lines(), monotonic()), **self.seen}
        return bool(block)
