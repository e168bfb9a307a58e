"""Post what is due into the loop's queue, by APScheduler, and tell the listeners of events.

    beat      every few seconds: a sign of life, a look at settings, pauses and the child
    rescan    the full look at the inbox, at its interval
    scan      a look at the inbox that is due sooner
    prune, verify, maintain, retry    the timed jobs, whose due times are kept in the archive

What came due while the machine slept is posted once, as soon as it is awake.
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
    """A clock that runs inside `with`, which must end before the daemon's main function does."""

    def __init__(self, put: Put) -> None:
        self._put = put
        # The "debug" executor: the clock's own thread puts into the queue, with no other.
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            jobstores={"default": MemoryJobStore()},
            executors={"default": DebugExecutor()},
            job_defaults=_LATE_BUT_ONCE,
        )

    def every(self, name: str, seconds: float) -> None:
        """Post Due(name) every `seconds`, replacing an earlier interval."""
        self._add(name, IntervalTrigger(seconds=seconds, timezone=UTC))

    def once(self, name: str, at: datetime) -> None:
        """Post Due(name) at this time, replacing an earlier one; at once if it has passed."""
        self._add(name, DateTrigger(at.astimezone(UTC)))

    def soon(self, name: str, seconds: float) -> None:
        """Post Due(name) once, after this time, replacing an earlier one."""
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
    """The daemon's listeners; `when` is what `[notify]` says, and may change while it runs."""

    def __init__(
        self, archive: Archive, log: Log, notifier: Notifier, when: str, now: Callable[[], str]
    ) -> None:
        self.when = when
        self._archive, self._log, self._notifier, self._now = archive, log, notifier, now
        self._log_note = ""

    def tell(self, event: Event) -> None:
        """Log what happened, print it, and show a notice of it if one is wanted."""
        self._log.log(event)
        if self._log.trouble != self._log_note:
            self._log_note = self._log.trouble
            set_sign(self._archive, "log_note", self._log_note, self._now())
        if notice := notice_of(event):
            self._notifier.give(notice, self.when, self._now(), monotonic())

    def step(self) -> None:
        """Check on notices that are being shown by other programs; call it every few seconds."""
        self._notifier.step(monotonic())

    def stop(self) -> None:
        """Cancel notices that are still on their way."""
        self._notifier.stop()
