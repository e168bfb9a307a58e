"""What can wake the daemon's loop, and the child process whose events go into the loop's queue.

The child runs a command that a person can run, too (`memproc run FILE --events`). It is sent its
settings on its standard input, then any further files. The end of that pipe tells it to stop
(daemon/cli/supervised.py).
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import IO

from daemon.events import Event, NoEvent, parse_event
from daemon.inbox.watch_plan import SettingsAre

STOPPED = 130
"""The exit code of a child that was told to stop, and stopped with all its answers kept."""


@dataclass(frozen=True, slots=True)
class FolderChanged:
    """Something happened in the inbox; a scan finds out what."""


@dataclass(frozen=True, slots=True)
class Due:
    """It is time for `name`: a beat, a scan, a timed job."""

    name: str


@dataclass(frozen=True, slots=True)
class ChildSaid:
    """The child process has posted an event."""

    event: Event


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """The child process has ended."""

    code: int
    """Its exit code; the negative number of the signal that ended it, if one did."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The daemon has been asked to stop."""


@dataclass(frozen=True, slots=True)
class Reload:
    """The daemon has been asked to read memproc.toml again."""


@dataclass(frozen=True, slots=True)
class PageWaits:
    """The page's port is taken, as `reason` says; both texts are "" once the daemon has it."""

    reason: str
    next_step: str
    """Empty where the trouble passes by itself."""


Wake = FolderChanged | Due | ChildSaid | ChildEnded | PageWaits | Stop | Reload
Put = Callable[[Wake], None]
"""Hands a wake to the loop from any thread: `queue.SimpleQueue.put`, which never blocks."""


_LONGEST_LINE = 8 << 20
"""Bytes. The largest thing that is sent is memproc.toml, of at most a million."""


class Child:
    """A running process, whose events and end come as ChildSaid and ChildEnded."""

    def __init__(self, argv: Sequence[str], settings: SettingsAre, put: Put) -> None:
        """Start it, in a process group of its own. Raises OSError where that fails."""
        self._process = subprocess.Popen(  # noqa: S603  our own Python, and a path
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._listener = threading.Thread(
            target=self._listen, args=(settings, put), name="child", daemon=True
        )
        self._listener.start()

    def hand(self, path: Path) -> bool:
        """Give it a further file. Return False where it no longer listens."""
        pipe = _pipe(self._process.stdin)
        try:
            pipe.write(_order(str(path)))
            pipe.flush()
        except (OSError, ValueError):
            return False
        return True

    def ask_to_stop(self) -> None:
        """Tell it to finish the calls under way, and stop. Returns at once."""
        with suppress(OSError):  # it may have ended before it read everything
            _pipe(self._process.stdin).close()

    def kill(self) -> None:
        """Kill it and all that it started. Returns at once; ChildEnded follows as usual."""
        if self._process.poll() is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end, and close its pipes."""
        self._listener.join()
        self.ask_to_stop()
        _pipe(self._process.stdout).close()

    def _listen(self, settings: SettingsAre, put: Put) -> None:
        pipe = _pipe(self._process.stdin)
        with suppress(OSError, ValueError):  # it has ended already, or was told to
            pipe.write(_order(asdict(settings)))
            pipe.flush()
        for line in iter(partial(_pipe(self._process.stdout).readline, _LONGEST_LINE), b""):
            with suppress(NoEvent):  # printed by a library
                put(ChildSaid(parse_event(line)[0]))
        put(ChildEnded(self._process.wait()))


def _order(order: object) -> bytes:
    """Return a line for the child: the settings as an object, or a file's path."""
    return f"{json.dumps(order)}\n".encode()


def exit_in_words(code: int) -> str:
    """Return how a child ended, as a sentence without its full stop."""
    if code == -9:
        return "the process that worked was killed (signal 9), perhaps because memory ran out"
    if code < 0:
        return f"the process that worked was ended by signal {-code}"
    return f"the process that worked ended with exit code {code} in the middle of it"


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the child was started without a pipe")
    return pipe
