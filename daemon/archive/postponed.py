"""Arrivals whose work was put off: which they are, and whether a newer file has taken their place meanwhile."""

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, find_arrival
from daemon.archive.outputs import last_output
from rules.arrival import MOST_FAILURES
from rules.conversation.memory import EXTRACTED


def put_off(archive: Archive) -> tuple[int, ...]:
    """Numbers of the arrivals that wait for a time, for the budget or for the person, oldest first."""
    return tuple(
        row[0] for row in archive.run("SELECT id FROM arrival WHERE state IN ('waiting', 'paused') ORDER BY id")
    )


def look_again(archive: Archive, now: str) -> None:
    """Have the arrivals that wait for the budget or for the person looked at again at once."""
    with archive.transaction():
        archive.run("UPDATE arrival SET next_look_at = ? WHERE state = 'paused'", (now,))


def set_aside(archive: Archive) -> tuple[Arrival, ...]:
    """The arrivals that were set aside for what is in them, oldest first.

    Where the work itself broke off three times, it is not tried again: the person has been told to drop it anew.
    """
    rows = archive.run(
        "SELECT id FROM arrival WHERE state = 'set aside' AND sha256 IS NOT NULL AND tries < ? ORDER BY id",
        (MOST_FAILURES,),
    )
    return tuple(find_arrival(archive, row[0]) for row in rows)


def extracted_from(archive: Archive) -> tuple[Arrival, ...]:
    """The written arrivals that the newest updated exports with memories of the built-in engine were made from."""
    rows = archive.run(
        """
        SELECT max(arrival.id) FROM arrival
        JOIN output ON source_sha256 = arrival.sha256
        WHERE state = 'written'
          AND output.id = (SELECT max(id) FROM output AS other WHERE other.chat_id = output.chat_id)
          AND EXISTS (
              SELECT 1 FROM memory JOIN chat ON chat.id = memory.chat
              WHERE chat.chat_id = output.chat_id AND forgotten_at IS NULL AND pinned = 0
                AND NOT EXISTS (SELECT 1 FROM edition WHERE edition.memory = memory.id AND made <> ?))
        GROUP BY arrival.sha256 ORDER BY 1
        """,
        (EXTRACTED,),
    )
    return tuple(find_arrival(archive, row[0]) for row in rows)


def is_outdated(archive: Archive, arrival: Arrival, chat_id: str) -> bool:
    """Whether the chat's updated export was made from another file after this one was dropped, or was restored."""
    last = last_output(archive, chat_id)
    return last is not None and last.source_sha256 != arrival.sha256 and last.written_at >= arrival.seen_at
