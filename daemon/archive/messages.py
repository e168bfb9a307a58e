"""Raw messages, for ever: every version of every message, in the order of the conversation, also of adopted ones.

Adds raw messages and memories to a chat: what it takes over from the chat it came from, or a rebuild finds.

All of it within a transaction of the caller's.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import keep_chat
from daemon.archive.memories import HAD, insert_edition, insert_memory, keep_user_edits
from daemon.archive.packing import packed, unpacked
from daemon.archive.seals import refuse_damage
from rules.conversation.history import UNDER_SOME_MEMORY, Entry, Past, history
from rules.conversation.marker import MEMORY
from rules.conversation.place import Place, raw_messages
from rules.recognize.absent import Absent, KnownMessage
from rules.recognize.adopted import Adopted
from rules.recognize.chat_reading import ChatReading
from rules.recognize.true_dates import said_at, with_true_date
from rules.typingmind.chat import Chat
from rules.typingmind.content import attachments
from rules.typingmind.message import Message, read_message
from rules.typingmind.splice import with_date

_NEWEST = (
    "version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)"
)
_OF_CHAT = "chat = (SELECT id FROM chat WHERE chat_id = ?)"


@dataclass(frozen=True, slots=True)
class RawConversation:
    """The full raw conversation: the chat's JSON before its messages, the messages, and what follows them."""

    head: bytes
    messages: tuple[bytes, ...]
    tail: bytes


def remember(archive: Archive, chat: Chat, reading: ChatReading, when: str) -> bool:
    """Keep every message of the export that is not ours, and what the person did, in one transaction.

    Whether the export has added or changed a raw message, or no longer has one. A message whose bytes are new gets
    another version. One that the archive has, but that is neither in the export nor under a memory, is marked as gone,
    and is marked no more when it comes back.
    """
    with archive.transaction():
        row = keep_chat(archive, chat, when)
        adopt(archive, row, reading.adopted, when)
        known = message_keys(archive, row)
        raw = {place.key: place for place in raw_messages(reading.places)}
        _place(archive, row, order(known, reading.places, reading.entries), raw)
        changed = _keep_versions(archive, row, list(raw.values()), when)
        under = {entry.key for entry in reading.entries if not entry.gone} - set(
            reading.edits.deleted
        )
        gone = _mark_absent(archive, row, set(raw), under, reading.absent, when)
        keep_user_edits(archive, reading, when)
    return changed or gone


def put_back(
    archive: Archive, row: int, places: Sequence[Place], known: Collection[str], when: str
) -> None:
    """Keep the raw messages of a file, within a transaction of the caller's; those in `known` stay as they are.

    They count as standing under a memory that nobody knows, until an export holds them or a memory claims them.
    """
    new = [place for place in places if place.key not in known and not place.is_copy]
    raw = {place.key: replace(place, left_out=place.left_out or UNDER_SOME_MEMORY) for place in new}
    _place(archive, row, order(message_keys(archive, row), places, history((), places)), raw)
    _keep_versions(archive, row, new, when)


def _place(archive: Archive, row: int, order: Sequence[str], raw: Mapping[str, Place]) -> None:
    """Give every message its position, and those of the export the reason why they are left out, if any.

    Only what changes is written: each row costs a seal, and a long chat has thousands that stay.
    """
    for position, key in enumerate(order):
        place = raw.get(key)
        is_copy = place is not None and place.message.is_copy
        date = place.message.created_at or "" if place and is_copy else ""
        archive.run(
            """
            INSERT INTO message (chat, key, position, left_out, said_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (chat, key) DO UPDATE SET
                position = ?3, left_out = iif(?6, ?4, left_out), said_at = iif(?7, ?5, said_at)
            WHERE position <> ?3 OR (?6 AND left_out IS NOT ?4) OR (?7 AND said_at <> ?5)
            """,
            (row, key, position, place and place.left_out, date, place is not None, is_copy),
        )


def _keep_versions(archive: Archive, row: int, places: Sequence[Place], when: str) -> bool:
    """Keep the bytes that are not the newest version already; whether there were any.

    An original that we keep beside its memory has another version only where it says something else, or has its files
    in another place, as in a fork: a sync may have put its keys in another order, around our own fields.
    """
    newest = {
        key: (message, number, sha256, digest)
        for message, key, number, sha256, digest in archive.run(
            """
            SELECT message.id, key, coalesce(max(number), 0), sha256, digest
            FROM message LEFT JOIN version ON version.message = message.id WHERE chat = ? GROUP BY message.id
            """,
            (row,),
        )
    }
    is_new = False
    for place in places:
        message, number, sha256, digest = newest[place.key]
        is_same = hashlib.sha256(place.message.raw).hexdigest() == sha256
        if not is_same and not (
            place.original and _says_the_same(archive, place.message, sha256, digest)
        ):
            insert_version(archive, message, number + 1, place.message, when)
            is_new = True
    return is_new


def _says_the_same(archive: Archive, message: Message, sha256: str, digest: str) -> bool:
    """Whether the stored version with these hashes says what the message says, and names the same files."""
    if message.digest != digest:
        return False
    files = attachments(message.raw)
    stored = (
        archive.run("SELECT raw, packed FROM body WHERE sha256 = ?", (sha256,)) if files else ()
    )
    return all(attachments(unpacked(raw, packed, sha256)) == files for raw, packed in stored)


def _mark_absent(
    archive: Archive, row: int, here: set[str], under: set[str], absent: Absent, when: str
) -> bool:
    """Mark what is in no export and under no memory as gone, and take the mark from what came back; whether any is new.

    What the person has not deleted is marked as missing, until an export holds it, or names it as deleted.
    """
    rows = archive.run(
        f"""
        SELECT message.id, key, gone_at, missing.message IS NOT NULL, uuid FROM message
        LEFT JOIN missing ON missing.message = message.id
        JOIN version ON version.message = message.id AND {_NEWEST}
        WHERE chat = ? AND left_out IS NOT ?
        """,  # noqa: S608
        (row, UNDER_SOME_MEMORY),
    )
    gone = {number for number, key, *_ in rows if key not in here and key not in under}
    new = [(when, number) for number, _, gone_at, *_ in rows if number in gone and gone_at is None]
    back = [
        (number,) for number, _, gone_at, *_ in rows if number not in gone and gone_at is not None
    ]
    archive.run_many("UPDATE message SET gone_at = ? WHERE id = ?", new)
    archive.run_many("UPDATE message SET gone_at = NULL WHERE id = ?", back)
    before = {number for number, _, _, is_missing, _ in rows if is_missing}
    missing = {
        number
        for number, key, _, is_missing, uuid in rows
        if key not in here and (key in absent.keys or (is_missing and uuid not in absent.named))
    }
    archive.run_many(
        "INSERT INTO missing (message, since) VALUES (?, ?)",
        [(number, when) for number in missing - before],
    )
    archive.run_many(
        "DELETE FROM missing WHERE message = ?", [(number,) for number in before - missing]
    )
    return bool(new)


def message_keys(archive: Archive, row: int) -> tuple[str, ...]:
    """Keys of all messages that the archive has of the chat, in the order of the conversation."""
    return archive.column("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))


def order(known: Sequence[str], places: Sequence[Place], entries: Sequence[Entry]) -> list[str]:
    """All keys of a chat in the order of the conversation, each once.

    `known` are the archive's, in their order until now. The history gives the order of what was lived. What
    was left out, or is gone, stands behind the message that it stood behind until now; where it is new,
    behind the one that it stands behind in the export.
    """
    neighbours, before = list(zip(["", *known], known, strict=False)), ""
    last_under = next((entry.key for entry in reversed(entries) if entry.memory is not None), "")
    for place in places:
        if place.is_copy:
            continue
        if place.ours is None:
            neighbours.append((before, place.key))
            before = place.key
        elif place.ours.kind == MEMORY:  # it counts as the last message under one
            before = last_under
    placed = {entry.key for entry in entries}
    behind: dict[str, list[str]] = {}
    for before, key in neighbours:
        if key not in placed:
            placed.add(key)
            behind.setdefault(before, []).insert(0, key)
    keys = []
    waiting = [*(entry.key for entry in reversed(entries)), ""]
    while waiting:
        key = waiting.pop()
        keys.append(key)
        waiting += reversed(behind.get(key, []))
    return keys[1:]


def past(archive: Archive, chat_id: str) -> tuple[Past, ...]:
    """The raw messages under memories, oldest first: as each was when its memory was made, and as it is now."""
    rows = archive.run(
        """
        SELECT message.key, memory.number, gone_at IS NOT NULL, CAST(body.raw AS BLOB), body.packed, version.sha256,
               now.sha256, CAST(newest.raw AS BLOB), newest.packed, message.said_at
        FROM chat JOIN memory ON memory.chat = chat.id
        JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message
        JOIN version ON version.id = chunk_message.version
        JOIN version AS now ON now.message = message.id
             AND now.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        LEFT JOIN body ON body.sha256 = version.sha256
        LEFT JOIN body AS newest ON newest.sha256 = now.sha256 AND now.id <> version.id
        WHERE chat.chat_id = ? ORDER BY memory.number, chunk_message.place
        """,
        (chat_id,),
    )
    past = []
    for key, memory, gone, raw, is_packed, sha256, now, newer, is_newer_packed, date in rows:
        message = newest = with_true_date(read_message(unpacked(raw, is_packed, sha256)), date)
        if newer is not None:
            newest = with_true_date(read_message(unpacked(newer, is_newer_packed, now)), date)
        past.append(Past(key, message, memory, None if gone else newest))
    return tuple(past)


def dates_said(archive: Archive, chat_id: str) -> dict[str, str]:
    """The dates on which copied messages of a chat were said, by key, as far as they are known."""
    dates = f"SELECT key, said_at FROM message WHERE said_at <> '' AND {_OF_CHAT}"  # noqa: S608
    return dict(archive.run(dates, (chat_id,)))


def live_messages(
    archive: Archive, chat_id: str, *, left_out: bool = False
) -> tuple[KnownMessage, ...]:
    """The lived messages that the chat's last export had, and that are under no memory; oldest first.

    With `left_out`, those that are left out of memories instead.
    """
    live = f"""
        SELECT key, uuid, digest, role, created_at,
               (SELECT seen_at FROM version AS first WHERE first.message = message.id AND number = 1)
        FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id
        WHERE chat_id = ? AND gone_at IS NULL AND (left_out IS NOT NULL) = ? AND {_NEWEST}
          AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = message.id)
        ORDER BY position
    """  # noqa: S608
    return archive.rows(KnownMessage, live, (chat_id, left_out))


def first_seen(archive: Archive, chat_id: str) -> dict[str, str]:
    """The times when the raw messages of a chat were first seen, by key; gone ones too."""
    times = "SELECT key, seen_at FROM message JOIN version ON version.message = message.id AND number = 1"
    return dict(archive.run(f"{times} WHERE {_OF_CHAT}", (chat_id,)))


def missing_keys(archive: Archive, chat_id: str) -> frozenset[str]:
    """Keys of the messages that exports lack, though nothing says that the person deleted them."""
    keys = f"SELECT key FROM missing JOIN message ON message.id = missing.message WHERE {_OF_CHAT}"  # noqa: S608
    return frozenset(archive.column(keys, (chat_id,)))


def raw_conversation(archive: Archive, chat_id: str) -> RawConversation:
    """The full raw conversation, without what the person has deleted; missing messages are in it, dates are true.

    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "chat", "message", "version", "missing")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    rows = archive.run(
        f"""
        SELECT CAST(raw AS BLOB), packed, version.sha256, said_at FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id LEFT JOIN body ON body.sha256 = version.sha256
        WHERE chat_id = ? AND (gone_at IS NULL OR message.id IN (SELECT message FROM missing)) AND {_NEWEST}
        ORDER BY position
        """,  # noqa: S608
        (chat_id,),
    )
    return RawConversation(
        head, tuple(with_date(unpacked(*stored), said_at) for *stored, said_at in rows), tail
    )


def insert_version(archive: Archive, row: int, number: int, message: Message, when: str) -> int:
    """Keep what a message says now, its bytes once however many chats have them; the number of the version's row."""
    sha256 = hashlib.sha256(message.raw).hexdigest()
    archive.run(
        "INSERT OR IGNORE INTO body (sha256, raw, packed) VALUES (?, ?, ?)",
        (sha256, *packed(message.raw)),
    )
    columns = {
        "message": row, "number": number, "sha256": sha256, "digest": message.digest, "uuid": message.uuid,
        "role": message.role, "created_at": message.created_at, "seen_at": when,
    }  # fmt: skip
    return archive.insert("version", columns)


def adopt(archive: Archive, row: int, adopted: Adopted, when: str) -> None:
    """Keep what the chat in this row takes over, within a transaction of the caller's."""
    chunks: dict[int, list[tuple[int, int]]] = {}
    for position, old in enumerate(adopted.past):
        message = archive.insert(
            "message",
            {
                "chat": row, "key": old.key, "position": position, "gone_at": when if old.newest is None else None,
                "said_at": said_at(old.newest or old.message),
            },
        )  # fmt: skip
        version = insert_version(archive, message, 1, old.message, when)
        if old.newest is not None and old.newest.raw != old.message.raw:
            insert_version(archive, message, 2, old.newest, when)
        chunks.setdefault(old.memory, []).append((message, version))
    for memory in adopted.memories:
        name = memory.memory_id
        insert_memory(archive, row, memory)
        for edition in adopted.editions[name]:
            insert_edition(archive, name, edition)
        archive.run(
            "UPDATE memory SET chosen_edition = ?, pinned = ?, forgotten_at = ?, hindsight = ? WHERE id = ?",
            (
                memory.chosen, memory.pinned, when if memory.forgotten else None,
                HAD if name in adopted.had_hindsight else 0, name,
            ),
        )  # fmt: skip
        for place, (message, version) in enumerate(
            () if memory.is_fold else chunks.get(memory.number, ())
        ):
            archive.insert(
                "chunk_message",
                {"memory": name, "place": place, "message": message, "version": version},
            )


def around(
    archive: Archive, chat_id: str, key: str, before: int, after: int
) -> tuple[tuple[str, Message], ...]:
    """A raw message of a chat and its neighbours as they are now, with their keys; empty where it is unknown."""
    rows = archive.run(
        """
        WITH present AS (
            SELECT key, row_number() OVER (ORDER BY position) AS place, version.sha256, said_at
            FROM chat JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
            WHERE chat_id = ? AND (gone_at IS NULL OR message.id IN (SELECT message FROM missing))
              AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        ), asked AS (SELECT place FROM present WHERE key = ?)
        SELECT key, CAST(raw AS BLOB), packed, present.sha256, said_at
        FROM present, asked JOIN body ON body.sha256 = present.sha256
        WHERE present.place BETWEEN asked.place - ? AND asked.place + ? ORDER BY present.place
        """,
        (chat_id, key, before, after),
    )
    return tuple(
        (name, with_true_date(read_message(unpacked(raw, packed, sha256)), said_at))
        for name, raw, packed, sha256, said_at in rows
    )


def days_of(archive: Archive, chat_id: str) -> tuple[str, str]:
    """When the first and the last of a chat's raw messages were said, also of ones that are gone; empty: unknown."""
    dates = """
        SELECT min(said), max(said) FROM (
            SELECT coalesce(nullif(said_at, ''), created_at) AS said
            FROM chat JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
            WHERE chat_id = ? AND number = 1)
    """
    first, last = archive.run(dates, (chat_id,))[0]
    return first or "", last or ""


def under(archive: Archive, memory_id: str) -> Iterator[tuple[str, Message]]:
    """The raw messages under a memory or a fold as they are now, with their keys; without what the person deleted.

    Each is read when it is its turn: a fold may stand for most of a conversation.
    """
    rows = archive.run(
        f"""
        WITH RECURSIVE part (id) AS (VALUES (?) UNION SELECT member FROM fold_member JOIN part ON fold = part.id)
        SELECT key, version.sha256, said_at FROM part
        JOIN memory ON memory.id = part.id AND forgotten_at IS NULL
        JOIN chunk_message ON chunk_message.memory = part.id
        JOIN message ON message.id = chunk_message.message AND gone_at IS NULL
        JOIN version ON version.message = message.id AND {_NEWEST}
        ORDER BY memory.number, place
        """,  # noqa: S608
        (memory_id,),
    )
    for key, sha256, date in rows:
        for raw, is_packed in archive.run(
            "SELECT CAST(raw AS BLOB), packed FROM body WHERE sha256 = ?", (sha256,)
        ):
            yield key, with_true_date(read_message(unpacked(raw, is_packed, sha256)), date)
