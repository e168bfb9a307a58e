"""Which memories are still to be followed by an edit of the core memory, or by taking facts."""

from collections.abc import Collection, Iterable
from typing import Literal

from daemon.archive.archive import Archive

Layer = Literal["core", "facts"]


def begin_steps(archive: Archive, memory_id: str, edition: int, layers: Iterable[Layer]) -> None:
    """Note, within a transaction of the caller's, what is due after a memory has got this edition."""
    archive.run_many(
        "INSERT OR IGNORE INTO layer_step (memory, layer, edition) VALUES (?, ?, ?)",
        [(memory_id, layer, edition) for layer in layers],
    )


def end_step(archive: Archive, memory_id: str, layer: Layer, now: str) -> None:
    """Note, within a transaction of the caller's, that it is done."""
    archive.run("UPDATE layer_step SET done_at = ? WHERE memory = ? AND layer = ?", (now, memory_id, layer))


def due_steps(archive: Archive, chat_id: str, layer: Layer) -> tuple[int, ...]:
    """Numbers of the memories of a chat after which the layer's step is due, oldest first."""
    rows = archive.run(
        """
        SELECT memory.number FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ? AND done_at IS NULL ORDER BY 1
        """,
        (chat_id, layer),
    )
    return tuple(int(number) for (number,) in rows)


def last_step(archive: Archive, chat_id: str, layer: Layer) -> int:
    """Number of the last memory that has a step, due or done; 0: none has. Earlier ones without one get none."""
    row = archive.one(
        """
        SELECT max(memory.number) FROM layer_step JOIN memory ON memory.id = layer_step.memory
        JOIN chat ON chat.id = memory.chat WHERE chat_id = ? AND layer = ?
        """,
        (chat_id, layer),
    )
    return int(row[0] or 0) if row else 0


def has_step(archive: Archive, memory_ids: Collection[str], layer: Layer) -> bool:
    """Whether one of these memories, of whatever chat, has a step, due or done."""
    rows = (archive.one("SELECT 1 FROM layer_step WHERE memory = ? AND layer = ?", (one, layer)) for one in memory_ids)
    return any(row is not None for row in rows)
