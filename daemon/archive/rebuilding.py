"""What a rebuild writes: raw messages under memories that had lost them, and what these tell."""

from collections.abc import Collection, Mapping, Sequence

from daemon.archive.archive import Archive
from rules.conversation.history import UNDER_SOME_MEMORY
from rules.conversation.marker import Marker

_WITHOUT_MESSAGES = (
    "NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.memory = memory.id)"
)
_UNDER_NO_MEMORY = (
    "NOT EXISTS (SELECT 1 FROM chunk_message WHERE chunk_message.message = said.message)"
)
_Free = tuple[int, int, str, str]
"""A raw message under no memory: its row, the row of its version, its key, and its uuid or ""."""


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


def put_under_memories(
    archive: Archive, row: int, markers: Mapping[str, Marker], taken_out: Collection[str]
) -> list[str]:
    """Put raw messages under those of these memories that have none. Return the memories' ids.

    A marker names its memory's first and last message, and their number: only a run of free
    messages of that very length is believed, if need be without those whose keys are in
    `taken_out`. Needs a transaction of the caller's.
    """
    free = archive.run(
        f"""
        SELECT message, version, key, coalesce(uuid, '') FROM said
        WHERE chat = ? AND (left_out IS NULL OR left_out = ?) AND {_UNDER_NO_MEMORY}
        ORDER BY position
        """,  # noqa: S608
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
        run = _run_of(marker, free, taken_out) if memory_id in without else ()
        if not run:
            continue
        for place, (message, version, *_) in enumerate(run):
            under = {"memory": memory_id, "place": place, "message": message, "version": version}
            archive.insert("chunk_message", under)
            archive.run(
                "UPDATE message SET left_out = NULL, gone_at = NULL WHERE id = ?", (message,)
            )
        completed.append(memory_id)
        used = {*run}
        free = [old for old in free if old not in used]
    return completed


def mark_deleted(
    archive: Archive, row: int, keys: Collection[str], named: Collection[str], when: str
) -> None:
    """Mark those messages of a chat as deleted that have one of `keys` and whose uuid is `named`.

    `named` are the uuids in a list of deletions. A message under a memory stays as it is, and so
    does one that an export has shown since it was put back. Needs a transaction of the caller's.
    """
    put_back = archive.run(
        f"""
        SELECT message, key, uuid FROM said WHERE chat = ? AND left_out = ? AND {_UNDER_NO_MEMORY}
        """,  # noqa: S608
        (row, UNDER_SOME_MEMORY),
    )
    deleted = [(when, message) for message, key, uuid in put_back if key in keys and uuid in named]
    archive.run_many("UPDATE message SET left_out = NULL, gone_at = ? WHERE id = ?", deleted)


def _run_of(marker: Marker, free: Sequence[_Free], taken_out: Collection[str]) -> Sequence[_Free]:
    """Return the free messages from a memory's first to its last; none if their number differs."""
    uuids = [uuid for *_, uuid in free]
    if not {marker.first, marker.last} <= set(filter(None, uuids)):
        return ()
    whole = free[uuids.index(marker.first) : uuids.index(marker.last) + 1]
    rest = [old for old in whole if old[2] not in taken_out]
    return next((run for run in (whole, rest) if len(run) == marker.messages), ())


def note_sources(
    archive: Archive, memory_id: str, tokens: int, began_at: str | None, ended_at: str | None
) -> None:
    """Store a memory's size and dates, as its raw messages are under it again."""
    archive.run(
        "UPDATE memory SET source_tokens = ?, began_at = ?, ended_at = ? WHERE id = ?",
        (tokens, began_at, ended_at, memory_id),
    )
