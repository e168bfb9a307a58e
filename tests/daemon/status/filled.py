"""Fills an archive by hand with what a daemon would have left in it; it is always Saturday noon, or before."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from daemon.archive.archive import Archive
from daemon.status.status import Status, read_status
from rules.money.price import PICO
from rules.typingmind.dates import write_date

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def ago(**span: float) -> str:
    """A time before noon, as the archive has it."""
    return write_date(NOON - timedelta(**span))


def ahead(**span: float) -> str:
    """A time after noon."""
    return write_date(NOON + timedelta(**span))


def alive(archive: Archive, **more: str) -> None:
    """The signs of a daemon that is well; `more` says what others hold."""
    given: Mapping[str, tuple[str, str]] = {
        "pid": ("4711", ago(hours=3)),
        "started_at": (ago(hours=3), ago(hours=3)),
        "watch_mode": ("native", ago(hours=3)),
        "watch_note": ("The system reports changes as they happen.", ago(hours=3)),
        "last_event": ("the inbox has changed", ago(minutes=40)),
        "last_scan": ("", ago(minutes=2)),
        **{name: (value, ago(seconds=5)) for name, value in more.items()},
    }
    archive.run_many(
        "INSERT OR REPLACE INTO sign (name, value, at) VALUES (?, ?, ?)",
        [(name, value, at) for name, (value, at) in given.items()],
    )


def arrival(
    archive: Archive,
    name: str,
    state: str,
    reason: str = "",
    next_step: str = "",
    sha256: str | None = None,
    next_look_at: str | None = None,
) -> int:
    """A file of the inbox; its number."""
    archive.run(
        "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, reason, next_step, next_look_at, "
        "seen_at, changed_at) VALUES (?, 1, 1, 1, 1, ?, ?, ?, ?, ?, ?, ?)",
        (
            f"/inbox/{name}",
            sha256,
            state,
            reason,
            next_step,
            next_look_at,
            ago(minutes=9),
            ago(minutes=8),
        ),
    )
    return last_row(archive)


def outcome(
    archive: Archive,
    of: int,
    title: str,
    kind: str = "written",
    chat_id: str = "",
    detail: str = "",
    next_step: str = "",
    at: str = "",
) -> None:
    """What became of a chat; a written one has its updated export under its title."""
    path = f"/updated/{title}.json" if kind == "written" else ""
    archive.run(
        "INSERT INTO outcome (arrival, chat_id, title, kind, detail, next_step, path, at) VALUES (?,?,?,?,?,?,?,?)",
        (of, chat_id, title, kind, detail, next_step, path, at or ago(minutes=7)),
    )


def call(archive: Archive, asked_at: str, usd: float | None) -> None:
    """A call of a model in the ledger."""
    archive.run(
        "INSERT INTO spending (request, chat_id, model, run, tokens, reserved, settled, at) "
        "VALUES ('r', 'c', 'm', '', 1, ?, ?, ?)",
        (None if usd is None else 0, None if usd is None else round(usd * PICO), asked_at),
    )


def reply(archive: Archive, answered_at: str, usd: float) -> None:
    """A kept reply of a model."""
    texts = ("model", "step", "text", "finish", "asked_at", "chat_id", "parameters")
    tokens = ("tokens_in", "tokens_out", "tokens_cached", "tokens_cache_written")
    row = {"request": answered_at, "answered_at": answered_at, "usd": usd}
    archive.insert("reply", dict.fromkeys(texts, "") | dict.fromkeys(tokens, 0) | row)


def job(archive: Archive, name: str, due_at: str, error: str | None = None) -> None:
    """A timed job."""
    archive.run("INSERT INTO job (name, due_at, error) VALUES (?, ?, ?)", (name, due_at, error))


def last_row(archive: Archive) -> int:
    return int(archive.run("SELECT last_insert_rowid()")[0][0])


def at_noon(archive: Archive, running: bool = True, gone: frozenset[str] = frozenset()) -> Status:
    """The status at noon; every file lies in the inbox but those that are `gone`."""
    return read_status(archive, NOON, running, lambda path: path not in gone)
