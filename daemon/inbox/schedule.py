"""The daemon's one clock, APScheduler, which posts into the loop's queue; and who is told of events.

    beat      every few seconds: a sign of life for the service manager, a look at settings, pauses and the child
    rescan    the full look at the inbox, at its interval
    scan      a look at the inbox that is due sooner
    prune, verify, maintain, retry    the timed jobs, whose due times are kept in the archive

What came due while the machine slept is said once, as soon as it is awake.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic
from types import TracebackType
from typing import Self

from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped]
from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.date import DateTrigger  # type: ignore[import-untyped]
from apscheduler.triggers.interval import IntervalTrigger  # type: ignore[import-untyped]

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign
from daemon.events import Event
from daemon.inbox.child import Due, Put
from daemon.status.log import Log
from daemon.status.notices import Notifier, notice_of

_LATE_BUT_ONCE = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}


class Schedule:
    """A clock that runs from `with` to its end. End it before the daemon's main function is left."""

    def __init__(self, put: Put) -> None:
        self._put = put
        # Putting into a queue needs no thread of its own, so the clock's thread does it: the "debug" executor.
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            jobstores={"default": MemoryJobStore()},
            executors={"default": DebugExecutor()},
            job_defaults=_LATE_BUT_ONCE,
        )

    def every(self, name: str, seconds: float) -> None:
        """Say Due(name) again and again, the first time after so many seconds; in the place of the times before."""
        self._add(name, IntervalTrigger(seconds=seconds, timezone=UTC))

    def once(self, name: str, at: datetime) -> None:
        """Say Due(name) at this time, in the place of the time before; at once where it has passed."""
        self._add(name, DateTrigger(at.astimezone(UTC)))

    def soon(self, name: str, seconds: float) -> None:
        """Say Due(name) once, after so many seconds, in the place of the time before."""
        self.once(name, datetime.now(UTC) + timedelta(seconds=seconds))

    def _add(self, name: str, when: IntervalTrigger | DateTrigger) -> None:
        self._scheduler.add_job(self._put, when, args=(Due(name),), id=name, replace_existing=True)

    def __enter__(self) -> Self:
        self._scheduler.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._scheduler.shutdown(wait=False)


class Telling:
    """The daemon's listeners; `when` is what `[notify]` says, and may change while the daemon runs."""

    def __init__(
        self, archive: Archive, log: Log, notifier: Notifier, when: str, now: Callable[[], str]
    ) -> None:
        self.when = when
        self._archive, self._log, self._notifier, self._now = archive, log, notifier, now
        self._log_note = ""

    def tell(self, event: Event) -> None:
        """Log what happened, print it, and show a notice of it where one is wanted."""
        self._log.log(event)
        if self._log.trouble != self._log_note:
            self._log_note = self._log.trouble
            set_sign(self._archive, "log_note", self._log_note, self._now())
        if notice := notice_of(event):
            self._notifier.give(notice, self.when, self._now(), monotonic())

    def step(self) -> None:
        """Look after notices that are being shown, by programs of their own; to be called every few seconds."""
        self._notifier.step(monotonic())

    def stop(self) -> None:
        """Leave no notice behind that is still on its way."""
        self._notifier.stop()
