"""A chat's messages in the order of the conversation, for those who read it from the beginning.

An outline of all of them costs little; what was said is read for those alone that are shown.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.packing import unpacked
from rules.recognize.true_dates import with_true_date
from rules.typingmind.message import Message, read_message

_NEWEST = """
    JOIN version ON version.message = message.id AND version.number =
        (SELECT max(number) FROM version AS other WHERE other.message = message.id)
    LEFT JOIN body ON body.sha256 = version.sha256
"""


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


def read_outline(archive: Archive, chat_id: str) -> tuple[OutlinedMessage, ...]:
    """Return all messages of a chat that the archive has, in the order of the conversation."""
    return archive.rows(
        OutlinedMessage,
        f"""
        SELECT key, coalesce(nullif(said_at, ''), version.created_at, ''),
            coalesce(length(raw) * iif(packed, 3, 1), 0), coalesce(memory, ''), coalesce(left_out, ''),
            gone_at IS NOT NULL AND missing.message IS NULL,
            coalesce(version.digest <> then_said.digest, 0)
        FROM chat JOIN message ON message.chat = chat.id {_NEWEST}
        LEFT JOIN missing ON missing.message = message.id
        LEFT JOIN chunk_message ON chunk_message.message = message.id
        LEFT JOIN version AS then_said ON then_said.id = chunk_message.version
        WHERE chat_id = ? ORDER BY position
        """,  # noqa: S608
        (chat_id,),
    )


def read_words(archive: Archive, chat_id: str, keys: Sequence[str]) -> dict[str, Message]:
    """Return these messages of a chat as they are now, or were when they were deleted, by key."""
    rows = archive.run(
        f"""
        SELECT key, CAST(raw AS BLOB), packed, version.sha256, said_at
        FROM chat JOIN message ON message.chat = chat.id {_NEWEST}
        WHERE chat_id = ? AND key IN (SELECT value FROM json_each(?))
        """,  # noqa: S608
        (chat_id, json.dumps(keys)),
    )
    return {
        key: with_true_date(read_message(unpacked(raw, packed, sha256)), said_at)
        for key, raw, packed, sha256, said_at in rows
    }
