"""Whether the daemon is to take up work: told by `memproc pause`, kept in the archive, obeyed by the loop."""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli

from daemon.archive import ledger as spending
from daemon.archive.archive import Archive
from daemon.archive.arrivals import ChatOutcome, newest_outcomes
from daemon.archive.batches import LONGEST_SECONDS, batch_age, open_batches
from daemon.archive.jobs import Job, Sign, jobs, remove_signs, set_sign, sign
from daemon.files.clock import periods
from daemon.files.paths import default_state, resolve
from daemon.status.sentences import seconds_between, span
from rules.arrival import IN_HAND, UNTAKEN
from rules.money.price import dollars
from rules.typingmind.dates import parse_date, write_date

SIGN = "paused_until"
_LONGEST = timedelta(days=366)
_PART = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Paused:
    """No work is taken up until `until` (UTC); empty: until `memproc resume`."""

    until: str


@dataclass(frozen=True, slots=True)
class NotAPause:
    """What was written is no length of a pause."""

    reason: str


def read_duration(text: str) -> timedelta | NotAPause:
    """How long "2h", "30m", "3d" or "1h30m" is."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return NotAPause('must be a number with s, m, h or d, like "30m", "2h" or "3d"')
    length = sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    if not timedelta() < length <= _LONGEST:
        return NotAPause("must be longer than nothing, and not longer than a year")
    return length


def pause(archive: Archive, length: timedelta | None, now: str) -> Paused:
    """Pause from `now` on, until `resume` where there is no `length`. Durable when this returns."""
    began = parse_date(now)
    until = write_date(began + length) if began and length else ""
    set_sign(archive, SIGN, until, now)
    return Paused(until)


def resume(archive: Archive, now: str) -> Paused | None:
    """End the pause, and say which it was; None where there was none."""
    was = paused(archive, now)
    remove_signs(archive, SIGN)
    return was


def paused(archive: Archive, now: str) -> Paused | None:
    """The pause that counts at `now`; None where work may be taken up. One small query."""
    said = sign(archive, SIGN)
    return Paused(said.value) if said and (not said.value or now < said.value) else None


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars, with what is reserved; `unpriced` calls of this month have no known price, and are not in them."""

    today_usd: float
    month_usd: float
    unpriced: int


def spent(archive: Archive, now: datetime) -> Money:
    """The money of the calls that were asked since midnight, and since the first of the month."""
    when = periods(now)
    amounts = spending.spent(archive, "", when)
    return Money(dollars(amounts.day), dollars(amounts.month), spending.unpriced_since(archive, when.month_began))


if TYPE_CHECKING:
    from daemon.cli.settings import Settings

RESCAN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the archive, the log and the daemon's lock lie, and how often the daemon looks through the inbox."""

    state: Path
    rescan_seconds: float = RESCAN_SECONDS

    @property
    def lock(self) -> Path:
        """Held by the daemon for as long as it lives."""
        return self.state / "daemon.lock"


def find_place(settings: "Settings") -> Place:
    """The place that memproc.toml names, read without checking its other settings.

    Raises ConfigurationError where not even that much can be read.
    """
    path = settings.found.path
    if path is None:
        return Place(settings.folders.state)
    try:
        said, whole = _tables(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        return Place(settings.folders.state)  # which tells all that is wrong
    return _place(said, path.parent, whole) or Place(settings.folders.state)


def _tables(text: str) -> tuple[Mapping[str, Any], bool]:
    """What stands in memproc.toml before the line where it is broken, and whether that is all of it."""
    try:
        return tomli.loads(text), True
    except tomli.TOMLDecodeError as error:
        return tomli.loads("".join(text.splitlines(keepends=True)[: error.lineno - 1])), False


def _place(said: Mapping[str, Any], base: Path, whole: bool) -> Place | None:
    """The place, unless the state folder may be named where it cannot be read."""
    folders, watch = said.get("folders", {}), said.get("watch", {})
    written = folders.get("state", "" if whole else None) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve(written or str(default_state()), base)
    seconds = watch.get("rescan_seconds") if isinstance(watch, dict) else None
    often = float(seconds) if isinstance(seconds, int | float) else RESCAN_SECONDS
    return Place(state, often) if isinstance(state, Path) else None


_SLOW_SECONDS = 120.0
# No newer file has taken the place of the arrival; the same content once more is no newer file.
_IN_ITS_PLACE = """NOT EXISTS (
    SELECT 1 FROM arrival AS later WHERE later.path = arrival.path AND later.id > arrival.id
    AND NOT (later.state = 'done' AND later.sha256 IS arrival.sha256))"""
_LOGS = "See what happened with: memproc logs"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the person has to look at; `what` names the file, the chat or the part."""

    what: str
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Watch:
    """When it is, and what is known of the daemon: whether it runs, and how often it looks through the inbox."""

    now: str
    running: bool
    rescan_seconds: float


def problems(
    archive: Archive, signs: Mapping[str, Sign], watch: Watch, is_there: Callable[[str], bool]
) -> tuple[Problem, ...]:
    """All problems, the daemon's own first, then the newest.

    A file is none any more once the person has taken it out of the inbox, or has dropped a newer one in its
    place; a chat is none any more once it has come by again.
    """
    return (*_of_daemon(signs, watch), *_of_jobs(archive), *_of_chats(archive, is_there), *_of_files(archive, is_there))


def _of_daemon(signs: Mapping[str, Sign], watch: Watch) -> Iterator[Problem]:
    said = {name: sign.value for name, sign in signs.items()}
    if reason := said.get("config_error"):
        yield Problem(
            "the settings",
            reason,
            "Correct them: memproc.toml is read again by itself, and till then all is as before.",
        )
    if reason := said.get("inbox_note"):
        yield Problem("the inbox", reason, "memproc goes on by itself as soon as it can.")
    elif said.get("watch_mode") == "none":
        yield Problem(
            "the watch on the inbox", said.get("watch_note", ""), "Till then, the rescans find what is dropped."
        )
    if reason := said.get("log_note"):
        yield Problem("the log", reason, "memproc works on, and writes the log again as soon as it can.")
    newest = max((signs[name].at for name in ("started_at", "last_scan") if name in signs), default="")
    silent = seconds_between(newest, watch.now)
    if watch.running and silent is not None and silent > 2 * watch.rescan_seconds + _SLOW_SECONDS:
        yield Problem(
            "the daemon",
            f"It has not looked through the inbox for {span(silent)}, so it seems to hang.",
            "Start it anew: end its process, or say memproc service install.",
        )


def _of_jobs(archive: Archive) -> Iterator[Problem]:
    for name, error in archive.run("SELECT name, error FROM job WHERE error <> '' ORDER BY name"):
        yield Problem(f"the timed job {name}", error, f"It is tried again at its next time. {_LOGS}")


def _of_chats(archive: Archive, is_there: Callable[[str], bool]) -> Iterator[Problem]:
    rows = archive.run(
        f"""
        WITH by_title AS (SELECT title, max(id) AS newest FROM outcome GROUP BY title),
             by_chat AS (SELECT chat_id, max(id) AS newest FROM outcome GROUP BY chat_id)
        SELECT outcome.title, outcome.detail, outcome.next_step, arrival.path FROM outcome
        JOIN arrival ON arrival.id = outcome.arrival
        JOIN by_title ON by_title.title = outcome.title AND by_title.newest = outcome.id
        JOIN by_chat ON by_chat.chat_id = outcome.chat_id AND (by_chat.newest = outcome.id OR outcome.chat_id = '')
        WHERE outcome.kind = 'set aside' AND {_IN_ITS_PLACE} ORDER BY outcome.id DESC
        """  # noqa: S608
    )
    for title, detail, next_step, path in rows:
        if is_there(path):
            yield Problem(title, detail, next_step or _LOGS)


def _of_files(archive: Archive, is_there: Callable[[str], bool]) -> Iterator[Problem]:
    """Files that were set aside or wait for the person, unless their chats have told it already."""
    rows = archive.run(
        f"""
        SELECT path, state, reason, next_step FROM arrival
        WHERE (state = 'set aside' OR (next_step <> '' AND state NOT IN ('written', 'done', 'gone')))
        AND id NOT IN (SELECT arrival FROM outcome WHERE kind = 'set aside') AND {_IN_ITS_PLACE} ORDER BY id DESC
        """  # noqa: S608
    )
    for path, state, reason, next_step in rows:
        if is_there(path):
            yield Problem(Path(path).name, reason or f"It is {state}.", next_step or _LOGS)


HEALTHY, ATTENTION, NOT_RUNNING = 0, 1, 2
MOST_QUEUED = 100
_NEVER = Sign("", "")
_OPEN = (*UNTAKEN, *IN_HAND)
_OF_THE_DAEMON = frozenset({"pid", "started_at", "watch_mode", "last_event", "last_scan", "last_cookie"})


@dataclass(frozen=True, slots=True)
class Life:
    """Proof of life; all times are UTC, and empty for what has never been."""

    pid: str
    since: str
    last_sign: str
    """When the daemon gave its newest sign, whatever it was."""
    mode: str
    """`native`, `poll` or `none`."""
    why: str
    last_event: str
    last_scan: str
    last_cookie: str


@dataclass(frozen=True, slots=True)
class Queued:
    """A file that memproc is not through with, and what it waits for."""

    arrival: int
    file: str
    state: str
    reason: str
    changed_at: str
    next_look_at: str | None
    tries: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A batch that has been sent."""

    requests: int
    since: str


@dataclass(frozen=True, slots=True)
class Status:
    """All that `memproc status` shows."""

    now: str
    running: bool
    paused: Paused | None
    problems: tuple[Problem, ...]
    life: Life
    files: dict[str, int]
    """How many files are in each state."""
    queue: tuple[Queued, ...]
    """The first hundred, in the order in which they are further on."""
    outcomes: tuple[ChatOutcome, ...]
    """One for each chat, newest first."""
    money: Money
    jobs: tuple[Job, ...]
    """Next one first."""
    batches: tuple[Waiting, ...] = ()
    """Batches whose end is waited for, oldest first."""

    @property
    def open_files(self) -> dict[str, int]:
        """The same for the files that memproc is not through with."""
        return {state: number for state, number in self.files.items() if state in _OPEN}

    @property
    def exit_code(self) -> int:
        """0 healthy, 1 something wants attention, 2 not running."""
        if not self.running:
            return NOT_RUNNING
        return ATTENTION if self.problems else HEALTHY


def status(
    archive: Archive,
    now: datetime,
    running: bool,
    rescan_seconds: float,
    is_there: Callable[[str], bool] = os.path.lexists,
) -> Status:
    """The status at `now`. `running`: a daemon holds the lock; `is_there`: whether a file still lies there."""
    given, present = _signs(archive), write_date(now)
    return Status(
        present,
        running,
        paused(archive, present),
        problems(archive, given, Watch(present, running, rescan_seconds), is_there),
        _life(given),
        dict(archive.run("SELECT state, count(*) FROM arrival GROUP BY state ORDER BY state")),
        _queue(archive),
        newest_outcomes(archive),
        spent(archive, now),
        jobs(archive),
        tuple(
            Waiting(len(batch.items), batch.began_at)
            for batch in open_batches(archive)
            if batch_age(batch, present) < LONGEST_SECONDS
        ),
    )


def _signs(archive: Archive) -> dict[str, Sign]:
    return {name: Sign(value, at) for name, value, at in archive.run("SELECT name, value, at FROM sign")}


def _life(given: dict[str, Sign]) -> Life:
    def at(name: str) -> str:
        return given.get(name, _NEVER).at

    theirs = (sign.at for name, sign in given.items() if name in _OF_THE_DAEMON)
    pid, mode, why = (given.get(name, _NEVER).value for name in ("pid", "watch_mode", "watch_note"))
    looks = (at(name) for name in ("last_event", "last_scan", "last_cookie"))
    return Life(pid, at("started_at"), max(theirs, default=""), mode, why, *looks)


def _queue(archive: Archive) -> tuple[Queued, ...]:
    rows = archive.run(
        """
        SELECT id, path, state, reason, changed_at, next_look_at, tries FROM arrival
        WHERE state IN ('working', 'planned', 'copied', 'waiting', 'paused', 'settling', 'seen')
        ORDER BY CASE state WHEN 'working' THEN 1 WHEN 'planned' THEN 2 WHEN 'copied' THEN 3 WHEN 'waiting' THEN 4
                 WHEN 'paused' THEN 5 WHEN 'settling' THEN 6 ELSE 7 END, id LIMIT ?
        """,
        (MOST_QUEUED,),
    )
    return tuple(Queued(number, Path(path).name, *rest) for number, path, *rest in rows)
