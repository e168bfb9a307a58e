"""Take over memories and the raw messages under them into a chat: after a fork, or from an export alone."""

from collections.abc import Mapping

from daemon.archive.archive import Archive
from daemon.archive.memories import insert_edition, insert_fold, insert_memory
from daemon.archive.rounds import HAD
from daemon.archive.versions import insert_version
from rules.conversation.history import Past
from rules.recognize.adopt import Adopted
from rules.recognize.true_dates import said_at


def adopt(archive: Archive, chat: int, adopted: Adopted, when: str) -> None:
    """Keep what the chat in row `chat` takes over, within a transaction of the caller's."""
    versions = {old.key: _message(archive, chat, position, old, when) for position, old in enumerate(adopted.past)}
    for memory in adopted.memories:
        if memory.is_fold:
            insert_fold(archive, chat, memory)
        else:
            insert_memory(archive, chat, memory)
        archive.run(
            "UPDATE memory SET chosen_edition = ?, pinned = ?, forgotten_at = ?, hindsight = ? WHERE id = ?",
            (
                memory.chosen,
                memory.pinned,
                when if memory.forgotten else None,
                HAD if memory.memory_id in adopted.had_hindsight else 0,
                memory.memory_id,
            ),
        )
        for edition in adopted.editions[memory.memory_id]:
            insert_edition(archive, memory.memory_id, edition)
        if not memory.is_fold:
            _chunk(archive, memory.memory_id, [old for old in adopted.past if old.memory == memory.number], versions)


def _message(archive: Archive, chat: int, position: int, old: Past, when: str) -> tuple[int, int]:
    """The message's row and that of the version that stands under the memory."""
    archive.run(
        "INSERT INTO message (chat, key, position, gone_at, said_at) VALUES (?, ?, ?, ?, ?)",
        (chat, old.key, position, when if old.newest is None else None, said_at(old.message)),
    )
    (message,) = archive.run("SELECT id FROM message WHERE chat = ? AND key = ?", (chat, old.key))[0]
    version = insert_version(archive, message, 1, old.message, when)
    if old.newest is not None and old.newest.raw != old.message.raw:
        insert_version(archive, message, 2, old.newest, when)
    return message, version


def _chunk(archive: Archive, memory: str, under: list[Past], versions: Mapping[str, tuple[int, int]]) -> None:
    archive.run_many(
        "INSERT INTO chunk_message (memory, place, message, version) VALUES (?, ?, ?, ?)",
        [(memory, place, *versions[old.key]) for place, old in enumerate(under)],
    )
