"""What the person did to memories in TypingMind, kept: edited, forgotten, recalled, changed underneath."""

from daemon.archive.archive import Archive
from daemon.archive.memories import insert_edition
from rules.recognize.reading import Reading


def keep_hand(archive: Archive, reading: Reading, when: str) -> None:
    """Keep it, within a transaction of the caller's."""
    for memory_id, edition in reading.person.items():
        insert_edition(archive, memory_id, edition)
        archive.run("UPDATE memory SET chosen_edition = ?, pinned = 1 WHERE id = ?", (edition.number, memory_id))
    hand = reading.hand
    archive.run_many("UPDATE memory SET forgotten_at = ? WHERE id = ?", [(when, name) for name in hand.forgotten])
    archive.run_many(
        "UPDATE memory SET forgotten_at = NULL, recalled = 0 WHERE id = ?", [(name,) for name in hand.recalled]
    )
    archive.run_many("UPDATE memory SET due = ? WHERE id = ?", [(why, name) for name, why in hand.changed.items()])
