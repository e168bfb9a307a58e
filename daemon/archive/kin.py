"""Other chats of the archive that an export may come from: a fork's memories are those of its origin (D10)."""

from collections.abc import Collection

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, memories
from daemon.archive.messages import past
from rules.history.adopt import Kin
from rules.memory.memory import Memory


def find_kin(archive: Archive, chat_id: str, ids: Collection[str]) -> Kin | None:
    """The other chat that knows most of these memories, with all that it has under them; or None."""
    marks = ", ".join("?" * len(ids))
    row = archive.one(
        f"""
        SELECT chat_id FROM memory JOIN chat ON chat.id = memory.chat
        WHERE chat_id <> ? AND (memory.id IN ({marks}) OR origin IN ({marks}))
        GROUP BY chat_id ORDER BY count(*) DESC, chat.id LIMIT 1
        """,  # noqa: S608
        (chat_id, *ids, *ids),
    )
    if row is None:
        return None
    found = memories(archive, row[0])
    return Kin(row[0], found, {one.memory_id: editions(archive, one.memory_id) for one in found}, past(archive, row[0]))


def all_memories(archive: Archive) -> tuple[Memory, ...]:
    """Those of every chat: for an export from which another tool has stripped all that names its origin."""
    chats = archive.run("SELECT DISTINCT chat_id FROM chat JOIN memory ON memory.chat = chat.id ORDER BY chat.id")
    return tuple(memory for (chat_id,) in chats for memory in memories(archive, chat_id))
