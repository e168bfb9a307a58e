"""Post what is due into the loop's queue, by APScheduler, and tell the listeners of events.

    beat      every few seconds: a sign of life, and a check of settings, pause and child
    rescan    the regular scan of the inbox
    scan      a scan of the inbox that is due sooner
    prune, verify, maintain, retry    the timed jobs, whose due times are in the archive

What came due while the machine slept is posted once, as soon as it wakes up.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
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
from daemon.archive.log import note
from daemon.archive.work import Titled, known_titles
from daemon.events import Event
from daemon.inbox.child import Due, Put
from daemon.status.notices import FindCommand, Notifier, Speak, notice_of
from daemon.status.titles import event_without_titles
from rules.errors import ArchiveError

_LATE_BUT_ONCE = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}


class Schedule:
    """A clock that runs inside `with`, which must end before the daemon's main function does."""

    def __init__(self, put: Put) -> None:
        self._put = put
        # With the "debug" executor the clock's own thread puts into the queue; no other is
        # needed.
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
    """The daemon's listeners: journal or terminal, log, and desktop.

    `when` is `[notify]`'s, and may change. The journal names no chat by its title: others can read
    it, and a title can be as private as a message. File names stay, although they contain a title:
    under a changed name no file is found.
    """

    def __init__(
        self,
        archive: Archive,
        speak: Speak,
        find_command: FindCommand,
        when: str,
        now: Callable[[], str],
    ) -> None:
        self.when = when
        self._archive, self._speak, self._now = archive, speak, now
        self._notifier = Notifier(archive, find_command, self.tell)
        self._known: Sequence[Titled] = ()

    def tell(self, event: Event) -> None:
        """Print an event, and log it."""
        self.say(event)
        note(self._archive, event, self._now())

    def say(self, event: Event) -> None:
        """Print an event that is in the log already, and show a desktop notice if one is wanted."""
        # The event may be that the archive cannot be read; then the titles known so far must do.
        with suppress(ArchiveError):
            self._known = known_titles(self._archive)
        self._speak(self._now(), event_without_titles(event, self._known))
        if notice := notice_of(event):
            self._notifier.give(notice, self.when, self._now(), monotonic())

    def step(self) -> None:
        """Check on the programs that are showing notices; to be called every few seconds."""
        self._notifier.step(monotonic())

    def stop(self) -> None:
        """End the programs that are still showing notices."""
        self._notifier.stop()
