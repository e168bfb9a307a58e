"""What happened to a chat's facts, kept for ever."""

from collections.abc import Sequence

from daemon.archive.archive import Archive
from daemon.archive.seals import refuse_damage
from rules.layers.facts import By, Event, FactEvent

_EVENTS: dict[str, Event] = {
    "ADD": "ADD", "UPDATE": "UPDATE", "DELETE": "DELETE", "CONFIRM": "CONFIRM", "FORGET": "FORGET",
}  # fmt: skip
_BY: dict[str, By] = {"model": "model", "person": "person"}


def fact_events(archive: Archive, chat_id: str, *, forgotten: bool = False) -> tuple[FactEvent, ...]:
    """All events of a chat's facts, in the order in which they happened.

    Without `forgotten`, those that were taken from the chunks of memories which the person has deleted in TypingMind
    are not among them: what they have forgotten stays forgotten, and comes back with its memory.
    Raises DamagedChat.
    """
    refuse_damage(archive.run, chat_id, "fact_event")
    rows = archive.run(
        """
        SELECT fact, event, text, said_at, source, by, coalesce(memory.number, 0), edition, why, at
        FROM fact_event JOIN chat ON chat.id = fact_event.chat LEFT JOIN memory ON memory.id = fact_event.memory
        WHERE chat_id = ?1 AND (?2 OR memory.forgotten_at IS NULL) ORDER BY fact_event.id
        """,
        (chat_id, forgotten),
    )
    return tuple(
        FactEvent(fact, _EVENTS[event], text, said_at, source, _BY[by], memory, edition, why, at)
        for fact, event, text, said_at, source, by, memory, edition, why, at in rows
    )


def next_fact(archive: Archive, chat_id: str) -> int:
    """The number that the next fact of a chat gets: no number is ever given twice."""
    row = archive.one(
        "SELECT coalesce(max(fact), 0) FROM fact_event JOIN chat ON chat.id = fact_event.chat WHERE chat_id = ?",
        (chat_id,),
    )
    return 1 + (int(row[0]) if row else 0)


def keep_fact_events(archive: Archive, chat_id: str, events: Sequence[FactEvent], now: str, memory: str = "") -> None:
    """Keep what happened, in one transaction; `memory` is the id of the memory whose chunk it was taken from."""
    with archive.transaction():
        archive.run_many(
            """
            INSERT INTO fact_event (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
            VALUES ((SELECT id FROM chat WHERE chat_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                (
                    chat_id, one.fact, one.event, one.text, one.said_at, one.source, one.by, memory or None,
                    one.edition, one.why, now,
                )
                for one in events
            ],
        )  # fmt: skip
