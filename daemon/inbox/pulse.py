"""Decides whether the watch on the inbox still works: a thread that is alive may have been deaf for days.

Every minute a cookie is laid in the inbox, and its event must come; at every look the inbox must be the
folder that the watch began with.
"""

import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from daemon.files.write import trouble
from daemon.inbox import cookie
from daemon.inbox.mode import FAILURES, Mode

BEAT_SECONDS = 60.0
ANSWER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class NotYet:
    """Nothing new since the last look."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The watch has just been proved."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Events come no more: the watch has to be begun anew, and the inbox looked through."""

    reason: str


@dataclass(frozen=True, slots=True)
class RootChanged:
    """The inbox is another folder than before, or is back: begin anew, and look it through."""

    reason: str


@dataclass(frozen=True, slots=True)
class RootMissing:
    """There is no inbox that could be watched. Told once; RootChanged follows when there is one again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unproven:
    """Nothing can be written into the inbox, so that only the rescans are sure to find what lies there."""

    reason: str


Verdict = NotYet | Alive | Silent | RootChanged | RootMissing | Unproven


class Watched(Protocol):
    """What the pulse asks of a watcher."""

    mode: Mode
    cookie: str

    def dead(self) -> str:
        """Why no event can come any more, or nothing."""


@dataclass(frozen=True, slots=True)
class _Root:
    device: int
    inode: int


class Pulse:
    """Feels one watcher after the other, for as long as the daemon lives."""

    def __init__(self, inbox: Path, watcher: Watched, monotonic: float) -> None:
        self.failures = 0
        """How many watches by events have failed in a row; after three, `auto` polls."""
        self._inbox = inbox
        self._left = ""
        # One that stays is tried again at the next start; the scanner never looks at it.
        with suppress(OSError):
            cookie.sweep(inbox)
        self.watched(watcher, monotonic)

    def watched(self, watcher: Watched, monotonic: float) -> None:
        """A new watch has begun, at this second of the monotonic clock; one by events is proved at the next step."""
        self._watcher = watcher
        root = _root(self._inbox)
        self._root: _Root | str = root if isinstance(root, _Root) else ""
        self._asked = ""
        self._asked_at = monotonic
        hopeful = watcher.mode.used == "native" and self.failures < FAILURES
        self._beat_at = monotonic if hopeful else monotonic + BEAT_SECONDS

    def step(self, monotonic: float) -> Verdict:
        """Look at the watch; never waits. To be called at every turn of the loop, every two seconds at least.

        After Silent and RootChanged the loop begins a new watch and says so with `watched`.
        """
        root = _root(self._inbox)
        if root != self._root:
            return self._moved(root)
        if isinstance(root, str):
            return NotYet()
        if reason := self._watcher.dead():
            return self._ended(reason, monotonic)
        if self._asked:
            return self._answered(monotonic)
        return NotYet() if monotonic < self._beat_at else self._beat(monotonic)

    def _moved(self, root: _Root | str) -> Verdict:
        before, self._root, self._asked = self._root, root, ""
        if isinstance(root, str):
            return RootMissing(root)
        self.failures = 0
        if isinstance(before, str):
            return RootChanged("The inbox is there again.")
        return RootChanged("Another folder stands where the inbox was.")

    def _ended(self, reason: str, monotonic: float) -> Verdict:
        # A watch that dies as soon as it begins is not begun again at every turn of the loop.
        if monotonic < self._beat_at and (self._watcher.mode.used != "native" or self.failures >= FAILURES):
            return NotYet()
        return self._failed(reason)

    def _answered(self, monotonic: float) -> Verdict:
        if self._watcher.cookie == self._asked:
            self._asked = ""
            self.failures = 0
            return Alive()
        if monotonic - self._asked_at <= ANSWER_SECONDS:
            return NotYet()
        return self._failed("The watch on the inbox fell silent: a file that was made there was not reported.")

    def _failed(self, reason: str) -> Verdict:
        self._asked = ""
        self.failures += self._watcher.mode.used == "native"
        return Silent(reason)

    def _beat(self, monotonic: float) -> Verdict:
        self._beat_at = monotonic + BEAT_SECONDS
        if self._watcher.mode.used != "native":
            return Alive()
        try:
            # While an older cookie cannot be taken away, no other is laid beside it.
            cookie.take_away(self._inbox, self._left)
            self._left = cookie.lay(self._inbox)
            cookie.take_away(self._inbox, self._left)
        except FileNotFoundError:
            return NotYet()
        except OSError as error:
            told = trouble(error, self._inbox, "written to").message
            return Unproven(f"{told} So only the rescans are sure to find what lies there.")
        self._asked, self._asked_at, self._left = self._left, monotonic, ""
        return NotYet()


def _root(inbox: Path) -> _Root | str:
    """What stands at the inbox's place, or why there is no inbox."""
    try:
        found = inbox.stat()
    except FileNotFoundError:
        return f"The inbox {inbox} is not there."
    except OSError as error:
        return trouble(error, inbox, "looked at").message
    if not stat.S_ISDIR(found.st_mode):
        return f"The inbox {inbox} is not a folder."
    return _Root(found.st_dev, found.st_ino)
