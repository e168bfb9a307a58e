"""What the worker is given, one order after the other, and what is made of its answers.

    next     memproc.toml read again, then a file, then a timed job; nothing but settings while paused
    heard    into the archive and the log, by watching/hearing for a file
    lost     the worker has gone in the middle: the file is tried again, the job later

All of it belongs to the daemon's one thread.
"""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.arrivals import find_arrival, next_work, waiting_arrivals
from daemon.archive.jobs import remove_signs, set_sign, sign
from daemon.inbox import events
from daemon.inbox.duties import Duties
from daemon.inbox.enqueue import enqueue
from daemon.inbox.foreman import Foreman, Lost
from daemon.inbox.hearing import Hearing, hear, lost
from daemon.inbox.intake import copy_path, forget_copy
from daemon.inbox.orders import Settings, Work
from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.reload import needs_restart
from daemon.inbox.settings_reader import watch_plan
from daemon.inbox.telling import Telling
from daemon.status import log as logged
from daemon.status.status import Paused, paused
from rules.arrival import FINISHED

_READ_AGAIN_SECONDS = 60.0


class Errands:
    """The work of the worker as the daemon's thread sees it; `plan` is what counts of memproc.toml now."""

    def __init__(
        self,
        archive: Archive,
        plan: WatchPlan,
        foreman: Foreman,
        duties: Duties,
        telling: Telling,
        now: Callable[[], str],
    ) -> None:
        self.plan = plan
        self.reload = False
        """memproc.toml is to be read again before anything else is done."""
        self._reload_at: float | None = None
        """When it is read again by itself, since it could not be read the last time; by the monotonic clock."""
        self._archive, self._foreman, self._duties, self._telling, self._now = archive, foreman, duties, telling, now
        self._hearing: Hearing | None = None
        self._gone: Lost | None = None
        """What was lost with the worker, until it is taken down: the foreman tells it once."""
        self._problem = ""
        self._paused: Paused | None = None

    def next(self) -> None:
        """Give the worker its next order, if there is one and it is free."""
        if self._foreman.busy:
            return
        if self.reload or (self._reload_at is not None and monotonic() >= self._reload_at):
            self.reload, self._reload_at = False, None
            self._foreman.give(Settings())
            return
        if self._is_paused():
            return
        arrival = next_work(self._archive, self._now())
        if arrival is not None and arrival.sha256:
            copy = copy_path(self.plan.state, arrival.sha256, arrival.path)
            work = Work(arrival.id, str(copy), PurePath(arrival.path).name)
            self._hearing = Hearing(work)
            self._foreman.give(work)
        elif duty := self._duties.begin(self._now()):
            self._foreman.give(duty)

    def heard(self, said: dict[str, object]) -> None:
        """Take down one event of the worker."""
        self._foreman.heard(said)
        event = events.event_of(said)
        if isinstance(event, events.SettingsAre):
            self._settings(event)
        elif isinstance(event, events.SettingsWrong):
            self._refused(event.message, event.next_step, may_pass=event.may_pass)
        elif self._hearing is not None:
            for told in hear(self._archive, self._hearing, event, self._now()):
                self._telling.tell(told)
            self._put_away()
        else:
            self._about_a_job(event)

    def lost(self, code: int) -> None:
        """The worker has ended; what it was doing in the middle of it is tried again."""
        self._gone = self._foreman.ended(code) or self._gone
        if self._gone is None:
            return
        reason = self._gone.reason
        self._telling.tell(logged.Trouble("the worker", reason))
        if self._hearing is not None:
            self._telling.tell(lost(self._archive, self._hearing, reason, self._now()))
            self._put_away()
        elif isinstance(self._gone.order, Settings):
            self._refused(f"memproc.toml could not be read: {reason}.", "It is read again by itself.", may_pass=True)
        else:
            self._job_ended(reason, failed=True)
        self._gone = None

    def _is_paused(self) -> bool:
        """Whether `memproc pause` counts now; its beginning and its end are told."""
        before, self._paused = self._paused, paused(self._archive, self._now())
        if self._paused and self._paused != before:
            self._telling.tell(logged.Paused(self._paused.until))
        elif before and not self._paused:
            self._telling.tell(logged.Resumed())
            self._try_again(waiting_arrivals(self._archive))
        return self._paused is not None

    def _try_again(self, arrivals: Sequence[int]) -> None:
        """Have work that was put off taken up again now."""
        enqueue(self._archive, self.plan.state, tuple(arrivals), self._now())

    def _settings(self, event: events.SettingsAre) -> None:
        after = watch_plan(event)
        restart = needs_restart(self.plan, after)
        remove_signs(self._archive, "config_error")
        self._telling.tell(logged.SettingsRead(", ".join(restart)))
        if not restart:  # else the worker would go to folders of its own
            self._foreman.adopt(event)
            self.plan = after
            self._duties.have(after.night)
            self._telling.when = after.notify
        self._try_again(waiting_arrivals(self._archive))

    def _refused(self, message: str, next_step: str, *, may_pass: bool) -> None:
        """The settings of before go on to count. What may pass is tried again, and told once."""
        before, reason = sign(self._archive, "config_error"), f"{message} {next_step}"
        set_sign(self._archive, "config_error", reason, self._now())
        if not (may_pass and before and before.value == reason):
            self._telling.tell(logged.SettingsRefused(message, next_step))
        if may_pass:
            self._reload_at = monotonic() + _READ_AGAIN_SECONDS

    def _about_a_job(self, event: events.Event) -> None:
        match event:
            case events.Reported("Retry", facts):
                self._try_again([int(number) for number in facts["arrivals"]])
            case events.Reported(_, facts) if facts.get("problem"):
                self._problem = str(facts["problem"])
            case events.Done(order) if order != Settings.__name__:
                self._job_ended(self._problem)
            case events.Failed(Settings.__name__, message, next_step):
                self._refused(message, next_step, may_pass=True)
            case events.Failed(_, message, next_step):
                self._job_ended(f"{message} {next_step}", failed=True)
            case events.Stopped():
                self._job_ended("", failed=True)

    def _job_ended(self, problem: str, *, failed: bool = False) -> None:
        self._problem = ""
        if name := self._duties.end(problem or None, self._now(), failed=failed):
            self._telling.tell(logged.JobEnded(name, problem))

    def _put_away(self) -> None:
        """Let go of a file that the worker is through with, and of its copy where nothing will need it."""
        if self._hearing is None or self._foreman.doing is not None:
            return
        arrival = find_arrival(self._archive, self._hearing.arrival)
        self._hearing = None
        if arrival.state in FINISHED:
            forget_copy(self._archive, self.plan.state, arrival)
