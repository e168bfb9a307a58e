"""What a rebuild writes: raw messages under memories that had lost them, and what these tell."""

from collections.abc import Mapping

from daemon.archive.archive import Archive
from rules.conversation.history import UNDER_SOME_MEMORY
from rules.conversation.marker import Marker

_WITHOUT_MESSAGES = (
    "NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.memory = memory.id)"
)


def count_chat(archive: Archive, row: int) -> tuple[int, ...]:
    """Return a chat's numbers of messages, memories, and memories without their messages.

    Folds of memories that it knows are not counted. `row` is the number of the chat's row.
    """
    counts = f"""
        SELECT (SELECT count(*) FROM message WHERE chat = ?1), count(*),
               count(*) FILTER (WHERE {_WITHOUT_MESSAGES})
        FROM memory WHERE chat = ?1
          AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
    """  # noqa: S608
    return archive.run(counts, (row,))[0]


def put_under_memories(archive: Archive, row: int, markers: Mapping[str, Marker]) -> list[str]:
    """Put raw messages under those of these memories that have none. Return the memories' ids.

    A marker names its memory's first and last message, and their number: only a run of free
    messages of that very length is believed. Needs a transaction of the caller's.
    """
    free = archive.run(
        """
        SELECT message, version, coalesce(uuid, '') FROM said
        WHERE chat = ? AND (left_out IS NULL OR left_out = ?)
            AND NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = said.message)
          ORDER BY position
        """,
        (row, UNDER_SOME_MEMORY),
    )
    without = archive.column(
        f"""
        SELECT id FROM memory WHERE chat = ? AND {_WITHOUT_MESSAGES}
        AND NOT EXISTS (SELECT 1 FROM fold_member WHERE fold = memory.id)
        """,  # noqa: S608
        (row,),
    )
    completed = []
    for memory_id, marker in markers.items():
        uuids = [uuid for *_, uuid in free]
        if memory_id not in without or not {marker.first, marker.last} <= set(filter(None, uuids)):
            continue
        start, stop = uuids.index(marker.first), uuids.index(marker.last) + 1
        if stop - start != marker.messages:
            continue
        for place, (message, version, _) in enumerate(free[start:stop]):
            under = {"memory": memory_id, "place": place, "message": message, "version": version}
            archive.insert("chunk_message", under)
            archive.run(
                "UPDATE message SET left_out = NULL, gone_at = NULL WHERE id = ?", (message,)
            )
        completed.append(memory_id)
        del free[start:stop]
    return completed


def note_sources(
    archive: Archive, memory_id: str, tokens: int, began_at: str | None, ended_at: str | None
) -> None:
    """Store a memory's size and dates, as its raw messages are under it again."""
    archive.run(
        "UPDATE memory SET source_tokens = ?, began_at = ?, ended_at = ? WHERE id = ?",
        (tokens, began_at, ended_at, memory_id),
    )
