"""The person's decisions about memories: which edition is shown, pinning, and bringing back."""

from daemon.archive.archive import Archive
from daemon.archive.memories import WITH_PARTS, editions
from rules.conversation.memory import Memory, own_edition
from rules.conversation.memory_title import name_in_sentences
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
    """Show from now on the edition of this number, the newest of this kind, or the default (None).

    By default the person's own edition is shown, unless memproc has written the memory again since.
    Return whether this changed anything. Raises NotFound, which lists the editions.
    """
    all_editions = editions(archive, memory.memory_id)
    fitting = [
        edition.number for edition in all_editions if wanted in (edition.number, edition.kind)
    ]
    if wanted is not None and not fitting:
        listed = ", ".join(f"{edition.number} ({edition.kind})" for edition in all_editions)
        raise NotFound(
            f"{name_in_sentences(memory).capitalize()} has no edition {wanted}; it has {listed}.",
            f"Read them with: memproc show {memory.memory_id}",
        )
    number = fitting[-1] if fitting else own_edition(all_editions)
    changed = archive.column(
        """
        UPDATE memory SET chosen_edition = ? WHERE id = ? AND chosen_edition IS NOT ? RETURNING id
        """,
        (number, memory.memory_id, number),
    )
    return bool(changed)


def pin(archive: Archive, memory: Memory) -> bool:
    """Keep the memory from being rewritten or folded. Return whether this changed anything."""
    changed = "UPDATE memory SET pinned = 1 WHERE id = ? AND pinned = 0 RETURNING id"
    return bool(archive.column(changed, (memory.memory_id,)))


def unpin(archive: Archive, memory: Memory) -> bool:
    """Let the memory be rewritten and folded again, and stop showing the person's edition.

    That edition is kept. Return whether this changed anything.
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
    """Bring back a memory that was deleted in TypingMind; of a fold, all members.

    A forgotten fold, which would hide them, comes back with the last of its members. Return the ids
    of all memories that came back.
    """
    with archive.transaction():
        brought_back: tuple[str, ...] = ()
        forgotten = archive.column(_FORGOTTEN_PARTS, (memory.memory_id,))
        while forgotten:
            archive.run_many(
                "UPDATE memory SET forgotten_at = NULL, recalled = 1 WHERE id = ?",
                [(name,) for name in forgotten],
            )
            brought_back += forgotten
            forgotten = archive.column(_FOLDS_WHOLE_AGAIN)
    return brought_back
