"""Passages that the person keeps word for word: stored, changed and proved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.chats import chat_row
from daemon.archive.messages import message_in
from daemon.archive.records import row_of
from daemon.archive.seals import refuse_damage, unpacked
from rules.layers.kept_passages import KeptPassage
from rules.typingmind.dates import in_zone
from rules.typingmind.message import Message, read_message

_CHANGING = ("state", "is_pinned", "asks", "digest", "shown", "shown_at")
_CHANGE = f"""
    UPDATE kept_passage SET {", ".join(f"{name} = ?" for name in _CHANGING)}, changed_at = ?
    WHERE chat = ? AND number = ?
"""  # noqa: S608
_VERSIONS = """
    SELECT message.id, version.id, CAST(raw AS BLOB), packed, version.sha256 FROM chat
    JOIN message ON message.chat = chat.id JOIN version ON version.message = message.id
    JOIN body ON body.sha256 = version.sha256
    WHERE chat_id = ? AND key = ? ORDER BY number DESC
"""


def kept_passages(archive: Archive, chat_id: str) -> tuple[KeptPassage, ...]:
    """Return the passages of a chat, released ones too, by number. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "kept_passage")

    rows = """
        SELECT coalesce(key, ''), start, text, kept_passage.said_at, speaker, tokens, by, state, number,
               is_pinned, asks, digest, reason, at, shown, shown_at
        FROM kept_passage JOIN chat ON chat.id = kept_passage.chat
        LEFT JOIN message ON message.id = kept_passage.message
        WHERE chat_id = ? ORDER BY number
    """
    return archive.rows(KeptPassage, rows, (chat_id,))


def store_passages(
    archive: Archive, chat_id: str, after: Sequence[KeptPassage], now: str
) -> tuple[KeptPassage, ...]:
    """Store the passages of a chat as they are now, in one transaction, and return them.

    New ones, without a number, get the next ones, and the day of the person's zone. Only what has
    changed is written.
    """
    with archive.transaction():
        before = {passage.number: passage for passage in kept_passages(archive, chat_id)}
        last, stored = max(before, default=0), []
        for passage in after:
            if not passage.number:
                last += 1
                said_at = in_zone(passage.said_at, archive.zone)
                passage = replace(passage, number=last, at=passage.at or now, said_at=said_at)
                _insert(archive, chat_id, passage, now)
            elif passage != before[passage.number]:
                values = [getattr(passage, name) for name in _CHANGING]
                place = (chat_row(archive, chat_id), passage.number)
                archive.run(_CHANGE, (*values, now, *place))
            stored.append(passage)
    return tuple(stored)


def _insert(archive: Archive, chat_id: str, passage: KeptPassage, now: str) -> None:
    """Store a passage with its message and the newest version that says it, if any does."""
    saying = (
        (message, version)
        for message, version, *body in archive.run(_VERSIONS, (chat_id, passage.key))
        if is_in(passage, read_message(unpacked(*body)))
    )
    message, version = next(saying, (None, None))
    place = {"chat": chat_row(archive, chat_id), "message": message, "version": version}
    row = {**row_of(passage), **place, "changed_at": now}
    del row["key"]
    archive.insert("kept_passage", row)


def is_in(passage: KeptPassage, message: Message) -> bool:
    """Return whether the message has the passage at its place, from the first character on."""
    return message.words[passage.start : passage.stop] == passage.text


def sources(archive: Archive, chat_id: str) -> Mapping[int, bytes]:
    """Return the bytes of the raw message that each passage is proved by, by number."""
    rows = archive.run(
        """
        SELECT kept_passage.number, CAST(raw AS BLOB), packed, version.sha256
        FROM kept_passage JOIN chat ON chat.id = kept_passage.chat
        JOIN version ON version.id = kept_passage.version
        LEFT JOIN body ON body.sha256 = version.sha256
        WHERE chat_id = ?
        """,
        (chat_id,),
    )
    return {number: unpacked(*body) for number, *body in rows}


def unproved_passages(archive: Archive) -> Iterator[str]:
    """Yield a sentence on each kept passage that its raw message does not say."""
    for (chat_id,) in archive.run("SELECT chat_id FROM chat ORDER BY id"):
        raw = sources(archive, chat_id)
        for passage in kept_passages(archive, chat_id):
            if passage.number in raw and not is_in(passage, read_message(raw[passage.number])):
                yield f"archive: {passage.called} of the chat {chat_id} is not in its raw message"


def newest_messages(
    archive: Archive, chat_id: str, *, deleted: bool = True
) -> Iterator[tuple[str, Message]]:
    """Yield what each raw message of a chat says now, with its key, in order.

    Without `deleted`, those that `expand` writes.
    """
    newest = """
        SELECT key, raw, packed, sha256, said_at FROM said
        WHERE chat_id = ? AND (? OR is_present) ORDER BY position
    """
    for key, *stored in archive.run(newest, (chat_id, deleted)):
        yield key, message_in(*stored)
