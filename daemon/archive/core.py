"""What was written into a chat's core memory, kept for ever."""

import json
from collections.abc import Sequence

from daemon.archive.archive import Archive
from daemon.archive.seals import refuse_damage
from rules.layers.core import By, CoreEvent, Value

_BY: dict[str, By] = {"agent": "agent", "person": "person"}


def core_events(archive: Archive, chat_id: str) -> tuple[CoreEvent, ...]:
    """All events of a chat's core memory, in the order in which they happened. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "core_event")
    rows = archive.run(
        """
        SELECT section, value, held, by, function, coalesce(memory.number, 0), edition, core_event.id,
               coalesce(undoes, 0), at, held_lines
        FROM core_event JOIN chat ON chat.id = core_event.chat LEFT JOIN memory ON memory.id = core_event.memory
        WHERE chat_id = ? ORDER BY core_event.id
        """,
        (chat_id,),
    )
    return tuple(
        CoreEvent(
            section,
            _value(value),
            bool(held),
            _BY[by],
            function,
            memory,
            edition,
            number,
            undoes,
            at,
            tuple(json.loads(lines)),
        )
        for section, value, held, by, function, memory, edition, number, undoes, at, lines in rows
    )


def keep_core_events(archive: Archive, chat_id: str, events: Sequence[CoreEvent], now: str, memory: str = "") -> None:
    """Keep what was written, in one transaction; `memory` is the id of the memory after which the agent wrote it."""
    with archive.transaction():
        archive.run_many(
            """
            INSERT INTO core_event (chat, section, value, held, held_lines, by, function, memory, edition, undoes, at)
            VALUES ((SELECT id FROM chat WHERE chat_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                (
                    chat_id, one.section, json.dumps(one.value, ensure_ascii=False), one.held,
                    json.dumps(one.held_lines, ensure_ascii=False), one.by, one.function, memory or None, one.edition,
                    one.undoes or None, now,
                )
                for one in events
            ],
        )  # fmt: skip


def _value(kept: str) -> Value:
    value = json.loads(kept)
    return value if isinstance(value, str) else tuple(value)
