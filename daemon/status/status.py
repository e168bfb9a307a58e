"""The status of the daemon: where it is, whether it is paused, its problems, its money, what it has done.

All times are texts in UTC.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

import tomli

from daemon.archive import jobs as daemon_state
from daemon.archive import journal as ledger
from daemon.archive.archive import Archive
from daemon.archive.arrivals import ChatOutcome, newest_outcomes
from daemon.archive.chats import RunProgress, kept_run, known_chats
from daemon.archive.journal import LONGEST_SECONDS, batch_age, open_batches
from daemon.archive.outputs import standing_outputs
from daemon.archive.signs import Sign, all_signs, remove_signs, set_sign, sign
from daemon.files.clock import periods
from daemon.files.lock import hold, is_held
from daemon.files.paths import default_state, resolve, runtime_folder
from daemon.files.write import is_own, make_own, replace_file, sha256_of
from daemon.status.sentences import seconds_between, span
from rules.arrival import IN_HAND, UNTAKEN
from rules.errors import MemprocError
from rules.money.price import dollars
from rules.typingmind.dates import parse_date, write_date

RESCAN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class DaemonPlace:
    """The place of the archive, the log and the daemon's lock, and how often the daemon looks through the inbox."""

    state: Path
    rescan_seconds: float = RESCAN_SECONDS

    @property
    def lock(self) -> Path:
        """Held by the daemon for as long as it lives."""
        return self.state / "daemon.lock"


def read_place(toml: Path) -> DaemonPlace | None:
    """The place that memproc.toml names, whatever its other settings say; None where that much cannot be read."""
    unnamed: str | None = ""
    try:
        text = toml.read_bytes().decode("utf-8-sig")
        try:
            tables = tomli.loads(text)
        except tomli.TOMLDecodeError as error:
            tables = tomli.loads("".join(text.splitlines(keepends=True)[: error.lineno - 1]))
            unnamed = (
                None  # below the line where it is broken, the state folder may be named after all
            )
    except (OSError, ValueError):
        return None
    folders, watch = tables.get("folders", {}), tables.get("watch", {})
    written = folders.get("state", unnamed) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve(written or str(default_state()), toml.parent)
    seconds = watch.get("rescan_seconds") if isinstance(watch, dict) else None
    rescan_seconds = float(seconds) if isinstance(seconds, int | float) else RESCAN_SECONDS
    return DaemonPlace(state, rescan_seconds) if isinstance(state, Path) else None


@contextmanager
def shown_as_waiting(config: Path | None, trouble: MemprocError) -> Iterator[None]:
    """Let `waits_for` return `trouble` for as long as the block runs; where not even that can be kept, nothing.

    It is kept outside the state folder, whose disk may be what is missing.
    """
    path = _waiting_place(config)
    with ExitStack() as stack:
        with suppress(MemprocError, OSError):
            make_own(path.parent)
            stack.enter_context(hold(path.with_suffix(".lock"), "waits"))
            replace_file(path, [json.dumps([trouble.message, trouble.next_step]).encode()])
        yield


def waits_for(config: Path | None) -> MemprocError | None:
    """The error that the daemon with this memproc.toml waits for; None where no daemon waits."""
    for path in (_waiting_place(config), _waiting_place(None)):
        with suppress(MemprocError, OSError, ValueError, TypeError):
            if is_own(path.parent) and is_held(path.with_suffix(".lock")):
                return MemprocError(*json.loads(path.read_bytes()))
    return None


def _waiting_place(config: Path | None) -> Path:
    """A file for each memproc.toml; a daemon for which none was named has one for itself."""
    name = sha256(str(config.absolute() if config else "").encode()).hexdigest()[:16]
    return runtime_folder() / f"waiting-{name}.json"


_SIGN = "paused_until"
_LONGEST = timedelta(days=366)
_PART = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Pause:
    """No work is taken up until `until` (UTC); empty: until `memproc resume`."""

    until: str


def read_duration(text: str) -> timedelta:
    """The length of "2h", "30m", "3d" or "1h30m". Raises ValueError with half a sentence where it is no duration."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError('must be a number with s, m, h or d, like "30m", "2h" or "3d"')
    length = sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    if not timedelta() < length <= _LONGEST:
        raise ValueError("must be longer than nothing, and not longer than a year")
    return length


def begin_pause(archive: Archive, length: timedelta | None, now: str) -> Pause:
    """Pause from `now` on, until `end_pause` where there is no `length`. Durable when this returns."""
    began = parse_date(now)
    until = write_date(began + length) if began and length else ""
    set_sign(archive, _SIGN, until, now)
    return Pause(until)


def end_pause(archive: Archive, now: str) -> Pause | None:
    """End the pause, and return it; None where there was none."""
    pause = current_pause(archive, now)
    remove_signs(archive, _SIGN)
    return pause


def current_pause(archive: Archive, now: str) -> Pause | None:
    """The pause that is in force at `now`; None where work may be taken up. One small query."""
    entry = sign(archive, _SIGN)
    return Pause(entry.value) if entry and (not entry.value or now < entry.value) else None


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """An updated export as it is now; one that is gone may be the person's doing."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def written_exports(archive: Archive) -> Iterator[WrittenExport]:
    """The updated exports that chats have now, each file once. Each is read to its last byte."""
    titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    for output in standing_outputs(archive):
        path = Path(output.path)
        content = sha256_of(path)
        state: Literal["changed", "gone"] = "gone" if content is None else "changed"
        title = titles.get(output.chat_id, output.chat_id)
        yield WrittenExport(title, path, "as written" if content == output.sha256 else state)


HEALTHY, ATTENTION, NOT_RUNNING = 0, 1, 2
MOST_QUEUED = 100
_SLOW_SECONDS = 120.0
_NEVER = Sign("", "")
_OF_THE_DAEMON = frozenset({"pid", "started_at", "watch_mode", "last_event", "last_scan"})
_LOGS = "See what happened with: memproc logs"


@dataclass(frozen=True, slots=True)
class StatusProblem:
    """Something that the person has to look at; `what` names the file, the chat or the part."""

    what: str
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Life:
    """When the daemon did what; empty for what has never been."""

    pid: str
    since: str
    last_sign: str
    """The time at which the daemon wrote into the archive last, whatever it was."""
    mode: str
    """The way in which the inbox is watched: `native`, `poll` or `none`."""
    why: str
    last_event: str
    last_scan: str


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars, with what is reserved; `unpriced` calls of this month have no known price, and are not in them."""

    today_usd: float
    month_usd: float
    unpriced: int


@dataclass(frozen=True, slots=True)
class SentBatch:
    """A batch that a provider works on."""

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
    queue: tuple[daemon_state.QueuedFile, ...]
    """The first hundred, in the order in which they are further on."""
    outcomes: tuple[ChatOutcome, ...]
    """One for each chat, newest first."""
    money: Money
    jobs: tuple[daemon_state.Job, ...]
    """Next one first."""
    batches: tuple[SentBatch, ...] = ()
    """Oldest first."""
    run: RunProgress | None = None
    """The one that goes on just now."""
    last_run: RunProgress | None = None
    """The newest one, where none goes on."""

    @property
    def open_files(self) -> dict[str, int]:
        """The number of unfinished files in each state."""
        return {
            state: number for state, number in self.files.items() if state in (*UNTAKEN, *IN_HAND)
        }

    @property
    def exit_code(self) -> int:
        """0 healthy, 1 something wants attention, 2 not running."""
        if not self.running:
            return NOT_RUNNING
        return ATTENTION if self.problems else HEALTHY


def status(
    archive: Archive,
    time: datetime,
    running: bool,
    rescan_seconds: float,
    is_there: Callable[[str], bool] = os.path.lexists,
) -> Status:
    """The status at `time`. `running`: a daemon holds the lock; `is_there`: whether a file still lies in the inbox."""
    signs, now = all_signs(archive), write_date(time)
    newest = max((entry.at for name, entry in signs.items() if name in _OF_THE_DAEMON), default="")
    pid, mode, why = (signs.get(name, _NEVER).value for name in ("pid", "watch_mode", "watch_note"))
    since, event, scan = (
        signs.get(name, _NEVER).at for name in ("started_at", "last_event", "last_scan")
    )
    problems = [*daemon_problems(signs, now, running, rescan_seconds)]
    for job in sorted(daemon_state.jobs(archive), key=lambda job: job.name):
        if job.error:
            step = f"It is tried again at its next time. {_LOGS}"
            problems.append(StatusProblem(f"the timed job {job.name}", job.error, step))
    last = last_run(archive, now)
    if last and last.by_hand and last.trouble:
        problems.append(
            StatusProblem(
                "the last run by hand", last.trouble, last.next_step or "Run memproc again."
            )
        )
    # A problem with a file or chat ends when the person takes the file out of the inbox, or drops a newer one.
    for trouble in (
        *daemon_state.chats_in_trouble(archive),
        *daemon_state.files_in_trouble(archive),
    ):
        if is_there(trouble.path):
            problems.append(StatusProblem(trouble.name, trouble.reason, trouble.next_step or _LOGS))
    return Status(
        now,
        running,
        current_pause(archive, now),
        tuple(problems),
        Life(pid, since, newest, mode, why, event, scan),
        daemon_state.files_by_state(archive),
        daemon_state.queued_files(archive, MOST_QUEUED),
        newest_outcomes(archive),
        money_spent(archive, time),
        daemon_state.jobs(archive),
        tuple(
            SentBatch(len(batch.items), batch.began_at)
            for batch in open_batches(archive)
            if batch_age(batch, now) < LONGEST_SECONDS
        ),
        run_progress(archive, now),
        last,
    )


def run_progress(archive: Archive, now: str) -> RunProgress | None:
    """The run that goes on just now, begun by the daemon or by hand; None where none does.

    A run that was killed has left its progress behind, and no lock.
    """
    run = kept_run(archive, now)
    return run if run and not run.ended_at and is_held(archive.path.with_name("lock")) else None


def last_run(archive: Archive, now: str) -> RunProgress | None:
    """The newest run, where none goes on just now; one that was killed says that it was cut off."""
    run = kept_run(archive, now)
    if run is None or run.ended_at:
        return run
    if run_progress(archive, now):
        return None
    return replace(
        run,
        ended_at=run.kept_at,
        outcome="cut off",
        trouble="It was cut off in the middle. What is finished is kept.",
        next_step="To go on from there: memproc run",
        seconds_left=None,
    )


def daemon_problems(
    signs: Mapping[str, Sign], now: str, running: bool, rescan_seconds: float
) -> Iterator[StatusProblem]:
    """Problems of the daemon itself, by its own signs in the archive."""
    values = {name: entry.value for name, entry in signs.items()}
    if reason := values.get("config_error"):
        step = "Correct them: memproc.toml is read again by itself, and till then all is as before."
        yield StatusProblem("the settings", reason, step)
    if reason := values.get("inbox_note"):
        yield StatusProblem("the inbox", reason, "memproc goes on by itself as soon as it can.")
    elif values.get("watch_mode") == "none":
        step = "Till then, the rescans find what is dropped."
        yield StatusProblem("the watch on the inbox", values.get("watch_note", ""), step)
    if reason := values.get("log_note"):
        yield StatusProblem(
            "the log", reason, "memproc works on, and writes the log again as soon as it can."
        )
    newest = max(
        (signs[name].at for name in ("started_at", "last_scan") if name in signs), default=""
    )
    silent = seconds_between(newest, now)
    if running and silent is not None and silent > 2 * rescan_seconds + _SLOW_SECONDS:
        reason = f"It has not looked through the inbox for {span(silent)}, so it seems to hang."
        yield StatusProblem("the daemon", reason, "Start it anew with: memproc service install")


def money_spent(archive: Archive, time: datetime) -> Money:
    """The money of the calls that were asked since midnight, and since the first of the month."""
    today = periods(time)
    amounts = ledger.spent(archive, "", today)
    return Money(
        dollars(amounts.day),
        dollars(amounts.month),
        ledger.unpriced_since(archive, today.month_began),
    )
