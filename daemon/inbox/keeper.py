"""Keeps the watch on the inbox alive: begins it anew when it falls silent or the inbox was replaced."""

from dataclasses import dataclass
from pathlib import Path

from daemon.inbox.mode import Mode
from daemon.inbox.observer import Watcher
from daemon.inbox.pulse import Alive, NotYet, Pulse, RootChanged, RootMissing, Silent, Unproven
from daemon.inbox.wakes import Put


@dataclass(frozen=True, slots=True)
class Kept:
    """What a look at the watch has shown."""

    proved: bool = False
    """The watch was proved to work just now."""
    note: str | None = None
    """What is to be said of it from now on; empty: all is well again. None: nothing new."""
    rescan: bool = False
    """What happened meanwhile may have been missed."""


class Keeper:
    """Has one watch after the other, for as long as the daemon lives."""

    def __init__(self, inbox: Path, mode: str, subfolders: bool, put: Put, monotonic: float) -> None:
        self._inbox, self._wanted, self._subfolders, self._put = inbox, mode, subfolders, put
        self._watcher = Watcher.start(inbox, mode, subfolders, put)
        self._pulse = Pulse(inbox, self._watcher, monotonic)

    @property
    def mode(self) -> Mode:
        """How the inbox is watched now, and why so."""
        return self._watcher.mode

    def look(self, monotonic: float) -> Kept:
        """To be called at every turn of the loop."""
        match self._pulse.step(monotonic):
            case NotYet():
                return Kept()
            case Alive():
                return Kept(proved=True, note="")
            case Unproven(reason) | RootMissing(reason):
                return Kept(note=reason)
            case Silent(reason) | RootChanged(reason):
                self._begin_anew(monotonic)
                return Kept(note=reason, rescan=True)

    def stop(self) -> None:
        """End the watch."""
        self._watcher.stop()

    def _begin_anew(self, monotonic: float) -> None:
        self._watcher.stop()
        self._watcher = Watcher.start(self._inbox, self._wanted, self._subfolders, self._put, self._pulse.failures)
        self._pulse.watched(self._watcher, monotonic)
