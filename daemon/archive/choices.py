"""What the person decides about a memory at the command line: which edition is shown, pinned or not, recalled.

No edition is touched here. Each function says whether it changed anything, so that a second time can be told.
"""

from daemon.archive.archive import Archive
from daemon.archive.memories import editions
from rules.conversation.memory import Memory
from rules.errors import NotFound

_FORGOTTEN_PARTS = """
    WITH RECURSIVE part (id) AS (VALUES (?) UNION SELECT member FROM fold_member JOIN part ON fold = part.id)
    SELECT memory.id FROM part JOIN memory ON memory.id = part.id WHERE forgotten_at IS NOT NULL
    ORDER BY level, number
"""
_FOLDS_WHOLE_AGAIN = """
    SELECT id FROM memory AS fold WHERE forgotten_at IS NOT NULL
    AND id IN (SELECT fold FROM fold_member JOIN memory ON memory.id = member WHERE recalled)
    AND NOT EXISTS (
        SELECT 1 FROM fold_member JOIN memory ON memory.id = member WHERE fold = fold.id AND forgotten_at IS NOT NULL
    )
"""


def choose_edition(archive: Archive, memory: Memory, number: int | None) -> bool:
    """Show that edition from now on; None: the one that memory.editions prefers. Whether that is a change.

    Raises NotFound, which lists the editions that there are.
    """
    kept = editions(archive, memory.memory_id)
    if number is not None and number not in {edition.number for edition in kept}:
        listed = ", ".join(f"{edition.number} ({edition.kind})" for edition in kept)
        raise NotFound(
            f"{memory.memory_id} has no edition {number}; it has {listed}.",
            f"Read them with: memproc show {memory.memory_id}",
        )
    changed = archive.column(
        "UPDATE memory SET chosen_edition = ? WHERE id = ? AND chosen_edition IS NOT ? RETURNING id",
        (number, memory.memory_id, number),
    )
    return bool(changed)


def pin(archive: Archive, memory: Memory) -> bool:
    """Never have the memory rewritten by itself from now on. Whether that is a change."""
    changed = "UPDATE memory SET pinned = 1 WHERE id = ? AND pinned = 0 RETURNING id"
    return bool(archive.column(changed, (memory.memory_id,)))


def unpin(archive: Archive, memory: Memory) -> bool:
    """Let the memory be rewritten again, and no longer show it as the person edited it. Whether that is a change.

    What they wrote stays among the editions.
    """
    changed = archive.column(
        """
        UPDATE memory SET pinned = 0, chosen_edition = (
            SELECT number FROM edition WHERE edition.memory = memory.id AND number = chosen_edition AND kind <> 'person'
        ) WHERE id = ? AND pinned = 1 RETURNING id
        """,
        (memory.memory_id,),
    )
    return bool(changed)


def recall(archive: Archive, memory: Memory) -> tuple[str, ...]:
    """Bring back a memory that was deleted in TypingMind, with all that it stands for if it is a fold.

    A forgotten fold comes back by itself with the last of its members, for which it would else stand and be silent.
    The ids of all that came back; none where nothing was forgotten.
    """
    with archive.transaction():
        back: tuple[str, ...] = ()
        forgotten = archive.column(_FORGOTTEN_PARTS, (memory.memory_id,))
        while forgotten:
            archive.run_many(
                "UPDATE memory SET forgotten_at = NULL, recalled = 1 WHERE id = ?", [(name,) for name in forgotten]
            )
            back += forgotten
            forgotten = archive.column(_FOLDS_WHOLE_AGAIN)
    return back
