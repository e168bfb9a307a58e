"""A fork goes on with the core memory and the facts of the chat it was forked from, as they were then."""

from daemon.archive.archive import Archive

_WHAT_IT_HAD = """
    LEFT JOIN memory AS own ON own.origin = event.memory AND own.chat = ?1
    WHERE event.chat = ?2 AND event.at <= ?3 AND (event.memory IS NULL OR own.id IS NOT NULL) ORDER BY event.id
"""


def inherit_layers(archive: Archive, chat_id: str, shown: str, written: str) -> bool:
    """Take over all that had happened in the other chat when it got the opening that this chat shows.

    `shown` is the digest of that opening, `written` that of the text which it had when memproc wrote it: the person may
    have edited it in the fork. Whether there is such a chat; within a transaction of the caller's.
    """
    row = archive.one(
        """
        SELECT own.id, opening.chat, opening.at FROM opening, chat AS own
        WHERE own.chat_id = ?1 AND opening.chat <> own.id AND digest IN (?2, ?3)
          AND EXISTS (SELECT 1 FROM memory JOIN memory AS origin ON origin.id = memory.origin
                      WHERE memory.chat = own.id AND origin.chat = opening.chat)
        ORDER BY digest = ?2 DESC, opening.at DESC LIMIT 1
        """,
        (chat_id, shown, written),
    )
    if row is None:
        return False
    own, kin, upto = row
    archive.run(
        f"""
        INSERT INTO fact_event (chat, fact, event, text, said_at, source, by, memory, edition, why, at)
        SELECT ?1, fact, event, text, said_at, source, by, own.id, edition, why, event.at
        FROM fact_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    )
    _core(archive, own, kin, upto)
    archive.run(
        """
        INSERT INTO opening (chat, digest, text, preface, by, base, at)
        SELECT ?1, digest, text, preface, by, base, at FROM opening WHERE chat = ?2 AND at <= ?3 ORDER BY rowid
        """,
        (own, kin, upto),
    )
    archive.run(
        """
        INSERT INTO layer_step (memory, layer, edition, done_at)
        SELECT own.id, layer, edition, coalesce(done_at, ?2) FROM layer_step
        JOIN memory AS own ON own.origin = layer_step.memory AND own.chat = ?1
        """,
        (own, upto),
    )
    return True


def _core(archive: Archive, own: int, kin: int, upto: str) -> None:
    """One by one, since an event that takes another one back names it by its number."""
    numbers: dict[int | None, int] = {}
    for number, undoes, *said in archive.run(
        f"""
        SELECT event.id, undoes, section, value, held, held_lines, by, function, own.id, edition, event.at
        FROM core_event AS event {_WHAT_IT_HAD}
        """,  # noqa: S608
        (own, kin, upto),
    ):
        kept = archive.run(
            "INSERT INTO core_event "
            "(chat, section, value, held, held_lines, by, function, memory, edition, at, undoes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (own, *said, numbers.get(undoes)),
        )
        numbers[number] = int(kept[0][0])
