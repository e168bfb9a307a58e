"""Record a run by hand in the rows of its files, and stop it when it is told to.

It stops only where no answer of a model gets lost.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from time import monotonic, sleep
from typing import Self

from daemon import events
from daemon.archive.archive import Archive
from daemon.archive.work import By, Ended, begin_by_hand, end_run, is_told_to_stop
from daemon.chat.outcome import Outcome
from daemon.files.candidates import sighting_at
from daemon.files.clock import now
from daemon.inbox.file_work import FileWork
from daemon.models.ask import Unsent
from rules.arrival import Sighting
from rules.errors import MemprocError

_LOOK_SECONDS = 0.25
_WISH_SECONDS = 1.0
"""The time between two checks whether the person has asked the run to stop."""


class ToldToStop(Unsent):
    """The command was told to stop, and can do so here without losing an answer."""


class Stopping:
    """Whether a command was told to stop: it does so only where no model's answer gets lost."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        """Ask the command to stop soon. This takes no lock, so a signal handler may call it."""
        self._is_asked = True

    def check(self) -> None:
        """Raise ToldToStop if the command was asked to stop."""
        if self._is_asked:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait for `seconds`. Raises ToldToStop as soon as the command is asked to stop."""
        end = monotonic() + seconds
        while (seconds_left := end - monotonic()) > 0:
            self.check()
            sleep(min(seconds_left, _LOOK_SECONDS))


class RunRecord:
    """Writes the rows of a run's files; as a context manager, also how the run ended."""

    def __init__(self, archive: Archive, by: By = "hand") -> None:
        self._by = by
        self._archive, self._thread, self._run = archive, get_ident(), now()
        self._work: FileWork | None = None
        self._looked = 0.0
        self._heard: deque[events.Event] = deque()
        self.is_told_to_stop = False
        """Whether the person has asked this run to stop."""

    def on(self, path: Path, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes of a file's chats; record when the work on it begins and ends."""
        sighting = Sighting(0, 0, 0, 0)
        with suppress(OSError):  # if the file is gone, its outcome says so
            sighting = sighting_at(path)
        number, is_waiting = begin_by_hand(self._archive, str(path), sighting, self._run, self._by)
        self._work = FileWork(
            self._archive, number, path, path.name, now, self._run, by_hand=True,
            is_waiting=is_waiting, state="working",
        )  # fmt: skip
        yield from outcomes
        self._work.take(events.RunDone())
        self._work = None

    def hear(self, event: events.Event) -> None:
        """Record an event, that of another thread later: only one thread may use the archive."""
        self._heard.append(event)
        if get_ident() != self._thread:
            return
        while self._heard:
            heard = self._heard.popleft()
            if self._work:
                self._work.take(heard)
        if monotonic() - self._looked >= _WISH_SECONDS:
            self.is_told_to_stop = is_told_to_stop(self._archive, self._run)
            self._looked = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: object
    ) -> None:
        with suppress(MemprocError):  # the error that ended the run must be the one raised
            if fault is None:
                end_run(self._archive, self._run, "done")
                return
            reason, next_step = "", ""
            if isinstance(fault, MemprocError):
                reason, next_step = fault.message, fault.next_step
            elif isinstance(fault, Exception) and not isinstance(fault, Unsent):
                reason = f"It ended with {type(fault).__name__}."
            if self._work:
                self._work.break_off(reason, next_step)
            ended: Ended = "stopped" if self.is_told_to_stop else "interrupted"
            end_run(self._archive, self._run, "failed" if reason else ended)
