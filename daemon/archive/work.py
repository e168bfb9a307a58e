"""The work on each file: who began it, how far it is, and how it ended.

Runs by hand and the daemon write the same rows, by `inbox/file_work.py`; status, Home, the pill and
the log read them here.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import PurePath
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.progress import FileProgress, seconds_left
from daemon.archive.records import list_columns
from daemon.archive.signs import set_sign, sign
from daemon.events import (
    ChatIs,
    OutcomeKind,
)
from rules.arrival import IN_HAND, UNTAKEN, Sighting, State
from rules.conversation.memory import CHUNK_LEVEL, EXTRACTED
from rules.typingmind.content import make_printable

By = Literal["daemon", "hand", "page", "bridge"]
"""What began the work on a file: the daemon; or the person at a terminal, page or TypingMind."""
Ended = Literal["", "done", "failed", "stopped", "interrupted", "cut off"]
"""How a run ended: `stopped` by the person, `interrupted` as by Ctrl-C, `cut off` by a kill; ""
while it runs."""
_STOP = "stop_run"
_UNFINISHED = ", ".join(f"'{state}'" for state in (*IN_HAND, *UNTAKEN))
_OUTCOME = (
    "arrival", "chat_id", "title", "kind", "detail", "next_step", "path", "tokens_before",
    "tokens_after", "memories", "extracted", "is_kept",
)  # fmt: skip
"""The fields of ChatIs that are stored."""
_MEMORIES_MADE = """
    SELECT count(DISTINCT memory) FILTER (WHERE made <> ?1),
           count(DISTINCT memory) FILTER (WHERE made = ?1)
    FROM edition JOIN memory ON memory.id = edition.memory
    WHERE kind = 'as-of' AND level = ?2 AND written_at BETWEEN ?3 AND ?4
"""
# No newer file has replaced the arrival's; one with the same content does not count as newer. What
# a run by hand has skipped counts until the next run by hand.
_IN_ITS_PLACE = """NOT EXISTS (
    SELECT 1 FROM arrival AS later WHERE later.path = arrival.path AND later.id > arrival.id
    AND NOT (later.state = 'done' AND later.sha256 IS arrival.sha256))
    AND (by = 'daemon' OR run = (SELECT max(run) FROM arrival WHERE by <> 'daemon'))"""


def begin_by_hand(
    archive: Archive, path: str, sighting: Sighting, run: str, by: By = "hand"
) -> tuple[int, bool]:
    """Record that a run by hand begins with a file.

    Return its row, and whether the daemon's copy of it waits. It is the row of the same file, or
    one in state `working` that a killed run left at this path: no other run can be at work. Else it
    is a new row. Rows of killed runs at other paths are ended.
    """
    matching = """
        SELECT max(id), state FROM arrival WHERE path = ? AND (
            (by <> 'daemon' AND state = 'working') OR (inode = ? AND size = ? AND mtime_ns = ?))
    """
    place = asdict(sighting)
    with archive.transaction():
        number, state = archive.run(
            matching, (path, sighting.inode, sighting.size, sighting.mtime_ns)
        )[0]
        if number is None:
            row = {"path": path, **place, "state": "working"}
            number = archive.insert("arrival", {**row, "seen_at": run, "changed_at": run})
        archive.run(
            "UPDATE arrival SET state = 'stopped' WHERE by <> 'daemon' AND state = 'working' AND id <> ?",
            (number,),
        )
        archive.run(
            "UPDATE arrival SET device = ?, inode = ?, size = ?, mtime_ns = ?, by = ?, "
            "state = 'working', reason = '', next_step = '', next_look_at = NULL WHERE id = ?",
            (*place.values(), by, number),
        )
        begin_run(archive, number, run)
    return int(number), state in ("copied", "waiting", "paused")


def begin_run(archive: Archive, number: int, run: str) -> None:
    """Record that the run begun at `run` takes up a file; an earlier run's outcomes are removed."""
    with archive.transaction():
        archive.run("DELETE FROM outcome WHERE arrival = ?", (number,))
        archive.run("UPDATE arrival SET run = ?, ended = '' WHERE id = ?", (run, number))
        keep_progress(archive, number, FileProgress(), run)


def keep_progress(archive: Archive, number: int, progress: FileProgress, when: str) -> None:
    """Store how far the work on a file is. Durable when this returns."""
    values = {**asdict(progress), "changed_at": when}
    assigned = ", ".join(f"{name} = ?" for name in values)
    archive.run(f"UPDATE arrival SET {assigned} WHERE id = ?", (*values.values(), number))  # noqa: S608


def end_run(archive: Archive, run: str, ended: Ended) -> None:
    """Record how a run has ended, on all of its files."""
    archive.run("UPDATE arrival SET ended = ? WHERE run = ?", (ended, run))


def end_by_hand(archive: Archive, number: int, *, is_waiting: bool) -> None:
    """Store the hash of a file read by a run by hand; one that waits is the daemon's again."""
    archive.run(
        """
        UPDATE arrival SET by = iif(?1, 'daemon', by), sha256 = (
            SELECT sha256 FROM file_seen WHERE path = arrival.path AND size = arrival.size
            ORDER BY id DESC LIMIT 1) WHERE id = ?2
        """,
        (is_waiting, number),
    )


def record_outcome(archive: Archive, chat: ChatIs, when: str) -> None:
    """Store the outcome of a chat of a file."""
    archive.insert("outcome", {name: getattr(chat, name) for name in _OUTCOME} | {"at": when})


def newest_outcomes(archive: Archive) -> tuple[ChatIs, ...]:
    """Return the last outcome of each chat, newest first.

    Chats without an id are told apart by title. The outcome of a file in which no chat could be
    read is left out.
    """
    return _outcomes(
        archive,
        """
        id IN (SELECT max(id) FROM outcome WHERE chat_id <> '' GROUP BY chat_id)
        OR (chat_id = '' AND id IN (SELECT max(id) FROM outcome GROUP BY title)
            AND NOT EXISTS (SELECT 1 FROM arrival WHERE arrival.id = outcome.arrival
                            AND substr(arrival.path, -length(outcome.title)) = outcome.title))
        ORDER BY id DESC
        """,
    )


def outcomes_in(archive: Archive, number: int) -> tuple[ChatIs, ...]:
    """Return the outcomes of a file's chats in the newest run."""
    return _outcomes(archive, "arrival = ? ORDER BY id", number)


def outcome_of_content(archive: Archive, sha256: str, chat_id: str) -> ChatIs | None:
    """Return the chat's outcome when an export of this content was last worked on, or None."""
    newest = """
        chat_id = ? AND arrival IN (SELECT id FROM arrival WHERE sha256 = ?)
        ORDER BY id DESC LIMIT 1
    """
    return next(iter(_outcomes(archive, newest, chat_id, sha256)), None)


def _outcomes(archive: Archive, where: str, *values: object) -> tuple[ChatIs, ...]:
    rows = archive.run(f"SELECT at, {', '.join(_OUTCOME)} FROM outcome WHERE {where}", values)  # noqa: S608
    return tuple(ChatIs(**dict(zip(_OUTCOME, row, strict=True)), when=when) for when, *row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(FileProgress):
    """A run: the progress of the chat that it came to last, and sums over all its files.

    Times are in UTC.
    """

    by: By
    began_at: str
    ended: Ended
    ended_at: str
    """When it ended, or last wrote a row."""
    reason: str
    """Why it failed; empty where it did not."""
    next_step: str
    counts: Mapping[OutcomeKind, int] = field(default_factory=dict)
    """How many chats and files had each outcome."""
    written: int = 0
    """The number of memories that a model has written in it."""
    extracted: int = 0
    """The number of memories that the built-in engine has extracted in it."""
    seconds_left: float | None = None
    """The estimated seconds left for this chat; None while it is too early to say."""

    @property
    def by_hand(self) -> bool:
        """Return whether the person began it, not the daemon."""
        return self.by != "daemon"

    @property
    def goes_on(self) -> bool:
        """Return whether it has not ended."""
        return not self.ended


def newest_run(archive: Archive, now: str, *, is_at_work: bool) -> Run | None:
    """Return the newest run; `is_at_work` says whether a run holds the archive's lock now.

    A killed run has left its rows, but holds no lock.
    """
    row = archive.one(
        f"""
        SELECT {list_columns(FileProgress)}, by, run, iif(ended = '' AND NOT ?, 'cut off', ended),
               max(changed_at), iif(state = 'stopped', reason, ''), iif(state = 'stopped', next_step, '')
        FROM arrival WHERE run = (SELECT max(run) FROM arrival WHERE run <> '') GROUP BY run
        """,  # noqa: S608
        (is_at_work,),
    )
    if row is None:
        return None
    # The columns are the first fields of Run, in their order.
    run = Run(**{column.name: value for column, value in zip(fields(Run), row, strict=False)})
    of_all = "SELECT sum(usd), sum(retries), sum(unusable) FROM arrival WHERE run = ?"
    usd, retries, unusable = archive.run(of_all, (run.began_at,))[0]
    until = run.ended_at if run.ended else now
    bounds = (EXTRACTED, CHUNK_LEVEL, run.began_at, until)
    written, extracted = archive.run(_MEMORIES_MADE, bounds)[0]
    kinds = "SELECT kind, count(*) FROM outcome JOIN arrival ON arrival.id = arrival WHERE run = ? GROUP BY kind"
    return replace(
        run,
        usd=usd,
        retries=retries,
        unusable=unusable,
        counts=dict(archive.run(kinds, (run.began_at,))),
        written=written,
        extracted=extracted,
        seconds_left=None if run.ended else seconds_left(run, now),
    )


def ask_to_stop(archive: Archive, run: Run, when: str) -> None:
    """Ask this run, and no later one, to stop. Durable when this returns."""
    set_sign(archive, _STOP, run.began_at, when)


def is_told_to_stop(archive: Archive, run: str) -> bool:
    """Return whether the run that began at the time `run` was asked to stop."""
    entry = sign(archive, _STOP)
    return entry is not None and entry.value == run


@dataclass(frozen=True, slots=True)
class FileInWork:
    """A file that is unfinished or ended recently, and the outcomes of its chats."""

    arrival: int
    file: str
    """Its name, without the folder."""
    path: str
    state: State
    reason: str
    next_step: str
    changed_at: str
    next_look_at: str | None
    tries: int
    by: By
    run: str
    ended: Ended
    chat_id: str
    done: int
    total: int
    outcomes: tuple[ChatIs, ...] = ()


_FILE = ", ".join(column.name for column in fields(FileInWork)[2:-1])


def recent_work(archive: Archive, since: str) -> tuple[FileInWork, ...]:
    """Return unfinished files and those that ended after `since`, newest first."""
    recent = f"(state IN ({_UNFINISHED}) OR changed_at > ?) AND state <> 'gone' ORDER BY id DESC"
    files = _files(archive, recent, since)
    return tuple(replace(file, outcomes=outcomes_in(archive, file.arrival)) for file in files)


def queued_files(archive: Archive, most: int) -> tuple[FileInWork, ...]:
    """Return up to `most` unfinished files of the daemon, the furthest advanced first."""
    order = """
        CASE state WHEN 'working' THEN 1 WHEN 'copied' THEN 2 WHEN 'waiting' THEN 3
        WHEN 'paused' THEN 4 WHEN 'settling' THEN 5 ELSE 6 END, id LIMIT ?
    """
    return _files(archive, f"by = 'daemon' AND state IN ({_UNFINISHED}) ORDER BY {order}", most)


def _files(archive: Archive, where: str, *values: object) -> tuple[FileInWork, ...]:
    rows = archive.run(f"SELECT id, {_FILE} FROM arrival WHERE {where}", values)  # noqa: S608
    return tuple(FileInWork(number, PurePath(path).name, path, *row) for number, path, *row in rows)


def work_of_job(archive: Archive, after: int, sha256: str, path: str) -> FileInWork | None:
    """Return the file that decides a job of the bridge, among those with numbers above `after`.

    It is an unfinished one with this content, else the newest with it, else the newest at its path.
    """
    deciding = f"""
        id > ? AND (sha256 = ? OR (path = ? AND sha256 IS NULL))
        ORDER BY sha256 IS NULL, state IN ({_UNFINISHED}) DESC, id DESC LIMIT 1
    """
    return next(iter(_files(archive, deciding, after, sha256, path)), None)


def files_by_state(archive: Archive) -> dict[str, int]:
    """Return the number of the daemon's files in each state."""
    return dict(
        archive.run(
            "SELECT state, count(*) FROM arrival WHERE by = 'daemon' GROUP BY state ORDER BY state"
        )
    )


def has_row(archive: Archive, path: str, sighting: Sighting) -> bool:
    """Return whether this file, as it is now, has a row in any state."""
    newest = "SELECT size, mtime_ns FROM arrival WHERE path = ? ORDER BY id DESC LIMIT 1"
    return archive.one(newest, (path,)) == (sighting.size, sighting.mtime_ns)


@dataclass(frozen=True, slots=True)
class OpenTrouble:
    """A chat or a file that the person has to look at, and the path of the file that it came in."""

    name: str
    reason: str
    next_step: str
    path: str


def work_in_trouble(archive: Archive) -> tuple[OpenTrouble, ...]:
    """Return the chats and files in trouble.

    The chats come first, newest first: those whose last outcome is a skip that needs the person.
    Chats without a next step are left out: they are tried again by themselves. Files are those that
    were skipped or wait for the person, except those of these chats.
    """
    chats = f"""
        WITH by_title AS (SELECT title, max(id) AS newest FROM outcome GROUP BY title),
             by_chat AS (SELECT chat_id, max(id) AS newest FROM outcome GROUP BY chat_id)
        SELECT outcome.title, detail, outcome.next_step, arrival.path FROM outcome
        JOIN arrival ON arrival.id = outcome.arrival
        JOIN by_title ON by_title.title = outcome.title AND by_title.newest = outcome.id
        JOIN by_chat ON by_chat.chat_id = outcome.chat_id
                     AND (by_chat.newest = outcome.id OR outcome.chat_id = '')
        WHERE kind = 'skipped' AND outcome.next_step <> '' AND {_IN_ITS_PLACE}
        ORDER BY outcome.id DESC
    """  # noqa: S608
    files = f"""
        SELECT path, iif(reason <> '', reason,
                iif(state = 'skipped', 'It was skipped.', 'It is ' || state || '.')),
            next_step, path FROM arrival
        WHERE (state = 'skipped'
            OR (next_step <> '' AND state NOT IN ('written', 'done', 'gone', 'stopped')))
        AND id NOT IN (SELECT arrival FROM outcome WHERE kind = 'skipped' AND next_step <> '')
        AND {_IN_ITS_PLACE} ORDER BY id DESC
    """  # noqa: S608
    return archive.rows(OpenTrouble, chats) + tuple(
        replace(trouble, name=PurePath(trouble.path).name)
        for trouble in archive.rows(OpenTrouble, files)
    )


@dataclass(frozen=True, slots=True)
class Titled:
    """A chat's title and id; the id is empty where it is not known."""

    title: str
    chat_id: str


def known_titles(archive: Archive) -> tuple[Titled, ...]:
    """Return the titles of all chats, to hide them from others.

    Those of chats that were skipped before they were known are among them.
    """
    return archive.rows(
        Titled,
        """
        SELECT title, chat_id FROM chat UNION
        SELECT outcome.title, outcome.chat_id FROM outcome JOIN arrival ON arrival.id = arrival
        WHERE kind = 'skipped'  -- but not under the file's own name
          AND substr(arrival.path, -length(outcome.title)) <> outcome.title
        """,
    )


def places_of_outcomes(archive: Archive, chat_id: str, title: str) -> list[tuple[str, int]]:
    """Return chat id and arrival of each outcome of a chat, by its id, or by title in any case."""
    outcomes = "SELECT chat_id, arrival FROM outcome WHERE chat_id = ? OR lower(title) = lower(?)"
    return archive.run(outcomes, (make_printable(chat_id), make_printable(title)))
