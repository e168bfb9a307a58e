"""Seal and count rows, so that damage shows, and pack the bytes of raw messages.

memproc's connections seal what they write, by temporary triggers. Readers check the seals of a
chat, which show any change but memproc's, before they return its rows. Bytes are packed with zlib
where that makes them smaller.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from typing import Any

from daemon.archive.trouble import MEND, damaged_chat, keep_from_sqlite
from daemon.files.candidates import LARGEST_BYTES
from rules.errors import DamagedChat
from rules.wording import counted

_SMALLEST_PACKED_BYTES = 200
_PART_BYTES = 1 << 20

Run = Callable[..., list[tuple[Any, ...]]]
"""`Archive.run`."""

_BY_CHAT = "chat = ?1"
_BY_CHAT_ID = "chat_id = (SELECT chat_id FROM chat WHERE id = ?1)"
_BY_MEMORY = "memory IN (SELECT id FROM memory WHERE chat = ?1)"
_BY_FOLD = "fold IN (SELECT id FROM memory WHERE chat = ?1)"
_BY_MESSAGE = "message IN (SELECT id FROM message WHERE chat = ?1)"

_WITH_MORE = {"version": ("(SELECT chat || ' ' || key FROM message WHERE id = version.message)",)}
"""What a row's seal covers besides its columns: for a version, its message's chat and key."""

_REAL = frozenset({"usd", "litellm_usd"})
"""The columns with fractions, which Python and SQLite write with different digits."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """The columns that the seal of a table's rows covers."""

    columns: Sequence[str]
    of_chat: str
    """The SQL condition that a row belongs to a chat; ?1 is the number of the chat's row."""


# The path and time of an updated export are not covered: its folder may be moved.
SEALED = {
    table: Sealed(columns.split(), of_chat)
    for table, of_chat, columns in (
        (
            "chat",
            "id = ?1",
            "id chat_id title head tail round_to agent_window closing",
        ),
        ("message", _BY_CHAT, "id chat key position left_out gone_at is_missing said_at"),
        ("version", _BY_MESSAGE, "id message number sha256 digest uuid role created_at seen_at"),
        (
            "chat_state",
            _BY_CHAT_ID,
            "number chat_id sha256 file doubt at accepted_at modified said_at",
        ),
        (
            "memory",
            _BY_CHAT,
            "id chat number level first_uuid last_uuid began_at ended_at source_tokens pinned "
            "forgotten_at chosen_edition due hindsight origin recalled",
        ),
        ("chunk_message", _BY_MEMORY, "memory place message version"),
        ("fold_member", _BY_FOLD, "fold place member"),
        (
            "edition",
            _BY_MEMORY,
            "memory number kind texts quotes made agent context_manager requests tokens written_at "
            "wishes form",
        ),
        ("layer_step", _BY_MEMORY, "memory layer edition done_at"),
        (
            "core_event",
            _BY_CHAT,
            "id chat section value held held_lines by function memory edition undoes at",
        ),
        ("fact_event", _BY_CHAT, "id chat fact event text said_at source by memory edition why at"),
        (
            "kept_passage",
            _BY_CHAT,
            "id chat number message version start text said_at speaker tokens by state is_pinned "
            "asks digest reason at shown shown_at changed_at",
        ),
        ("opening", _BY_CHAT, "chat digest text preface by base at"),
        (
            "question",
            _BY_CHAT,
            "id chat memory message passage text choices seed state",
        ),
        (
            "answer",
            _BY_CHAT,
            "id chat evaluation question arm letter model settings version memories level at",
        ),
        ("output", _BY_CHAT_ID, "id chat_id sha256 messages_sha256 source_sha256 ours_sha256"),
        ("rest", _BY_CHAT_ID, "chat_id sha256 settings_sha256 found"),
        (
            "reply",
            "false",
            "request model step text finish tokens_in tokens_out tokens_cached "
            "tokens_cache_written usd asked_at answered_at chat_id parameters litellm_usd batch "
            "calls tries",
        ),
    )
}

_OWNERS = {
    _BY_CHAT: "{row}.chat",
    _BY_CHAT_ID: "{row}.chat_id",
    _BY_MEMORY: "(SELECT chat FROM memory WHERE id = {row}.memory)",
    _BY_FOLD: "(SELECT chat FROM memory WHERE id = {row}.fold)",
    _BY_MESSAGE: "(SELECT chat FROM message WHERE id = {row}.message)",
}
"""SQL for the chat of a row, by the condition in `Sealed.of_chat`. Other rows belong to no chat."""

_OF_ARCHIVE = (
    "body", "spending", "odd_usage", "calibration", "batch", "batch_request", "file_seen",
    "arrival", "log", "outcome", "pressed", "sent", "job", "sign", "notice",
)  # fmt: skip
COUNTED = (*(table for table in SEALED if table != "rest"), *_OF_ARCHIVE)
"""The tables whose rows are counted: all but caches."""

_READ = tuple(table for table in SEALED if table not in ("reply", "rest", "question", "answer"))
"""The tables that a chat is built from. A damaged evaluation stops no other work."""


def packed(raw: bytes) -> tuple[bytes, int]:
    """Return the bytes to store, and 1 if they are packed, else 0."""
    smaller = zlib.compress(raw, 6) if len(raw) >= _SMALLEST_PACKED_BYTES else raw
    return (smaller, 1) if len(smaller) < len(raw) else (raw, 0)


def unpacked(stored: object, is_packed: object, expected: str) -> bytes:
    """Return the raw message's own bytes. Raises DamagedChat unless they have this SHA-256."""
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


def is_whole(blocks: Iterable[bytes], is_packed: object, expected: str) -> bool:
    """Return whether a raw message has this SHA-256, without holding it in memory as a whole."""
    digest = sha256()
    try:
        for part in _unpacked_parts(blocks) if is_packed else blocks:
            digest.update(part)
    except zlib.error:
        return False
    return digest.hexdigest() == expected


def _unpacked_parts(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack in blocks. Raise zlib.error where the data are cut off, or more than memproc reads."""
    unpacking, bytes_left = zlib.decompressobj(), LARGEST_BYTES
    for block in blocks:
        while block and bytes_left >= 0 and not unpacking.eof:
            part = unpacking.decompress(block, _PART_BYTES)
            bytes_left, block = bytes_left - len(part), unpacking.unconsumed_tail
            yield part
    if bytes_left < 0 or not unpacking.eof:
        raise zlib.error("it does not end")


def seal_of(types: str, *values: bytes | float | None) -> str:
    """Return the hash of a row: of its values' types, and its values, with texts as bytes."""
    parts = [types.encode()]
    for value in values:
        content = value if isinstance(value, bytes) else repr(value).encode()
        parts += (b"%d:" % len(content), content)
    return sha256(b"".join(parts)).hexdigest()


def seal_in_sql(types: str, *values: bytes | float | None) -> str:
    """Return `seal_of` to SQLite, and keep what it raises, since SQLite would hide that."""
    try:
        return seal_of(types, *values)
    except BaseException as fault:  # above all KeyboardInterrupt
        keep_from_sqlite(fault)
        raise


def is_sound(table: str) -> str:
    """Return the SQL condition that a row of the table is what was stored."""
    return f"seal IS {_hash(table)}"


def seal_from_now_on(run: Run) -> None:
    """Have this connection seal and count what it writes."""
    # A seal cannot show that a row is gone. Rows that anything but memproc removes stay in the
    # count.
    for table in COUNTED:
        stored = _owner_of(table, "NEW")
        removed = f"name = '{table}' AND owner = {_owner_of(table, 'OLD')}"
        run(
            f"""
            CREATE TEMP TRIGGER count_stored_{table} AFTER INSERT ON main.{table} BEGIN
                INSERT INTO row_count (name, owner, rows) VALUES ('{table}', {stored}, 1)
                    ON CONFLICT (name, owner) DO UPDATE SET rows = rows + 1;
            END
            """  # noqa: S608  the names are ours
        )
        run(
            f"""
            CREATE TEMP TRIGGER count_removed_{table} BEFORE DELETE ON main.{table} BEGIN
                UPDATE row_count SET rows = rows - 1 WHERE {removed};
                DELETE FROM row_count WHERE {removed} AND rows = 0;
            END
            """  # noqa: S608
        )
    for table, sealed in SEALED.items():
        for event in ("INSERT", f"UPDATE OF {', '.join(sealed.columns)}"):
            name = f"seal_on_{event.split()[0].lower()}_of_{table}"
            seal = f"UPDATE {table} SET seal = {_hash(table)}"  # noqa: S608
            run(
                f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table} "
                f"BEGIN {seal} WHERE rowid = NEW.rowid; END"
            )


def lost_rows(
    run: Run, chat: tuple[int, str] | None = None, tables: Sequence[str] = COUNTED
) -> Iterator[str]:
    """Yield a clause on each table whose rows are more or fewer than stored, of all chats or one.

    `chat` is the number of the chat's row, and its id.
    """
    for table in tables:
        if chat is not None and table == "chat":
            continue
        row, chat_id = chat or (None, "")
        where = "true" if chat is None else SEALED[table].of_chat
        owner = chat_id if where == _BY_CHAT_ID else str(row or "")
        sums = f"""
            SELECT total(max(0, stored - present)), total(max(0, present - stored)) FROM (
                SELECT sum(stored) AS stored, sum(present) AS present FROM (
                    SELECT owner, rows AS stored, 0 AS present FROM row_count
                    WHERE name = ?2 AND (?3 = '' OR owner = ?3)
                    UNION ALL
                    SELECT {_owner_of(table, table)}, 0, count(*) FROM {table} WHERE {where} GROUP BY 1
                ) GROUP BY owner
            )
        """  # noqa: S608  the names are ours
        missing, added = map(int, run(sums, (row, table, owner))[0])
        if missing:
            yield f"{table} lacks {counted(missing, 'row')} of those that were stored"
        elif added:
            yield f"{table} has {counted(added, 'row')} more than were stored"


@cache
def _owner_of(table: str, row: str) -> str:
    """Return SQL for the chat of a row, as text; empty for rows that belong to no chat."""
    owner = _OWNERS.get(SEALED[table].of_chat) if table in SEALED else None
    return f"ifnull(CAST({owner.format(row=row)} AS TEXT), '')" if owner else "''"


def ends_of_rest() -> Iterator[str]:
    """Yield the triggers that end a chat's rest whenever a row about the chat is written."""
    for table, event in product(_READ, ("INSERT", "UPDATE", "DELETE")):
        if table not in ("chat", "chat_state"):
            owner = _owner_of(table, "OLD" if event == "DELETE" else "NEW")
            yield f"""
                CREATE TRIGGER rest_ends_with_{event.lower()}_of_{table} AFTER {event} ON {table} BEGIN
                    DELETE FROM rest WHERE chat_id = {owner}
                        OR chat_id = (SELECT chat_id FROM chat WHERE id = {owner});
                END
                """  # noqa: S608  the names are ours


def damaged_rows(
    run: Run, chat: int | None = None, tables: Sequence[str] = tuple(SEALED)
) -> Iterator[str]:
    """Yield a clause on each row that is not what was stored, in all chats or in one."""
    for table in tables:
        where, values = ("", ()) if chat is None else (f"AND {SEALED[table].of_chat}", (chat,))
        damaged = f"SELECT rowid FROM {table} WHERE NOT ({is_sound(table)}) {where}"  # noqa: S608
        rows = run(f"{damaged} ORDER BY rowid", values)
        yield from (f"row {number} of {table} is not what was stored" for (number,) in rows)


def refuse_damage(run: Run, chat_id: str, *tables: str) -> None:
    """Raise DamagedChat where a row of a chat is not what was stored, or is missing.

    Without `tables`, all tables are checked that a chat is built from.
    """
    for (chat,) in run("SELECT id FROM chat WHERE chat_id = ?", (chat_id,)):
        for damage in damaged_rows(run, chat, tables or _READ):
            raise damaged_chat(damage)
        for damage in lost_rows(run, (chat, chat_id), tables or _READ):
            raise damaged_chat(damage)


def refuse_any_damage(run: Run, *tables: str) -> None:
    """Raise DamagedChat for a damaged row of any chat in these tables.

    The damage may have changed which chat the row belongs to.
    """
    for damage in damaged_rows(run, tables=tables or _READ):
        raise damaged_chat(damage)


def refuse_lost_name(run: Run, chat_id: str) -> None:
    """Raise DamagedChat where a damaged row of `chat` may be the chat that seems unknown.

    That is so if the row would be sound with this id, or other tables know the id.
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


@cache
def _hash(table: str, **other: str) -> str:
    """Return SQL for the hash of a row, with `other` values in place of its own."""
    columns = (other.get(column, column) for column in SEALED[table].columns)
    values = (*columns, *_WITH_MORE.get(table, ()))
    # Texts are passed as bytes: a damaged one that is not UTF-8 could not be passed as text.
    types = " || ' ' || ".join(f"typeof({value})" for value in values)
    return f"seal_of({types}, {', '.join(map(_as_bytes, values))})"


def _as_bytes(value: str) -> str:
    """Return SQL for a value as bytes; a real number stays a number."""
    as_blob = f"CAST({value} AS BLOB)"
    return f"iif(typeof({value}) = 'text', {as_blob}, {value})" if value in _REAL else as_blob
