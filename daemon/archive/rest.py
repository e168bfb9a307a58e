"""Chats at rest: what was found when a chat came the last time, and nothing was to be done about it.

It counts until something of the chat changes: triggers take the row away whenever one of its memories, messages or
outputs is written, by whomever. So nobody has to think of it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.seals import is_sound


@dataclass(frozen=True, slots=True)
class Rest:
    """`sha256` is that of the chat's bytes, `stand` that of the settings, texts and versions that counted then."""

    sha256: str
    stand: str
    found: Mapping[str, Any]
    """What was found, and what else it depends on, as JSON."""


def rest_of(archive: Archive, chat_id: str) -> Rest | None:
    """What is known of the chat, if nothing has been written about it since."""
    row = archive.one(f"SELECT sha256, stand, found FROM rest WHERE chat_id = ? AND {is_sound('rest')}", (chat_id,))  # noqa: S608
    return Rest(row[0], row[1], json.loads(row[2])) if row else None


def keep_rest(archive: Archive, chat_id: str, rest: Rest) -> None:
    """The chat is at rest; what was known of it before is replaced."""
    with archive.transaction():
        archive.run(
            "INSERT OR REPLACE INTO rest (chat_id, sha256, stand, found) VALUES (?, ?, ?, ?)",
            (chat_id, rest.sha256, rest.stand, json.dumps(rest.found)),
        )


def seen_again(archive: Archive, chat_ids: Sequence[str], when: str) -> None:
    """These chats have come again, as they were."""
    with archive.transaction():
        archive.run_many("UPDATE chat SET last_seen = ? WHERE chat_id = ?", [(when, name) for name in chat_ids])
