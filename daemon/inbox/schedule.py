"""The clock of the daemon: APScheduler's thread, which only puts Due(name) into the loop's queue, at the right time.

Nothing is kept here: due times come from the archive, and jobs are done by the loop.
"""

from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from apscheduler.executors.debug import DebugExecutor  # type: ignore[import-untyped]
from apscheduler.jobstores.memory import MemoryJobStore  # type: ignore[import-untyped]
from apscheduler.schedulers.background import BackgroundScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.date import DateTrigger  # type: ignore[import-untyped]

from daemon.inbox.wakes import Due, Put

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

    def once(self, name: str, at: datetime) -> None:
        """Say Due(name) at this time, in the place of the time set before; at once where it has passed."""
        when = DateTrigger(at.astimezone(UTC))
        self._scheduler.add_job(self._put, when, args=(Due(name),), id=name, replace_existing=True)

    def __enter__(self) -> Self:
        self._scheduler.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scheduler.shutdown(wait=False)
