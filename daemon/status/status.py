"""Read the daemon's status: whether it runs, its pause, problems, money and work.

All times are texts in UTC.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from daemon.archive import jobs as daemon_state
from daemon.archive import journal as ledger
from daemon.archive.archive import Archive
from daemon.archive.brought import export_at_rest, exports_at_rest
from daemon.archive.journal import LONGEST_SECONDS, batch_age, open_batches
from daemon.archive.outputs import last_output, restored_clause
from daemon.archive.signs import Sign, all_signs
from daemon.archive.work import (
    FileInWork,
    Run,
    files_by_state,
    newest_outcomes,
    newest_run,
    queued_files,
    work_in_trouble,
)
from daemon.events import ChatIs
from daemon.files.clock import periods, seconds_between, span
from daemon.files.lock import is_held
from daemon.status.place import RESCAN_SECONDS, Pause, current_pause
from rules.arrival import IN_HAND, UNTAKEN
from rules.money.price import dollars
from rules.typingmind.dates import write_date

HEALTHY, ATTENTION, NOT_RUNNING = 0, 1, 2
MOST_QUEUED = 100
_SLOW_SECONDS = 120.0
_NEVER = Sign("", "")
OF_THE_DAEMON = frozenset(
    {"pid", "started_at", "watch_mode", "last_event", "last_scan", "stopped_at"}
)
"""The signs that show that a daemon has run."""
RUN_BY_HAND = "the last run by hand"
"""The name of a problem of the last run by hand."""
_LOGS = "See what happened with: memproc logs"


@dataclass(frozen=True, slots=True)
class StatusProblem:
    """What the person must look at; `what` names the file, the chat or the part of memproc."""

    what: str
    reason: str
    next_step: str
    file: str = ""
    """The name of the file that a chat came in; empty for what is in no file."""


@dataclass(frozen=True, slots=True)
class Life:
    """What the daemon's signs say; each time is when it last did something, empty for never."""

    pid: str
    since: str
    last_sign: str
    """When the daemon last stored a sign."""
    mode: str
    """How the inbox is watched: `native`, `poll` or `none`."""
    why: str
    last_event: str
    last_scan: str
    page: str
    """Why the daemon does not show the page yet; empty where it does."""
    stopped: str = ""
    """When it was told to stop and did; empty while it runs, or if it ended otherwise."""


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars spent and reserved, without the `unpriced` calls of this month."""

    today_usd: float
    month_usd: float
    unpriced: int


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch that a provider is working on."""

    requests: int
    since: str


@dataclass(frozen=True, slots=True)
class Status:
    """All that `memproc status` shows."""

    now: str
    running: bool
    paused: Pause | None
    problems: tuple[StatusProblem, ...]
    life: Life
    files: dict[str, int]
    """The number of files in each state."""
    queue: tuple[FileInWork, ...]
    """The first hundred unfinished files, the furthest advanced first."""
    outcomes: tuple[ChatIs, ...]
    """The last outcome of each chat, newest first."""
    money: Money
    jobs: tuple[daemon_state.Job, ...]
    """The timed jobs, the next one first."""
    batches: tuple[SentBatch, ...]
    """The open batches, oldest first."""
    resting: tuple[StatusProblem, ...]
    """Exports of other programs of which something is left to bring; they need no attention."""
    run: Run | None
    """The run in progress."""
    last_run: Run | None
    """The newest run, if none is in progress."""
    unpacked: tuple[str, ...] = ()
    """A sentence for each folder in the inbox that is read like its ZIP."""
    kept: tuple[str, ...] = ()
    """A sentence for each chat on how many tokens its kept passages take."""
    trials: tuple[str, ...] = ()
    """A sentence on the last trial of each model in memproc.toml that is on one's own server."""

    @property
    def open_files(self) -> dict[str, int]:
        """Return the number of unfinished files in each state."""
        return {
            state: number for state, number in self.files.items() if state in (*UNTAKEN, *IN_HAND)
        }

    @property
    def exit_code(self) -> int:
        """Return 0 if healthy, 1 if something needs attention, 2 if the daemon no longer runs.

        If no daemon ever ran, the person runs memproc by hand, which counts as healthy.
        """
        if self.life.last_sign and not self.running:
            return NOT_RUNNING
        return ATTENTION if self.problems else HEALTHY


def read_status(
    archive: Archive,
    time: datetime,
    running: bool,
    is_there: Callable[[str], bool] = os.path.lexists,
) -> Status:
    """Return the status at `time`.

    `running` says whether a daemon holds the lock, `is_there` tells whether a file still exists.
    """
    signs, now = all_signs(archive), write_date(time)
    run = present_run(archive, now)
    of_daemon = daemon_problems(signs, now, running)
    return Status(
        now=now,
        running=running,
        paused=current_pause(archive, now),
        problems=(*of_daemon, *_problems_of_work(archive, run, is_there)),
        life=_life(signs),
        files=files_by_state(archive),
        queue=queued_files(archive, MOST_QUEUED),
        outcomes=tuple(unless_restored(archive, chat) for chat in newest_outcomes(archive)),
        money=money_spent(archive, time),
        jobs=daemon_state.jobs(archive),
        batches=tuple(
            SentBatch(len(batch.items), batch.began_at)
            for batch in open_batches(archive)
            if batch_age(batch, now) < LONGEST_SECONDS
        ),
        resting=tuple(
            StatusProblem(export.path.name, export.reason, export.next_step)
            for export in exports_at_rest(archive)
        ),
        run=run if run and run.goes_on else None,
        last_run=run if run and not run.goes_on else None,
    )


def unless_restored(archive: Archive, chat: ChatIs) -> ChatIs:
    """Return the outcome of a chat.

    If a version was restored and no export came since, the outcome says so.
    """
    last, clause = last_output(archive, chat.chat_id), restored_clause(archive, chat.chat_id)
    if last is None or not clause or (chat.kind == "skipped" and chat.when > last.written_at):
        return chat
    return replace(chat, kind="unchanged", detail=clause, path="", when=last.written_at)


def _life(signs: Mapping[str, Sign]) -> Life:
    """Return what the daemon's signs say of it."""
    newest = max((entry.at for name, entry in signs.items() if name in OF_THE_DAEMON), default="")
    pid, mode, why, page = (
        signs.get(name, _NEVER).value for name in ("pid", "watch_mode", "watch_note", "page_note")
    )
    since, event, scan = (
        signs.get(name, _NEVER).at for name in ("started_at", "last_event", "last_scan")
    )
    stopped = signs.get("stopped_at", _NEVER).at
    return Life(pid, since, newest, mode, why, event, scan, page, stopped)


def _problems_of_work(
    archive: Archive, run: Run | None, is_there: Callable[[str], bool]
) -> Iterator[StatusProblem]:
    """Yield the problems of timed jobs, of the last run by hand, and of chats and files.

    A file's problem ends when the person removes it from the inbox, or drops a newer one.
    """
    for job in sorted(daemon_state.jobs(archive), key=lambda job: job.name):
        if job.error:
            step = f"It is tried again at its next time. {_LOGS}"
            yield StatusProblem(f"the timed job {job.name}", job.error, step)
    if run and run.by_hand and run.ended == "cut off":
        reason = "It was cut off in the middle. What is finished is kept."
        yield StatusProblem(RUN_BY_HAND, reason, "To go on from there: memproc run")
    elif run and run.by_hand and run.reason:
        yield StatusProblem(RUN_BY_HAND, run.reason, run.next_step or "Run memproc again.")
    for trouble in work_in_trouble(archive):
        if is_there(trouble.path) and not export_at_rest(archive, Path(trouble.path)):
            step, file = trouble.next_step or _LOGS, Path(trouble.path).name
            yield StatusProblem(trouble.name, trouble.reason, step, file)


def present_run(archive: Archive, now: str) -> Run | None:
    """Return the run in progress, of the daemon or by hand, else the newest one."""
    return newest_run(archive, now, is_at_work=is_held(archive.path.with_name("lock")))


def daemon_problems(signs: Mapping[str, Sign], now: str, running: bool) -> Iterator[StatusProblem]:
    """Yield problems of the daemon itself, by its signs in the archive."""
    values = {name: entry.value for name, entry in signs.items()}
    if reason := values.get("config_error"):
        step = "Correct them: memproc.toml is read again automatically; until then the settings before it are used."
        yield StatusProblem("the settings", reason, step)
    if reason := values.get("inbox_note"):
        yield StatusProblem("the inbox", reason, "memproc goes on automatically as soon as it can.")
    elif values.get("watch_mode") == "none":
        step = "Till then, the rescans find what is dropped."
        yield StatusProblem("the watch on the inbox", values.get("watch_note", ""), step)
    if running and values.get("page_step"):
        yield StatusProblem("the page", values["page_note"], values["page_step"])
    newest = max(
        (signs[name].at for name in ("started_at", "last_scan") if name in signs), default=""
    )
    silent = seconds_between(newest, now)
    if running and silent is not None and silent > 2 * RESCAN_SECONDS + _SLOW_SECONDS:
        reason = f"It has not looked through the inbox for {span(silent)}, so it seems to hang."
        yield StatusProblem("the daemon", reason, "Start it again with: memproc service install")


def money_spent(archive: Archive, time: datetime) -> Money:
    """Return the cost of the calls since midnight and the first of the month, in local time."""
    today = periods(time)
    amounts = ledger.spent(archive, "", today)
    return Money(
        dollars(amounts.day),
        dollars(amounts.month),
        ledger.unpriced_since(archive, today.month_began),
    )
