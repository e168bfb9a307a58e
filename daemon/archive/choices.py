"""What the person decides about memories: which edition is shown, pinned or not, back in use."""

from daemon.archive.archive import Archive
from daemon.archive.memories import WITH_PARTS, editions
from rules.conversation.memory import Memory, own_edition
from rules.conversation.memory_title import called
from rules.errors import NotFound

_FORGOTTEN_PARTS = f"""
    {WITH_PARTS} SELECT memory.id FROM part JOIN memory ON memory.id = part.id
    WHERE forgotten_at IS NOT NULL ORDER BY level, number
"""  # noqa: S608
_FOLDS_WHOLE_AGAIN = """
    SELECT id FROM memory AS fold WHERE forgotten_at IS NOT NULL
    AND id IN (SELECT fold FROM fold_member JOIN memory ON memory.id = member WHERE recalled)
    AND NOT EXISTS (
        SELECT 1 FROM fold_member JOIN memory ON memory.id = member
        WHERE fold = fold.id AND forgotten_at IS NOT NULL
    )
"""


def choose_edition(archive: Archive, memory: Memory, wanted: int | str | None) -> bool:
    """Show an edition from now on: of this number, the newest of this kind, or the preferred one (None).

    The person's own edition is preferred to memproc's, unless memproc has written the memory again
    since. Return whether that is a change. Raises NotFound, which lists the editions that there are.
    """
    kept = editions(archive, memory.memory_id)
    fitting = [edition.number for edition in kept if wanted in (edition.number, edition.kind)]
    if wanted is not None and not fitting:
        listed = ", ".join(f"{edition.number} ({edition.kind})" for edition in kept)
        raise NotFound(
            f"{called(memory).capitalize()} has no edition {wanted}; it has {listed}.",
            f"Read them with: memproc show {memory.memory_id}",
        )
    number = fitting[-1] if fitting else own_edition(kept)
    changed = archive.column(
        """
        UPDATE memory SET chosen_edition = ? WHERE id = ? AND chosen_edition IS NOT ? RETURNING id
        """,
        (number, memory.memory_id, number),
    )
    return bool(changed)


def pin(archive: Archive, memory: Memory) -> bool:
    """Keep the memory from being rewritten or folded from now on. Return whether that is a change."""
    changed = "UPDATE memory SET pinned = 1 WHERE id = ? AND pinned = 0 RETURNING id"
    return bool(archive.column(changed, (memory.memory_id,)))


def unpin(archive: Archive, memory: Memory) -> bool:
    """Let the memory be rewritten and folded again, and no longer show it as the person edited it.

    Return whether that is a change. What they wrote stays among the editions.
    """
    changed = archive.column(
        """
        UPDATE memory SET pinned = 0, chosen_edition = (
            SELECT number FROM edition
            WHERE edition.memory = memory.id AND number = chosen_edition AND kind <> 'person'
        ) WHERE id = ? AND (pinned = 1 OR chosen_edition IN (
            SELECT number FROM edition WHERE edition.memory = memory.id AND kind = 'person'
        )) RETURNING id
        """,
        (memory.memory_id,),
    )
    return bool(changed)


def bring_back(archive: Archive, memory: Memory) -> tuple[str, ...]:
    """Bring back a memory that was deleted in TypingMind; with a fold, all its members.

    A forgotten fold comes back with the last of its members, which it would otherwise hide.
    Return the ids of all that came back.
    """
    with archive.transaction():
        back: tuple[str, ...] = ()
        forgotten = archive.column(_FORGOTTEN_PARTS, (memory.memory_id,))
        while forgotten:
            archive.run_many(
                "UPDATE memory SET forgotten_at = NULL, recalled = 1 WHERE id = ?",
                [(name,) for name in forgotten],
            )
            back += forgotten
            forgotten = archive.column(_FOLDS_WHOLE_AGAIN)
    return back
