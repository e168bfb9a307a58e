"""Give the daemon's child one file or timed job at a time, and record what its events change.

    next     start a child: to read memproc.toml again, for a file, or for a timed job; while
             paused only the first
    hand on  give the child another small file; each is a run with its own cap and outcome
    take     store an event of the child in the archive and the log
    ended    the child has ended; if it broke off, its file or job is tried again
    beat     kill a child that hangs

All of this runs in the daemon's one thread.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    Arrival,
    find_arrival,
    next_work,
    waiting_arrivals,
)
from daemon.archive.jobs import begin_job, due_jobs, end_job, jobs, set_jobs
from daemon.archive.pressed import waiting_presses
from daemon.archive.signs import remove_signs, set_sign, sign
from daemon.archive.work import is_told_to_stop
from daemon.events import Alive, DaemonIs, Event, Note, RunDone, RunFailed, Trouble
from daemon.files.clock import here
from daemon.files.lock import is_held
from daemon.inbox.child import STOPPED, Child, Put, exit_in_words
from daemon.inbox.file_work import FileWork
from daemon.inbox.intake import copy_path, enqueue, forget_copy
from daemon.inbox.schedule import Schedule, Telling
from daemon.inbox.watch_plan import SettingsAre, needs_restart, plan_of
from daemon.status.place import Pause, current_pause
from rules.arrival import FINISHED
from rules.retention import next_attempt, next_due, timings
from rules.typingmind.dates import parse_date, write_date
from service.command import memproc_argv

BEAT_SECONDS = 5.0
HANG_SECONDS = 900.0
"""How long a child may be silent unless it announces a longer silence."""
_MARGIN_SECONDS = 60.0
"""Added to a silence that the child announces."""
_READ_AGAIN_SECONDS = 60.0
_PRESS_AGAIN_SECONDS = 60.0
_SMALL_BYTES = 4 << 20
"""The largest file that shares a child: to start a process takes longer than to read it."""
_MOST_FILES_A_CHILD = 200
_SETTINGS = "settings"
_PRESSED = "pressed"
_IN_WORDS = {
    _SETTINGS: "reading memproc.toml",
    _PRESSED: "doing what was pressed while a run worked",
    "prune": "removing old versions from the backups",
    "verify": "verifying the backups",
    "retry": "looking for postponed work",
    "maintain": "keeping the archive in order",
}


@dataclass(slots=True)
class _Task:
    """What the child works on now: a file, or the job of this name."""

    child: Child
    words: str
    work: FileWork | None = None
    job: str = ""
    files: int = 1
    """The number of files that the child was given."""
    shares: bool = False
    """Whether the child may be given more files."""
    is_over: bool = False
    """Whether the job has reported its end."""
    silent_beats: int = 0
    """Beats without an event: no seconds, since a computer that slept misses only one beat."""
    patience: float = HANG_SECONDS
    """Seconds for which the child may be silent; never lowered, since calls may overlap."""
    why_killed: str = ""


class Dispatch:
    """Runs one task at a time, with the `plan` and settings of the present memproc.toml."""

    def __init__(
        self,
        archive: Archive,
        settings: SettingsAre,
        config: Path | None,
        schedule: Schedule,
        telling: Telling,
        put: Put,
        now: Callable[[], str],
        argv: Callable[..., list[str]] = memproc_argv,
    ) -> None:
        """Set up the jobs.

        `config` is the file of `--config`; `argv` makes the child's command line.
        """
        self.plan = plan_of(settings)
        self.reload = False
        """Whether memproc.toml is to be read again before anything else is done."""
        self._settings, self._config, self._argv = settings, config, argv
        self._archive, self._schedule, self._telling, self._put, self._now = (
            archive,
            schedule,
            telling,
            put,
            now,
        )
        self._task: _Task | None = None
        self._is_stopping = False
        self._reload_at: float | None = None
        """When memproc.toml is read again after a failure, in seconds of the monotonic clock."""
        self._press_at = 0.0
        """When changes that were pressed may be carried out next, by the same clock."""
        self._pause: Pause | None = None
        self._set_jobs()

    @property
    def busy(self) -> bool:
        """Return whether a child runs."""
        return self._task is not None

    @property
    def doing(self) -> str:
        """Return the present work in words; empty if no child runs."""
        return self._task.words if self._task else ""

    def next(self) -> None:
        """Start the next task, if there is one and no child runs."""
        if self._task or self._is_stopping:
            return
        if self._is_reload_due():
            self.reload, self._reload_at = False, None
            self._start(_IN_WORDS[_SETTINGS], ("job", _SETTINGS), job=_SETTINGS)
            return
        if self._has_presses():
            self._press_at = monotonic() + _PRESS_AGAIN_SECONDS
            self._start(_IN_WORDS[_PRESSED], ("job", _PRESSED), job=_PRESSED)
            return
        if self._is_paused():
            return
        arrival = next_work(self._archive, self._now())
        name = next(iter(due_jobs(self._archive, self._now())), "")
        if not (arrival or name) or is_held(self.plan.state / "lock"):
            return  # another memproc works, such as a `memproc run` by hand
        if arrival is not None and (work := self._work_on(arrival)):
            arguments = ("run", str(work.copy), "--events")
            self._start(_in_words(work), arguments, work=work, shares=_is_small(arrival))
        elif name:
            begin_job(self._archive, name, self._now())
            self._start(_IN_WORDS[name], ("job", name), job=name)

    def _has_presses(self) -> bool:
        """Return whether a killed run left changes that it should have carried out at its end."""
        if monotonic() < self._press_at or is_held(self.plan.state / "lock"):
            return False
        return bool(waiting_presses(self._archive))

    def _is_reload_due(self) -> bool:
        return self.reload or (self._reload_at is not None and monotonic() >= self._reload_at)

    def _work_on(self, arrival: Arrival) -> FileWork | None:
        """Return the work on a dropped file; None where memproc has no copy of it."""
        if not arrival.sha256:
            return None
        copy = copy_path(self.plan.state, arrival.sha256, arrival.path)
        name, run = PurePath(arrival.path).name, self._now()
        return FileWork(self._archive, arrival.id, copy, name, self._now, run)

    def _hand_on(self, task: _Task) -> None:
        """Give the child another file to share it, if there is one; else tell it to end."""
        arrival = self._next_shared(task)
        work = arrival and self._work_on(arrival)
        if work and task.child.hand(work.copy):
            task.work, task.words, task.files = work, _in_words(work), task.files + 1
        else:
            task.child.ask_to_stop()

    def _next_shared(self, task: _Task) -> Arrival | None:
        """Return the next file that may share the child; None if something else comes first."""
        if not task.shares or task.files >= _MOST_FILES_A_CHILD:
            return None
        if self._is_stopping or self._is_reload_due() or self._is_paused():
            return None
        arrival = next_work(self._archive, self._now())
        if arrival is None or not _is_small(arrival) or is_held(self.plan.state / "lock"):
            return None
        return arrival

    def take(self, event: Event) -> None:
        """Record an event of the child."""
        task = self._task
        if task is None:
            return
        task.silent_beats = 0
        if isinstance(event, Alive):
            task.patience = max(task.patience, event.seconds + _MARGIN_SECONDS)
            if task.work:
                task.work.take(event)
        elif task.work:
            for telling in task.work.take(event):
                self._telling.say(telling)
            self._forget_copy(task.work)
            if task.work.is_over:
                self._hand_on(task)
            self._stop_if_asked(task)
        elif isinstance(event, Note):
            self._telling.tell(event)
        elif isinstance(event, RunDone | RunFailed):
            self._job_ended(task.job, event)
            task.is_over = True

    def _stop_if_asked(self, task: _Task) -> None:
        """Tell the child to stop if the person has asked its run to stop."""
        if task.work and is_told_to_stop(self._archive, task.work.run):
            task.child.ask_to_stop()

    def ended(self, code: int) -> None:
        """Record the child's end, and have what it did not finish tried again."""
        task = self._task
        if task is None:
            return
        task.child.wait()
        work = task.work
        is_over = work.is_over if work else task.is_over
        # A further file that the child had not begun yet stays queued.
        is_untouched = work is not None and not work.has_begun and task.files > 1
        if self._is_stopping or (work and code == STOPPED):
            if work and not is_over:
                self._telling.say(work.stopped())
        elif not (is_over or is_untouched):
            self._lost(work, task.job, task.why_killed or exit_in_words(code))
        if work:
            self._forget_copy(work)
        self._task = None  # last, so that this is repeated if the archive could not be written

    def _lost(self, work: FileWork | None, job: str, reason: str) -> None:
        """Report that a child broke off or could not start; `reason` has no full stop."""
        self._telling.tell(Trouble("the process that works", reason))
        if work:
            self._telling.say(work.retry_or_skip(reason))
        elif job == _SETTINGS:
            self._refused(
                f"memproc.toml could not be read: {reason}.",
                "It is read again by itself.",
                may_pass=True,
            )
        else:
            self._due_again(job, reason, failed=True)

    def beat(self) -> None:
        """Count a beat of silence, and kill a child that hangs."""
        task = self._task
        if task is None or task.why_killed:
            return
        self._stop_if_asked(task)
        task.silent_beats += 1
        if (silent := task.silent_beats * BEAT_SECONDS) > task.patience:
            task.why_killed = (
                f"the process that worked gave no sign of life for {silent:,.0f} seconds "
                "and was ended"
            )
            task.child.kill()

    def stop(self) -> None:
        """Start nothing more, and tell the child to finish its calls under way. Returns at once."""
        self._is_stopping = True
        if self._task:
            self._task.child.ask_to_stop()

    def kill(self) -> None:
        """Kill the child, if there is one; its last events stay in the queue."""
        self._is_stopping = True
        if self._task:
            self._task.child.kill()
            self._task.child.wait()

    def _start(
        self,
        words: str,
        arguments: Sequence[str],
        work: FileWork | None = None,
        job: str = "",
        *,
        shares: bool = False,
    ) -> None:
        """Start a child for a piece of work; where that fails, the work is tried again later."""
        argv = self._argv(self._config, "--supervised", *arguments)
        try:
            child = Child(argv, self._settings, self._put)
            self._task = _Task(child, words, work, job, shares=shares)
        except OSError as fault:
            self._lost(
                work, job, f"the process that works could not be started: {fault.strerror or fault}"
            )

    def _forget_copy(self, work: FileWork) -> None:
        """Remove memproc's copy of a file whose work is over."""
        if (
            work.is_over
            and (arrival := find_arrival(self._archive, work.arrival)).state in FINISHED
        ):
            forget_copy(self._archive, self.plan.state, arrival)

    def _is_paused(self) -> bool:
        """Return whether `memproc pause` is in force; log when that begins and ends."""
        before, self._pause = self._pause, current_pause(self._archive, self._now())
        if self._pause and self._pause != before:
            self._telling.tell(DaemonIs("paused", self._pause.until))
        elif before and not self._pause:
            self._telling.tell(DaemonIs("resumed"))
            self._try_again(waiting_arrivals(self._archive))
        return self._pause is not None

    def _try_again(self, arrivals: Sequence[int]) -> None:
        """Queue arrivals again whose work was put off."""
        enqueue(self._archive, self.plan.state, tuple(arrivals), self._now())

    def _settings_read(self, settings: SettingsAre) -> None:
        """Use the settings read again, unless they need a restart; try waiting files again."""
        after = plan_of(settings)
        restart = needs_restart(self.plan, after)
        remove_signs(self._archive, "config_error")
        self._telling.tell(DaemonIs("configured", ", ".join(restart)))
        if not restart:  # else the child would work in other folders than the daemon
            self._settings, self.plan = settings, after
            self._telling.when = after.notify
            self._set_jobs()
        self._try_again(waiting_arrivals(self._archive))

    def _refused(self, message: str, next_step: str, *, may_pass: bool) -> None:
        """Keep the previous settings.

        A failure that may pass is reported once, and the reading repeated.
        """
        before, reason = sign(self._archive, "config_error"), f"{message} {next_step}"
        set_sign(self._archive, "config_error", reason, self._now())
        if not (may_pass and before and before.value == reason):
            self._telling.tell(Trouble("the settings", message, next_step))
        if may_pass:
            self._reload_at = monotonic() + _READ_AGAIN_SECONDS

    def _set_jobs(self) -> None:
        """Schedule the timed jobs of these settings; those that came due meanwhile are due now."""
        self._timings = timings(self.plan.night)
        set_jobs(self._archive, self._timings, here())
        for job in jobs(self._archive):
            if when := parse_date(job.due_at):
                self._schedule.once(job.name, when)

    def _job_ended(self, name: str, event: RunDone | RunFailed) -> None:
        """Record the end of a job.

        One that failed is soon due again, one that found faults is not.
        """
        if name == _PRESSED:
            return  # what it has not done is tried again
        if isinstance(event, RunDone) and name == _SETTINGS:
            self._settings_read(SettingsAre(**event.settings))
        elif isinstance(event, RunDone):
            self._try_again(event.arrivals)
            self._due_again(name, event.error, failed=False)
        elif name == _SETTINGS:
            is_wrong = event.kind == "blocked"
            self._refused(event.message, event.next_step, may_pass=not is_wrong)
        elif event.kind != "busy":  # a busy one stays due
            self._due_again(name, f"{event.message} {event.next_step}", failed=True)

    def _due_again(self, name: str, error: str, *, failed: bool) -> None:
        """Record the end of a timed job, and schedule its next time."""
        if name in self._timings:
            when = (next_attempt if failed else next_due)(self._timings[name], here())
            end_job(self._archive, name, self._now(), write_date(when), error or None)
            self._schedule.once(name, when)
        self._telling.tell(RunDone(name, error))


def _in_words(work: FileWork) -> str:
    return f"working on {work.file}"


def _is_small(arrival: Arrival) -> bool:
    """Return whether a file may share a child: it is small, and no child has broken off at it."""
    return arrival.size <= _SMALL_BYTES and not arrival.tries
