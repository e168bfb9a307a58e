"""What was written into a chat's core memory, kept for ever; and after which memories a layer has its step."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.seals import refuse_damage
from rules.layers.core import CoreEvent, Value


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
        CoreEvent(*[section, _value(value), bool(held), *known, tuple(json.loads(held_lines))])
        for section, value, held, *known, held_lines in rows
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
                    chat_id, event.section, json.dumps(event.value, ensure_ascii=False), event.held,
                    json.dumps(event.held_lines, ensure_ascii=False), event.by, event.function, memory or None,
                    event.edition, event.undoes or None, now,
                )
                for event in events
            ],
        )  # fmt: skip


def _value(kept: str) -> Value:
    value = json.loads(kept)
    return value if isinstance(value, str) else tuple(value)


Layer = Literal["core", "facts"]


def begin_steps(archive: Archive, memory_id: str, edition: int, layers: Iterable[Layer]) -> None:
    """Note, within a transaction of the caller's, what is due after a memory has got this edition."""
    archive.run_many(
        "INSERT OR IGNORE INTO layer_step (memory, layer, edition) VALUES (?, ?, ?)",
        [(memory_id, layer, edition) for layer in layers],
    )


def end_step(archive: Archive, memory_id: str, layer: Layer, now: str) -> None:
    """Note, within a transaction of the caller's, that the layer's step after a memory is done."""
    archive.run("UPDATE layer_step SET done_at = ? WHERE memory = ? AND layer = ?", (now, memory_id, layer))


def due_steps(archive: Archive, chat_id: str, layer: Layer) -> tuple[int, ...]:
    """Numbers of the memories of a chat after which the layer's step is due, oldest first."""
    return archive.column(
        """
        SELECT memory.number FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ? AND done_at IS NULL ORDER BY 1
        """,
        (chat_id, layer),
    )


def last_step(archive: Archive, chat_id: str, layer: Layer) -> int:
    """Number of the last memory that has a step, due or done; 0: none has. Earlier ones without one get none."""
    number = archive.value(
        """
        SELECT max(memory.number) FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ?
        """,
        (chat_id, layer),
    )
    return number or 0


def has_step(archive: Archive, memory_ids: Collection[str], layer: Layer) -> bool:
    """Whether one of these memories, of whatever chat, has a step, due or done."""
    steps = archive.run(
        "SELECT 1 FROM layer_step WHERE layer = ? AND memory IN (SELECT value FROM json_each(?)) LIMIT 1",
        (layer, json.dumps(list(memory_ids))),
    )
    return bool(steps)
