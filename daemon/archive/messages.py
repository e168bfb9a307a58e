"""Raw messages, for ever: every version of every message of a chat, in the order of the conversation."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.adopt import adopt
from daemon.archive.archive import Archive
from daemon.archive.hand import keep_hand
from daemon.archive.order import order
from daemon.archive.packing import unpacked
from daemon.archive.seals import refuse_damage
from daemon.archive.versions import insert_version
from rules.conversation.history import UNDER_SOME_MEMORY, Past
from rules.output.taken import deleted_uuids
from rules.recognize.absent import Absent, Known
from rules.recognize.reading import Reading
from rules.recognize.recognize import Place
from rules.recognize.true_dates import redated, with_true_date
from rules.typingmind.attachments import attachments
from rules.typingmind.chat import Chat
from rules.typingmind.document import chat_container, read_document
from rules.typingmind.message import Message, read_message


@dataclass(frozen=True, slots=True)
class Remembered:
    """How many raw messages were new, had changed, or are gone since."""

    new: int
    changed: int
    gone: int


@dataclass(frozen=True, slots=True)
class Whole:
    """The full raw conversation: the chat's JSON before its messages, the messages, and what follows them."""

    head: bytes
    messages: tuple[bytes, ...]
    tail: bytes


def past(archive: Archive, chat_id: str) -> tuple[Past, ...]:
    """The raw messages that stand under memories, oldest first: as each was when its memory was made, and as it is."""
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
    return tuple(_past(*row) for row in rows)


def _past(
    key: str,
    memory: int,
    gone: int,
    raw: bytes,
    packed: int,
    sha256: str,
    now: str,
    newer: bytes,
    newer_packed: int,
    said_at: str,
) -> Past:
    message = with_true_date(read_message(unpacked(raw, packed, sha256)), said_at)
    newest = message
    if newer is not None:
        newest = with_true_date(read_message(unpacked(newer, newer_packed, now)), said_at)
    return Past(key, message, memory, None if gone else newest)


def dates_said(archive: Archive, chat_id: str) -> dict[str, str]:
    """When copied messages of a chat were said, by key, as far as that is known."""
    rows = archive.run(
        "SELECT key, said_at FROM message WHERE said_at <> '' AND chat = (SELECT id FROM chat WHERE chat_id = ?)",
        (chat_id,),
    )
    return dict(rows)


def standing(archive: Archive, chat_id: str, *, left_out: bool = False) -> tuple[Known, ...]:
    """The lived messages that stood in the chat's export the last time, and are under no memory; oldest first.

    With `left_out`, those that are left out of memories instead.
    """
    rows = archive.run(
        """
        SELECT key, uuid, digest, role, created_at,
               (SELECT seen_at FROM version AS first WHERE first.message = message.id AND number = 1)
        FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id
        WHERE chat_id = ? AND gone_at IS NULL AND (left_out IS NOT NULL) = ?
          AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
          AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = message.id)
        ORDER BY position
        """,
        (chat_id, left_out),
    )
    return tuple(Known(*row) for row in rows)


def first_seen(archive: Archive, chat_id: str) -> dict[str, str]:
    """When each raw message that the archive has of a chat was first seen, by its key; gone ones too."""
    rows = archive.run(
        """
        SELECT key, seen_at FROM message JOIN version ON version.message = message.id AND number = 1
        WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)
        """,
        (chat_id,),
    )
    return dict(rows)


def missing_keys(archive: Archive, chat_id: str) -> frozenset[str]:
    """Keys of the messages that exports lack, though nothing says that the person deleted them."""
    rows = archive.run(
        "SELECT key FROM missing JOIN message ON message.id = missing.message "
        "WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)",
        (chat_id,),
    )
    return frozenset(key for (key,) in rows)


def remember(archive: Archive, chat: Chat, reading: Reading, when: str) -> Remembered:
    """Keep every message of the export that is not ours, and what the person did, in one transaction.

    A message whose bytes are new gets another version. One that the archive has, but that is neither in the
    export nor under a memory, is marked as gone, and is marked no more when it comes back.
    """
    with archive.transaction():
        row = keep_chat(archive, chat, when)
        adopt(archive, row, reading.adopted, when)
        known = [key for (key,) in archive.run("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))]
        raw = {place.key: place for place in reading.places if place.ours is None}
        new = raw.keys() - set(known)
        _place(archive, row, order(known, reading.places, reading.entries), raw)
        changed = _keep_versions(archive, row, list(raw.values()), when)
        under = {entry.key for entry in reading.entries if not entry.gone} - set(reading.hand.deleted)
        gone = _mark_absent(archive, row, set(raw), under, reading.absent, when)
        keep_hand(archive, reading, when)
    return Remembered(len(new), changed - len(new), gone)


def whole(archive: Archive, chat_id: str) -> Whole:
    """The full raw conversation, without what the person has deleted; missing messages are in it, dates are true.

    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "chat", "version")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    rows = archive.run(
        """
        SELECT CAST(raw AS BLOB), packed, version.sha256, said_at FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id LEFT JOIN body ON body.sha256 = version.sha256
        WHERE chat_id = ? AND (gone_at IS NULL OR message.id IN (SELECT message FROM missing))
          AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        ORDER BY position
        """,
        (chat_id,),
    )
    return Whole(head, tuple(redated(unpacked(*stored), said_at) for *stored, said_at in rows), tail)


def last_deleted(archive: Archive, chat_id: str) -> frozenset[str]:
    """The uuids that the chat's newest export named as deleted."""
    is_there = archive.one("SELECT 1 FROM chat WHERE chat_id = ?", (chat_id,))
    return deleted_uuids(known_chat(archive, chat_id)) if is_there else frozenset()


def known_chat(archive: Archive, chat_id: str) -> Chat:
    """The chat without its messages, as its newest export had it. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "chat")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    return read_document("the archive", chat_container(head + tail)).chats[0]


def keep_chat(archive: Archive, chat: Chat, when: str) -> int:
    """The chat's row, with the newest title, and the JSON around its messages."""
    member = chat.member("messages")
    start, stop = (member.value.start + 1, member.value.stop - 1) if member else (chat.span.stop,) * 2
    head = chat.text[chat.span.start : start].encode("latin-1")
    tail = chat.text[stop : chat.span.stop].encode("latin-1")
    archive.run(
        """
        INSERT INTO chat (chat_id, title, folder_id, head, tail, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (chat_id) DO UPDATE SET title = excluded.title, folder_id = excluded.folder_id,
            head = excluded.head, tail = excluded.tail, last_seen = excluded.last_seen
        """,
        (chat.chat_id, chat.title, chat.folder_id, head, tail, when, when),
    )
    return int(archive.run("SELECT id FROM chat WHERE chat_id = ?", (chat.chat_id,))[0][0])


def _place(archive: Archive, row: int, order: Sequence[str], raw: Mapping[str, Place]) -> None:
    """Give every message its position, and those of the export the reason why they are left out, if any."""
    archive.run_many(
        """
        INSERT INTO message (chat, key, position) VALUES (?, ?, ?)
        ON CONFLICT (chat, key) DO UPDATE SET position = excluded.position
        """,
        [(row, key, at) for at, key in enumerate(order)],
    )
    archive.run_many(
        "UPDATE message SET left_out = ? WHERE chat = ? AND key = ?",
        [(place.left_out, row, place.key) for place in raw.values()],
    )
    archive.run_many(
        "UPDATE message SET said_at = ? WHERE chat = ? AND key = ?",
        [(place.message.created_at, row, place.key) for place in raw.values() if place.message.is_copy],
    )


def _keep_versions(archive: Archive, row: int, places: Sequence[Place], when: str) -> int:
    """Keep the bytes that are not the newest version already; how many were kept.

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
    kept = 0
    for place in places:
        message, number, sha256, digest = newest[place.key]
        is_same = hashlib.sha256(place.message.raw).hexdigest() == sha256
        if not is_same and not (place.original and _says_the_same(archive, place.message, sha256, digest)):
            insert_version(archive, message, number + 1, place.message, when)
            kept += 1
    return kept


def _says_the_same(archive: Archive, message: Message, sha256: str, digest: str) -> bool:
    """Whether the stored version with these hashes says what the message says, and names the same files."""
    if message.digest != digest:
        return False
    files = attachments(message.raw)
    stored = archive.run("SELECT raw, packed FROM body WHERE sha256 = ?", (sha256,)) if files else ()
    return all(attachments(unpacked(raw, packed, sha256)) == files for raw, packed in stored)


def _mark_absent(archive: Archive, row: int, here: set[str], under: set[str], absent: Absent, when: str) -> int:
    """Mark what is in no export and under no memory as gone, and take the mark from what came back; how many are new.

    What the person has not deleted is marked as missing, until an export holds it, or names it as deleted.
    """
    rows = archive.run(
        """
        SELECT message.id, key, gone_at, missing.message IS NOT NULL, uuid FROM message
        LEFT JOIN missing ON missing.message = message.id JOIN version ON version.message = message.id
             AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        WHERE chat = ? AND left_out IS NOT ?
        """,
        (row, UNDER_SOME_MEMORY),
    )
    gone = {number for number, key, *_ in rows if key not in here and key not in under}
    new = [(when, number) for number, _, gone_at, *_ in rows if number in gone and gone_at is None]
    back = [(number,) for number, _, gone_at, *_ in rows if number not in gone and gone_at is not None]
    archive.run_many("UPDATE message SET gone_at = ? WHERE id = ?", new)
    archive.run_many("UPDATE message SET gone_at = NULL WHERE id = ?", back)
    before = {number for number, _, _, is_missing, _ in rows if is_missing}
    missing = {row[0] for row in rows if _is_missing(row[1], row[4], row[0] in before, here, absent)}
    archive.run_many("INSERT INTO missing VALUES (?, ?)", [(number, when) for number in missing - before])
    archive.run_many("DELETE FROM missing WHERE message = ?", [(number,) for number in before - missing])
    return len(new)


def _is_missing(key: str, uuid: str | None, before: bool, here: set[str], absent: Absent) -> bool:
    return key not in here and (key in absent.keys or (before and uuid not in absent.named))
