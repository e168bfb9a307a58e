"""Damage is noticed: the hash of each row, raw bytes that prove themselves, and what SQLite's errors mean for a
person.

A seal on every row that a chat is made from: a hash which shows when anything but memproc has changed the row.

A connection of memproc's seals what it writes, by triggers of its own. Readers ask before they hand out a chat.
"""

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from threading import get_ident
from typing import Any

from daemon.files.write import TEMPORARY, explain, file_errors, flush_folder, replace_file
from rules.errors import ArchiveError, DamagedChat

MEND = (
    "Copy the whole folder away first. Then put the newest sound copy of the archive, out of its folder copies, in its "
    "place, or move the archive away where there is none, and run: memproc rebuild. Exports, updated files and backups "
    "do not depend on it."
)
"""The way on where an archive is damaged."""

_A_LITTLE = 1 << 17
"""Bytes; more than SQLite wants at once beside its archive."""
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_DENIED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_PERM", "SQLITE_AUTH")
# Damage that SQLite itself does not notice: a table is gone, or a text holds what is no text.
_SIGNS_OF_DAMAGE = (
    "no such table", "no such column", "no such index", "no such function", "has no column named",
    "cannot join using column", "Could not decode to UTF-8", "malformed database schema",
)  # fmt: skip


_SENTENCES = (
    (
        ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"),
        "Another program keeps the archive {} locked.",
        "Close it (a database viewer, perhaps), and run again.",
    ),
    (("SQLITE_FULL",), "The disk of the archive {} is full.", "Free some space, and run again."),
)


_RAISED: dict[int, BaseException] = {}
"""The errors raised while a row was sealed, by the number of the thread in which it happened."""


@contextmanager
def archive_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's error inside the block into ArchiveError; a mistake in our own SQL stays what it is.

    What is raised while SQLite seals a row, Ctrl-C most often, comes back from it as an error of its own: here it is
    what it was again.
    """
    try:
        yield
    except (
        UnicodeDecodeError
    ) as fault:  # SQLite's own words about tables whose names are no text any more
        raise damaged(path, "its tables are not those of its version") from fault
    except sqlite3.Error as fault:
        if str(fault) == "user-defined function raised exception":
            raise _RAISED.pop(get_ident(), KeyboardInterrupt()) from fault
        if (trouble := _trouble(path, fault)) is None:
            raise
        raise trouble from fault


def damaged(path: Path, what: str = "") -> ArchiveError:
    """The sentence for an archive that is damaged; `what` says where, if that is known."""
    return ArchiveError(f"The archive {path} is damaged{f': {what}' if what else ''}.", MEND)


def _trouble(path: Path, fault: sqlite3.Error) -> ArchiveError | None:
    name = getattr(fault, "sqlite_errorname", "")
    if name.startswith(_DAMAGED) or any(sign in str(fault) for sign in _SIGNS_OF_DAMAGE):
        return damaged(path)
    if name.startswith(_DENIED):
        return unusable(path, name)
    sentences = (sentence for beginnings, *sentence in _SENTENCES if name.startswith(beginnings))
    for message, next_step in sentences:
        return ArchiveError(message.format(path), next_step)
    return None


def unusable(path: Path, name: str = "SQLITE_IOERR") -> ArchiveError:
    """The error where SQLite may not read or write. SQLite does not say why, so the system is asked once more:
    the archive is read, and a little is written beside it.
    """
    try:
        with path.open("rb") as file:
            file.read(1)
        with TemporaryFile(prefix=TEMPORARY, dir=path.parent) as file:
            file.write(bytes(_A_LITTLE))
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        reason, next_step = explain(fault)
        return ArchiveError(f"The archive {path} cannot be read or written: {reason}.", next_step)
    return ArchiveError(
        f"The archive {path} cannot be read or written ({name}).",
        "Look whether its disk is full, read-only or failing, and whether your account may write there. "
        "Then run memproc again: what was kept is whole.",
    )


_NOTE = "import-unfinished"


def begin_import(state: Path, file: Path) -> None:
    """Note that an archive is being taken over into this folder. Raises FileTrouble."""
    replace_file(state / _NOTE, [str(file.absolute()).encode(errors="replace")])


def end_import(state: Path) -> None:
    """All of it is in its place. Raises FileTrouble."""
    with file_errors(state / _NOTE, "removed"):
        (state / _NOTE).unlink(missing_ok=True)
        flush_folder(state)


def is_unfinished(state: Path) -> bool:
    """Whether an import was begun here and has not ended. Raises FileTrouble."""
    with file_errors(state / _NOTE, "looked at"):
        return (state / _NOTE).exists()


def refuse_unfinished(state: Path) -> None:
    """Raise ArchiveError, which says how to go on, where an import has not ended."""
    if not is_unfinished(state):
        return
    with file_errors(state / _NOTE, "read"):
        file = (state / _NOTE).read_bytes().decode(errors="replace")
    raise ArchiveError(
        f"An archive was being taken over into {state}, and that has not ended: perhaps only a part of it is there.",
        f"Finish it with: memproc import-archive {file} --yes. To do without it, move what lies in the folders "
        f"before-import-... back to where it was, and remove {state / _NOTE}.",
    )


_SMALLEST_PACKED_BYTES = 200


def packed(raw: bytes) -> tuple[bytes, int]:
    """The bytes to store, and 1 where they are packed with zlib, else 0."""
    smaller = zlib.compress(raw, 6) if len(raw) >= _SMALLEST_PACKED_BYTES else raw
    return (smaller, 1) if len(smaller) < len(raw) else (raw, 0)


def unpacked(stored: object, is_packed: object, expected: str) -> bytes:
    """The raw message's own bytes. Raises DamagedChat unless their SHA-256 is the expected one."""
    raw = stored
    if is_packed and isinstance(stored, bytes):
        with suppress(zlib.error):
            raw = zlib.decompress(stored)
    if not isinstance(raw, bytes) or sha256(raw).hexdigest() != expected:
        raise DamagedChat(
            "A raw message in the archive is damaged.",
            f"See what else is, with: memproc verify. {MEND}",
        )
    return raw


Run = Callable[..., list[tuple[Any, ...]]]
"""`Archive.run`."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """The columns that the seal of a table's rows covers, and the condition for a row to be a chat's."""

    columns: Sequence[str]
    of_chat: str
    """SQL; ?1 is the number of the chat's row."""


def _sealed(columns: str, of_chat: str = "chat = ?1") -> Sealed:
    return Sealed(columns.split(), of_chat)


_BY_CHAT_ID = "chat_id = (SELECT chat_id FROM chat WHERE id = ?1)"
_BY_MEMORY = "memory IN (SELECT id FROM memory WHERE chat = ?1)"
_BY_MESSAGE = "message IN (SELECT id FROM message WHERE chat = ?1)"
# A missing message that no chat has may have been any that is gone.
_MISSING = (
    f"({_BY_MESSAGE} OR message NOT IN (SELECT id FROM message) "  # noqa: S608  the names are ours
    "AND EXISTS (SELECT 1 FROM message WHERE chat = ?1 AND gone_at IS NOT NULL))"
)

# Where an updated export lies, and when it was written, is not covered: a folder may be moved, a clock set.
SEALED = {
    "chat": _sealed("id chat_id title folder_id head tail first_seen round_to", "id = ?1"),
    "message": _sealed("id chat key position left_out gone_at said_at"),
    "version": _sealed("id message number sha256 digest uuid role created_at seen_at", _BY_MESSAGE),
    "missing": _sealed("message since", _MISSING),
    "chat_state": _sealed(
        "number chat_id sha256 file doubt at accepted_at modified said_at", _BY_CHAT_ID
    ),
    "memory": _sealed(
        "id chat number level first_uuid last_uuid began_at ended_at source_tokens pinned forgotten_at "
        "chosen_edition due hindsight origin recalled"
    ),
    "chunk_message": _sealed("memory place message version", _BY_MEMORY),
    "fold_member": _sealed("fold place member", "fold IN (SELECT id FROM memory WHERE chat = ?1)"),
    "edition": _sealed(
        "memory number kind texts quotes made agent context_manager requests tokens written_at",
        _BY_MEMORY,
    ),
    "layer_step": _sealed("memory layer edition done_at", _BY_MEMORY),
    "core_event": _sealed(
        "id chat section value held held_lines by function memory edition undoes at"
    ),
    "fact_event": _sealed("id chat fact event text said_at source by memory edition why at"),
    "opening": _sealed("chat digest text preface by base at"),
    "output": _sealed("id chat_id sha256 messages_sha256 source_sha256 ours_sha256", _BY_CHAT_ID),
    "rest": _sealed("chat_id sha256 stand found", _BY_CHAT_ID),
    "reply": _sealed(
        "request model step text finish tokens_in tokens_out tokens_cached tokens_cache_written usd asked_at "
        "answered_at chat_id parameters litellm_usd batch calls",
        "false",
    ),
}
_WITH_MORE = {"version": ("(SELECT chat || ' ' || key FROM message WHERE id = version.message)",)}
"""A version is nothing without its message: whose it is, and in which chat."""
_READ = tuple(table for table in SEALED if table not in ("reply", "rest"))

_TORN = {
    "message": "SELECT 1 FROM message WHERE chat = ?1 GROUP BY chat HAVING count(*) <= max(position)",
    "version": """
        SELECT 1 FROM message WHERE chat = ?1
        AND NOT EXISTS (SELECT 1 FROM version WHERE version.message = message.id)
    """,
    "memory": """
        SELECT 1 FROM memory WHERE chat = ?1 AND NOT EXISTS (SELECT 1 FROM edition WHERE memory = memory.id)
        UNION ALL SELECT 1 FROM memory JOIN fold_member ON fold = memory.id
            WHERE chat = ?1 GROUP BY memory.id HAVING count(*) <= max(place)
    """,
    "chunk_message": """
        SELECT 1 FROM message JOIN chunk_message ON chunk_message.message = message.id
            LEFT JOIN memory ON memory.id = chunk_message.memory
            WHERE message.chat = ?1 AND memory.chat IS NOT ?1
        UNION ALL SELECT 1 FROM memory JOIN chunk_message ON chunk_message.memory = memory.id
            WHERE chat = ?1 GROUP BY memory.id HAVING count(*) <= max(place)
    """,
}
"""Whether a row that a chat must have belongs to another, or to none: a seal says nothing of a row that is not found.

Messages, the chunks of memories and the members of folds are numbered from 0 without a gap.
"""


def seal_of(types: str, *values: bytes | float | None) -> str:
    """The hash of a row: of its values' types and of the values, of which texts come as their bytes."""
    parts = [types.encode()]
    for value in values:
        content = value if isinstance(value, bytes) else repr(value).encode()
        parts += (b"%d:" % len(content), content)
    return sha256(b"".join(parts)).hexdigest()


def seal_in_sql(types: str, *values: bytes | float | None) -> str:
    """`seal_of` for SQLite, which hides what is raised in a function of ours: it is kept until the statement ends."""
    try:
        return seal_of(types, *values)
    except BaseException as fault:  # an interruption above all, which SQLite would swallow
        _RAISED[get_ident()] = fault
        raise


def is_sound(table: str) -> str:
    """SQL: whether a row of the table is what was stored."""
    return f"seal IS {_hash(table)}"


def seal_rows(run: Run, table: str) -> None:
    """Seal every row of a table as it is: the table has just got its present form."""
    run(f"UPDATE {table} SET seal = {_hash(table)}")  # noqa: S608  the names are ours


def seal_from_now_on(run: Run) -> None:
    """Have this connection seal what it writes."""
    for table, sealed in SEALED.items():
        for event in ("INSERT", f"UPDATE OF {', '.join(sealed.columns)}"):
            name = f"seal_on_{event.split()[0].lower()}_of_{table}"
            seal = f"UPDATE {table} SET seal = {_hash(table)} WHERE rowid = NEW.rowid;"  # noqa: S608
            run(f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table} BEGIN {seal} END")


def damaged_rows(
    run: Run, chat: int | None = None, tables: Sequence[str] = tuple(SEALED)
) -> Iterator[str]:
    """The rows that are not what was stored, by their numbers: of all chats, or of the one with this row."""
    for table in tables:
        where, values = ("", ()) if chat is None else (f"AND {SEALED[table].of_chat}", (chat,))
        rows = run(
            f"SELECT rowid FROM {table} WHERE NOT ({is_sound(table)}) {where} ORDER BY rowid",  # noqa: S608
            values,
        )
        yield from (f"row {number} of {table} is not what was stored" for (number,) in rows)


def refuse_damage(run: Run, chat_id: str, *tables: str) -> None:
    """Raise DamagedChat where a row of a chat is not what was stored; of these tables, or of all that work reads."""
    for (chat,) in run("SELECT id FROM chat WHERE chat_id = ?", (chat_id,)):
        for damage in damaged_rows(run, chat, tables or _READ):
            raise damaged_chat(damage)
        for table in tables or _READ:
            if table in _TORN and run(_TORN[table], (chat,)):
                raise damaged_chat("some of its rows no longer belong to it")


def refuse_any_damage(run: Run, *tables: str) -> None:
    """Raise DamagedChat where a row of any chat in these tables is not what was stored: this chat may lack it."""
    for damage in damaged_rows(run, tables=tables or _READ):
        raise damaged_chat(damage)


def refuse_lost_name(run: Run, chat_id: str) -> None:
    """Raise DamagedChat where the archive holds a chat under another id that may be this one, which it seems to lack.

    Its row is damaged, and would be sound with this id; or the archive says elsewhere that it knows this id.
    """
    rows = run(
        f"""
        SELECT rowid FROM chat WHERE NOT ({is_sound("chat")}) AND (
            seal IS {_hash("chat", chat_id="?1")}
            OR EXISTS (SELECT 1 FROM output WHERE chat_id = ?1)
            OR EXISTS (SELECT 1 FROM chat_state WHERE chat_id = ?1)
        )
        """,  # noqa: S608
        (chat_id,),
    )
    for (number,) in rows:
        raise damaged_chat(f"row {number} of chat is not what was stored, and may be its own")


def damaged_chat(damage: str) -> DamagedChat:
    """The error for a chat of which this is damaged."""
    return DamagedChat(f"What the archive keeps of this chat is damaged: {damage}.", MEND)


_REAL = frozenset({"usd", "litellm_usd"})
"""The columns that hold fractions, which Python writes with more digits than SQLite; all else has the same bytes."""


@cache
def _hash(table: str, **other: str) -> str:
    """SQL: the hash of a row of the table, with `other` values in the place of its own."""
    values = [
        *(other.get(column, column) for column in SEALED[table].columns),
        *_WITH_MORE.get(table, ()),
    ]
    # A text that is none any more would be no argument of a function.
    types = " || ' ' || ".join(f"typeof({value})" for value in values)
    as_bytes = (
        f"iif(typeof({value}) = 'text', CAST({value} AS BLOB), {value})"
        if value in _REAL
        else f"CAST({value} AS BLOB)"
        for value in values
    )
    return f"seal_of({types}, {', '.join(as_bytes)})"
