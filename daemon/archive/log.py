"""The log: the newest events of files, chats and the daemon."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.events import Event, FileIs, NoEvent, format_event, parse_event
from rules.arrival import State

MOST_ENTRIES = 20_000
"""Older ones are deleted, as each daily copy of the archive has them: together some 40 MB."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event, and when it happened (UTC)."""

    number: int
    at: str
    event: Event | None
    """None where the row is damaged, or of another version of memproc."""


def note(archive: Archive, event: Event, when: str) -> None:
    """Store an event. Durable when this returns."""
    row = {
        "at": when,
        "chat_id": getattr(event, "chat_id", ""),
        "arrival": getattr(event, "arrival", 0),
        "event": format_event(event).rstrip(),
    }
    with archive.transaction():
        number = archive.insert("log", row)
        archive.run("DELETE FROM log WHERE id <= ?", (number - MOST_ENTRIES,))


def newest_entry(archive: Archive) -> int:
    """Return the number of the newest entry; 0 where there is none."""
    return int(archive.value("SELECT coalesce(max(id), 0) FROM log"))


def entries_after(archive: Archive, number: int) -> Iterator[LogEntry]:
    """Yield the entries that came after that one, oldest first."""
    yield from _entries(archive, "id > ?", number)


def entries_about(
    archive: Archive, number: int, chat_id: str, arrivals: Collection[int]
) -> Iterator[LogEntry]:
    """Yield the entries after `number` that name the chat, or only a file that held it.

    `arrivals` are further files that count. The id of a chat without one is empty.
    """
    about = """
        id > ?1 AND iif(chat_id <> '', chat_id = ?2, arrival IN (
            SELECT value FROM json_each(?3) UNION
            SELECT arrival FROM log WHERE chat_id = ?2 AND ?2 <> '' AND arrival > 0))
    """
    yield from _entries(archive, about, number, chat_id, str(sorted(arrivals)))


def _entries(archive: Archive, where: str, *values: object) -> Iterator[LogEntry]:
    rows = archive.run(f"SELECT id, at, event FROM log WHERE {where} ORDER BY id", values)  # noqa: S608
    for number, at, line in rows:
        try:
            yield LogEntry(number, at, parse_event(line)[0])
        except NoEvent:
            yield LogEntry(number, at, None)


def times_in(archive: Archive, arrival_id: int, state: State) -> int:
    """Return how often a file has come into a state."""
    entries = _entries(archive, "arrival = ?", arrival_id)
    return sum(isinstance(entry.event, FileIs) and entry.event.state == state for entry in entries)
