"""Store raw messages: a version for new bytes, their order, and which ones are gone or missing."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import keep_chat, keep_closing
from daemon.archive.forks import adopt
from daemon.archive.memories import keep_user_edits
from daemon.archive.messages import message_keys
from daemon.archive.seals import packed, unpacked
from rules.conversation.history import (
    COPY,
    UNDER_SOME_MEMORY,
    Entry,
    Place,
    build_history,
    raw_messages,
)
from rules.conversation.marker import MEMORY
from rules.output.arrange import edited_closing
from rules.recognize.absent import Absent
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.content import find_attachments
from rules.typingmind.message import Message

_OF_CHAT = "chat = (SELECT id FROM chat WHERE chat_id = ?)"
_MAY_BE_EXPORTED = """
    SELECT message, key, gone_at IS NOT NULL, is_missing, uuid FROM said
    WHERE chat = ? AND left_out IS NOT ?
"""
"""Selects the chat's raw messages, except those under an unknown memory."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """A raw message that may be in an export."""

    row: int
    key: str
    is_gone: bool
    is_missing: bool
    uuid: str | None


@dataclass(frozen=True, slots=True)
class _NewestVersion:
    """The newest version of a raw message, by its hashes; number 0 if it has none yet."""

    message: int
    """The message's row."""
    key: str
    number: int
    sha256: str | None
    digest: str | None


def remember(archive: Archive, chat: Chat, reading: ChatReading, when: str) -> bool:
    """Store the export's raw messages and the person's edits, in one transaction.

    Return True if a raw message is new, changed or gone. New bytes become a new version of their
    message. A message that is neither in the export nor under a memory is marked as gone, until it
    comes back; and so is one under a memory that the person has deleted.
    """
    raw = {place.key: place for place in raw_messages(reading.places)}
    with archive.transaction():
        row = keep_chat(archive, chat, when)
        if reading.adopted.memories:
            adopt(archive, row, reading.adopted, when)
        known = message_keys(archive, row)
        _place(archive, row, order(known, reading.places, reading.entries), raw)
        changed = _keep_versions(archive, row, _in_versions(reading), when)
        stored = archive.rows(_Stored, _MAY_BE_EXPORTED, (row, UNDER_SOME_MEMORY))
        deleted = {entry.key for entry in reading.entries if entry.gone}
        present = raw.keys() | {entry.key for entry in reading.entries}
        gone = _mark_gone(archive, stored, present - deleted, when)
        _mark_missing(archive, stored, raw.keys(), reading.absent)
        keep_user_edits(archive, reading, when)
        if (closing := edited_closing(reading.places)) is not None:
            keep_closing(archive, row, closing)
    return changed or gone


def put_back(
    archive: Archive, row: int, places: Sequence[Place], known: Collection[str], when: str
) -> None:
    """Store the raw messages of a file, except those in `known`, in the caller's transaction.

    They count as under an unknown memory, until an export holds them or a memory claims them.
    """
    new = [place for place in places if place.key not in known and not place.is_copy]
    raw = {place.key: replace(place, left_out=place.left_out or UNDER_SOME_MEMORY) for place in new}
    keys = order(message_keys(archive, row), places, build_history((), places))
    _place(archive, row, keys, raw)
    _keep_versions(archive, row, new, when)


def _place(archive: Archive, row: int, order: Sequence[str], raw: Mapping[str, Place]) -> None:
    """Store the position of every message, and why one of the export is left out, if it is.

    Only changes are written: each written row costs a seal, and a long chat has thousands of rows.
    """
    for position, key in enumerate(order):
        place = raw.get(key)
        is_copy = place is not None and place.message.is_copy
        date = place.message.created_at or "" if place and is_copy else ""
        archive.run(
            """
            INSERT INTO message (chat, key, position, left_out, said_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (chat, key) DO UPDATE SET
                position = ?3, left_out = iif(?6, ?4, left_out), said_at = iif(?7, ?5, said_at)
            WHERE position <> ?3 OR (?6 AND left_out IS NOT ?4) OR (?7 AND said_at <> ?5)
            """,
            (row, key, position, place and place.left_out, date, place is not None, is_copy),
        )


def _in_versions(reading: ChatReading) -> list[Place]:
    """Return the raw messages whose bytes are to be stored, each at last as it is now.

    What another device brings back of a message under a memory that the export shows, from before
    an edit, says nothing of how it is now. It counts as a copy.
    """
    now = {entry.key: entry.newest or entry.message for entry in reading.entries}
    copies, present = [place for place in reading.places if place.is_copy], []
    for place in raw_messages(reading.places):
        message = now.get(place.key, place.message)
        if message.digest != place.message.digest:
            copies.append(replace(place, left_out=COPY))
            place = replace(place, message=message)
        present.append(place)
    return copies + present


def _keep_versions(archive: Archive, row: int, places: Sequence[Place], when: str) -> bool:
    """Store the bytes that are not stored yet as new versions. Return whether there were any.

    Copies of a message are stored before it, unless any version has their bytes: a branch of the
    chat may be held by a copy alone. An original that we keep next to its memory gets a new version
    only if its words changed, or its files moved, as in a fork. Different bytes alone mean nothing:
    a sync may have reordered its keys around our own fields.
    """
    newest = """
        SELECT message.id, key, coalesce(max(number), 0), sha256, digest
        FROM message LEFT JOIN version ON version.message = message.id
        WHERE chat = ? GROUP BY message.id
    """
    versions = {version.key: version for version in archive.rows(_NewestVersion, newest, (row,))}
    is_new = False
    for place in places:
        version = versions[place.key]
        if not _is_stored(archive, place, version):
            number = version.number + 1
            sha256 = insert_version(archive, version.message, number, place.message, when)
            versions[place.key] = replace(version, number=number, sha256=sha256)
            is_new = True
    return is_new


def _is_stored(archive: Archive, place: Place, version: _NewestVersion) -> bool:
    """Return whether the message needs no new version."""
    message = place.message
    sha256 = hashlib.sha256(message.raw).hexdigest()
    if sha256 == version.sha256:
        return True
    if place.is_copy:
        any_version = "SELECT count(*) FROM version WHERE message = ? AND sha256 = ?"
        return bool(archive.value(any_version, (version.message, sha256)))
    if not place.original or message.digest != version.digest:
        return False
    files = find_attachments(message.raw)
    if not files:
        return True
    stored = archive.run("SELECT raw, packed, sha256 FROM body WHERE sha256 = ?", (version.sha256,))
    return all(find_attachments(unpacked(*body)) == files for body in stored)


def _mark_gone(
    archive: Archive, stored: Sequence[_Stored], present: Collection[str], when: str
) -> bool:
    """Mark messages that are not present as gone, and unmark those that came back.

    Return whether any is newly gone.
    """
    gone = [(when, old.row) for old in stored if not old.is_gone and old.key not in present]
    returned = [(old.row,) for old in stored if old.is_gone and old.key in present]
    archive.run_many("UPDATE message SET gone_at = ? WHERE id = ?", gone)
    archive.run_many("UPDATE message SET gone_at = NULL WHERE id = ?", returned)
    return bool(gone)


def _mark_missing(
    archive: Archive, stored: Sequence[_Stored], in_export: Collection[str], absent: Absent
) -> None:
    """Mark messages as missing that were not deleted.

    They are so until an export holds them, or explains their absence.
    """
    for old in stored:
        is_still = old.is_missing and old.uuid not in absent.explained
        is_missing = old.key not in in_export and (old.key in absent.keys or is_still)
        if is_missing != old.is_missing:
            archive.run("UPDATE message SET is_missing = ? WHERE id = ?", (is_missing, old.row))


def order(known: Sequence[str], places: Sequence[Place], entries: Sequence[Entry]) -> list[str]:
    """Return all keys of a chat in the order of the conversation, each once.

    `known` are the archive's keys in their present order, `entries` the history, which orders the
    lived messages. A message that was left out or is gone stays after the same message as before; a
    new one comes after the message that it follows in the export.
    """
    placed = {entry.key for entry in entries}
    followers: dict[str, list[str]] = {}
    neighbours = _neighbours(places, entries)
    for before, key in (*zip(["", *known], known, strict=False), *neighbours):
        if key not in placed:
            placed.add(key)
            followers.setdefault(before, []).append(key)
    keys: list[str] = []
    waiting = [*(entry.key for entry in reversed(entries)), ""]
    while waiting:
        key = waiting.pop()
        keys.append(key)
        waiting += followers.get(key, [])
    return keys[1:]


def _neighbours(places: Sequence[Place], entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Yield each message of the export with the key of the one before it."""
    last_under = next((entry.key for entry in reversed(entries) if entry.memory is not None), "")
    before = ""
    for place in places:
        if place.is_copy:
            continue
        if place.ours is None:
            yield before, place.key
            before = place.key
        elif place.ours.kind == MEMORY:  # what follows it follows the last message under a memory
            before = last_under


def insert_version(archive: Archive, row: int, number: int, message: Message, when: str) -> str:
    """Store a new version of a message, and return the hash of its bytes.

    Equal bytes are stored once, however many chats have them.
    """
    sha256 = hashlib.sha256(message.raw).hexdigest()
    archive.run(
        "INSERT OR IGNORE INTO body (sha256, raw, packed) VALUES (?, ?, ?)",
        (sha256, *packed(message.raw)),
    )
    columns = {
        "message": row, "number": number, "sha256": sha256, "digest": message.digest,
        "uuid": message.uuid, "role": message.role, "created_at": message.created_at,
        "seen_at": when,
    }  # fmt: skip
    archive.insert("version", columns)
    return sha256
