"""Raw messages as readers need them: under memories, live, missing, or as a conversation.

An outline of all of them costs little; what was said is read for those alone that are shown.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.memories import WITH_PARTS
from daemon.archive.seals import refuse_damage, unpacked
from rules.conversation.history import Past
from rules.recognize.copies import with_true_date
from rules.recognize.known import KnownMessage
from rules.typingmind.dates import in_zone
from rules.typingmind.message import Message, read_message
from rules.typingmind.splice import with_date

_OF_CHAT = "chat = (SELECT id FROM chat WHERE chat_id = ?)"


@dataclass(frozen=True, slots=True)
class RawConversation:
    """The full raw conversation: a chat's JSON before its messages, they, and the rest."""

    head: bytes
    messages: tuple[bytes, ...]
    tail: bytes


@dataclass(frozen=True, slots=True)
class LiveMessage:
    """A raw message that is under no memory."""

    key: str
    message: Message
    is_missing: bool
    """Whether the chat's last export lacks it, though the person has not deleted it."""


@dataclass(frozen=True, slots=True)
class OutlinedMessage:
    """A message without its words."""

    key: str
    said_at: str
    """When it was said, in UTC, as the export has it; empty where that is not known."""
    size: int
    """About how many bytes its JSON has."""
    memory: str
    """The id of the memory that it is under; empty for none."""
    left_out: str
    """Why no memory is made of it; else empty."""
    is_deleted: bool
    """Whether the person has deleted it since: the archive keeps it."""
    is_edited: bool
    """Whether its memory was made from an earlier wording."""


def message_in(raw: object, is_packed: object, sha256: str, said_at: str) -> Message:
    """Return the message in stored bytes, with its true date. Raises DamagedChat."""
    return with_true_date(read_message(unpacked(raw, is_packed, sha256)), said_at)


def past(archive: Archive, chat_id: str, memory_id: str = "") -> tuple[Past, ...]:
    """Return the raw messages under memories, oldest first, as they were and as they are now.

    With `memory_id`, those under this memory alone.
    """
    rows = archive.run(
        """
        SELECT message.key, memory.number, gone_at IS NOT NULL, CAST(body.raw AS BLOB), body.packed,
               version.sha256, now.sha256, CAST(newest.raw AS BLOB), newest.packed, message.said_at,
               (SELECT json_group_array(digest) FROM (
                    SELECT digest FROM version AS other
                    WHERE other.message = message.id ORDER BY number DESC))
        FROM chat JOIN memory ON memory.chat = chat.id
        JOIN chunk_message ON chunk_message.memory = memory.id
        JOIN message ON message.id = chunk_message.message
        JOIN version ON version.id = chunk_message.version
        JOIN version AS now ON now.message = message.id
             AND now.number = (
                 SELECT max(number) FROM version AS other WHERE other.message = message.id)
        LEFT JOIN body ON body.sha256 = version.sha256
        LEFT JOIN body AS newest ON newest.sha256 = now.sha256 AND now.id <> version.id
        WHERE chat.chat_id = ? AND ? IN ('', memory.id)
        ORDER BY memory.number, chunk_message.place
        """,
        (chat_id, memory_id),
    )
    past = []
    for key, memory, gone, raw, is_packed, sha256, now, newer, is_newer_packed, date, said in rows:
        message = newest = message_in(raw, is_packed, sha256, date)
        if newer is not None:
            newest = message_in(newer, is_newer_packed, now, date)
            if newest.digest == message.digest:
                # Kept next to its memory, it has the memory's date: said again it was not.
                newest = replace(newest, created_at=message.created_at)
        digests = tuple(json.loads(said))
        past.append(Past(key, message, memory, None if gone else newest, digests))
    return tuple(past)


def former_versions(
    archive: Archive, chat_id: str, keys: Collection[str]
) -> dict[str, list[bytes]]:
    """Return the bytes of all versions of messages, by key; only of those with several."""
    rows = archive.run(
        """
        SELECT key, CAST(raw AS BLOB), packed, sha256
        FROM message JOIN version ON version.message = message.id JOIN body USING (sha256)
        WHERE chat = (SELECT id FROM chat WHERE chat_id = ?)
          AND key IN (SELECT value FROM json_each(?))
          AND EXISTS (SELECT 1 FROM version AS other
                      WHERE other.message = message.id AND other.number > 1)
        """,
        (chat_id, json.dumps(list(keys))),
    )
    versions: dict[str, list[bytes]] = {}
    for key, *stored in rows:
        versions.setdefault(key, []).append(unpacked(*stored))
    return versions


def dates_said(archive: Archive, chat_id: str) -> dict[str, str]:
    """Return the dates on which copied messages of a chat were said, by key, as far as known."""
    dates = f"SELECT key, said_at FROM message WHERE said_at <> '' AND {_OF_CHAT}"  # noqa: S608
    return dict(archive.run(dates, (chat_id,)))


def live_messages(
    archive: Archive, chat_id: str, *, left_out: bool = False
) -> tuple[KnownMessage, ...]:
    """Return the lived messages of the chat's last export that are under no memory, oldest first.

    With `left_out`, those that are left out of memories instead.
    """
    live = """
        SELECT key, uuid, digest, role, created_at,
               (SELECT seen_at FROM version WHERE version.message = said.message AND number = 1)
        FROM said
        WHERE chat_id = ? AND gone_at IS NULL AND (left_out IS NOT NULL) = ?
          AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = said.message)
        ORDER BY position
    """
    return tuple(
        replace(known, created_at=in_zone(known.created_at, archive.zone))
        for known in archive.rows(KnownMessage, live, (chat_id, left_out))
    )


def live_conversation(archive: Archive, chat_id: str) -> tuple[LiveMessage, ...]:
    """Return the lived messages under no memory, oldest first, as they are now.

    Missing ones are among them: the archive has them, and the chat should.
    """
    live = """
        SELECT key, gone_at IS NOT NULL, raw, packed, sha256, said_at FROM said
        WHERE chat_id = ? AND left_out IS NULL AND is_present
          AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = said.message)
        ORDER BY position
    """
    rows = archive.run(live, (chat_id,))
    return tuple(
        LiveMessage(key, message_in(*stored), bool(is_missing)) for key, is_missing, *stored in rows
    )


def first_seen(archive: Archive, chat_id: str) -> dict[str, str]:
    """Return the times when the raw messages of a chat were first seen, by key; gone ones too."""
    times = f"""
        SELECT key, seen_at FROM message JOIN version ON version.message = message.id AND number = 1
        WHERE {_OF_CHAT}
    """  # noqa: S608
    return dict(archive.run(times, (chat_id,)))


def message_keys(archive: Archive, row: int) -> tuple[str, ...]:
    """Return the keys of all messages of the chat, in the order of the conversation."""
    return archive.column("SELECT key FROM message WHERE chat = ? ORDER BY position", (row,))


def missing_keys(archive: Archive, chat_id: str) -> frozenset[str]:
    """Return the keys of messages that exports lack without naming them as deleted."""
    keys = f"SELECT key FROM message WHERE {_OF_CHAT} AND is_missing"  # noqa: S608
    return frozenset(archive.column(keys, (chat_id,)))


def raw_conversation(archive: Archive, chat_id: str) -> RawConversation:
    """Return the full raw conversation, without what the person has deleted.

    Missing messages are in it, and dates are true. Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "chat", "message", "version")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    said = """
        SELECT said_at, raw, packed, sha256 FROM said WHERE chat_id = ? AND is_present
        ORDER BY position
    """
    rows = archive.run(said, (chat_id,))
    messages = tuple(with_date(unpacked(*stored), said_at) for said_at, *stored in rows)
    return RawConversation(head, messages, tail)


def around(
    archive: Archive, chat_id: str, key: str, before: int, after: int
) -> tuple[tuple[str, Message], ...]:
    """Return a raw message of a chat and its neighbours as they are now, with their keys.

    Empty where the message is unknown.
    """
    rows = archive.run(
        """
        WITH present AS (
            SELECT message, key, row_number() OVER (ORDER BY position) AS place
            FROM said WHERE chat_id = ? AND is_present
        ), asked AS (SELECT place FROM present WHERE key = ?)
        SELECT said.key, raw, packed, sha256, said_at
        FROM asked, present JOIN said ON said.message = present.message
        WHERE present.place BETWEEN asked.place - ? AND asked.place + ? ORDER BY present.place
        """,
        (chat_id, key, before, after),
    )
    return tuple((name, message_in(*stored)) for name, *stored in rows)


def days_of(archive: Archive, chat_id: str) -> tuple[str, str]:
    """Return when a chat's first and last raw messages were said, gone ones too; empty: unknown."""
    dates = """
        SELECT min(said), max(said) FROM (
            SELECT coalesce(nullif(said_at, ''), created_at) AS said
            FROM chat JOIN message ON message.chat = chat.id
            JOIN version ON version.message = message.id
            WHERE chat_id = ? AND number = 1)
    """
    first, last = archive.run(dates, (chat_id,))[0]
    return first or "", last or ""


def under(archive: Archive, memory_id: str) -> Iterator[tuple[str, Message]]:
    """Yield the raw messages under a memory or a fold as they are now, with their keys.

    What the person deleted is left out. Each is read when it is its turn: a fold may cover most of
    a conversation.
    """
    rows = archive.run(
        f"""
        {WITH_PARTS} SELECT key, said.message FROM part
        JOIN memory ON memory.id = part.id AND forgotten_at IS NULL
        JOIN chunk_message ON chunk_message.memory = part.id
        JOIN said ON said.message = chunk_message.message AND gone_at IS NULL
        ORDER BY memory.number, place
        """,  # noqa: S608
        (memory_id,),
    )
    for key, message in rows:
        stored = archive.run(
            "SELECT raw, packed, sha256, said_at FROM said WHERE message = ?", (message,)
        )
        yield key, message_in(*stored[0])


def read_outline(archive: Archive, chat_id: str) -> tuple[OutlinedMessage, ...]:
    """Return all messages of a chat that the archive has, in the order of the conversation."""
    outline = """
        SELECT key, coalesce(nullif(said_at, ''), said.created_at, ''),
            coalesce(length(raw) * iif(packed, 3, 1), 0), coalesce(memory, ''),
            coalesce(left_out, ''), NOT is_present, coalesce(said.digest <> then_said.digest, 0)
        FROM said LEFT JOIN chunk_message ON chunk_message.message = said.message
        LEFT JOIN version AS then_said ON then_said.id = chunk_message.version
        WHERE chat_id = ? ORDER BY position
    """
    return archive.rows(OutlinedMessage, outline, (chat_id,))


def read_words(archive: Archive, chat_id: str, keys: Sequence[str]) -> dict[str, Message]:
    """Return these messages of a chat as they are now, or were when they were deleted, by key."""
    rows = archive.run(
        """
        SELECT key, raw, packed, sha256, said_at FROM said
        WHERE chat_id = ? AND key IN (SELECT value FROM json_each(?))
        """,
        (chat_id, json.dumps(keys)),
    )
    return {key: message_in(*stored) for key, *stored in rows}
