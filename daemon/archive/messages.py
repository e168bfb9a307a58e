"""Raw messages, for ever: every version of every message of a chat, in the order of the conversation."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.order import order
from daemon.archive.packing import packed, unpacked
from rules.export.chat import Chat
from rules.export.message import Message, read_message
from rules.history.entries import Entry, Past
from rules.history.recognise import Place


@dataclass(frozen=True, slots=True)
class Remembered:
    """How many raw messages were new, had changed, or were gone."""

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
    """The raw messages that stand under memories, oldest first, each as it was when its memory was made."""
    rows = archive.run(
        """
        SELECT message.key, memory.number, version.raw, version.packed, version.sha256
        FROM chat JOIN memory ON memory.chat = chat.id
        JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message
        JOIN version ON version.id = chunk_message.version
        WHERE chat.chat_id = ? ORDER BY memory.number, chunk_message.place
        """,
        (chat_id,),
    )
    return tuple(Past(key, read_message(unpacked(*stored)), number) for key, number, *stored in rows)


def remember(archive: Archive, chat: Chat, places: Sequence[Place], entries: Sequence[Entry], when: str) -> Remembered:
    """Keep every message of the export that is not ours, in one transaction.

    A message whose bytes are new gets another version. One that the archive has, but that is neither in the
    export nor under a memory, is marked as gone, and is marked no more when it comes back.
    """
    with archive.transaction():
        row = _chat_row(archive, chat, when)
        known = [key for (key,) in archive.run("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))]
        raw = {place.key: place for place in places if place.ours is None}
        new = raw.keys() - set(known)
        _place(archive, row, order(known, places, entries), raw)
        changed = _keep_versions(archive, row, list(raw.values()), when)
        gone = _mark_gone(archive, row, set(raw) | {entry.key for entry in entries}, when)
    return Remembered(len(new), changed - len(new), gone)


def whole(archive: Archive, chat_id: str) -> Whole:
    """The full raw conversation, without the messages that the person has deleted."""
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    rows = archive.run(
        """
        SELECT raw, packed, sha256 FROM chat JOIN message ON message.chat = chat.id
        JOIN version ON version.message = message.id
        WHERE chat_id = ? AND gone_at IS NULL
          AND version.number = (SELECT max(number) FROM version AS other WHERE other.message = message.id)
        ORDER BY position
        """,
        (chat_id,),
    )
    return Whole(head, tuple(unpacked(*stored) for stored in rows), tail)


def _chat_row(archive: Archive, chat: Chat, when: str) -> int:
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


def _keep_versions(archive: Archive, row: int, places: Sequence[Place], when: str) -> int:
    """Keep the bytes that are not the newest version already; how many were kept."""
    newest = {
        key: (message, number, sha256)
        for message, key, number, sha256 in archive.run(
            """
            SELECT message.id, key, coalesce(max(number), 0), sha256
            FROM message LEFT JOIN version ON version.message = message.id WHERE chat = ? GROUP BY message.id
            """,
            (row,),
        )
    }
    rows = []
    for place in places:
        message, number, sha256 = newest[place.key]
        found = hashlib.sha256(place.message.raw).hexdigest()
        if found != sha256:
            rows.append((message, number + 1, *packed(place.message.raw), found, *_facts(place.message), when))
    archive.run_many(
        """
        INSERT INTO version (message, number, raw, packed, sha256, digest, uuid, role, created_at, seen_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )
    return len(rows)


def _facts(message: Message) -> tuple[str, str | None, str | None, str | None]:
    return message.digest, message.uuid, message.role, message.created_at


def _mark_gone(archive: Archive, row: int, present: set[str], when: str) -> int:
    """Mark what is in no export and under no memory; take the mark from what came back."""
    rows = archive.run("SELECT id, key, gone_at FROM message WHERE chat = ?", (row,))
    gone = [number for number, key, gone_at in rows if key not in present and gone_at is None]
    back = [number for number, key, gone_at in rows if key in present and gone_at is not None]
    archive.run_many("UPDATE message SET gone_at = ? WHERE id = ?", [(when, number) for number in gone])
    archive.run_many("UPDATE message SET gone_at = NULL WHERE id = ?", [(number,) for number in back])
    return len(gone)
