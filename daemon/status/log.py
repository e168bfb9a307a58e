"""Read the log as sentences, of all chats or of one."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.log import LogEntry, entries_about, entries_after
from daemon.archive.work import places_of_outcomes
from daemon.status.printable import in_one_line
from daemon.status.sentences import sentence
from daemon.status.titles import shown_titles
from rules.errors import NotFound


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry of the log: time, its event's kind, the sentence, and its values for programs."""

    at: str
    event: str
    says: str
    values: dict[str, object] = field(default_factory=dict)


def log_rows(
    state: Path, chat: str = "", wait: Callable[[], object] | None = None
) -> Iterator[LogRow]:
    """Yield the entries of the log, oldest first, of all chats or of one by its id or title.

    With `wait` it never ends: `wait` is called whenever there is no new entry. Raises NotFound.
    """
    number = 0
    while True:
        with Archive.read(state) as archive:  # opened each time, since the file may be replaced
            titles = shown_titles(archive)
            entries = list(_entries(archive, chat, number))
        for entry in entries:
            number = entry.number
            if entry.event:
                says = in_one_line(sentence(entry.event, titles))
                yield LogRow(entry.at, type(entry.event).__name__, says, asdict(entry.event))
            else:
                yield LogRow(entry.at, "", "(a line that this memproc cannot read)")
        if wait is None:
            return
        if not entries:
            wait()


def _entries(archive: Archive, chat: str, number: int) -> Iterator[LogEntry]:
    """Return the entries after `number`, of all chats or of one by its id or title.

    Raise NotFound where neither the archive nor a file's outcome knows the chat.
    """
    if not chat:
        return entries_after(archive, number)
    try:
        known = find_chat(archive, chat, "part")
    except NotFound:
        places = places_of_outcomes(archive, chat, chat)
        if not places:
            raise
        chat_id = next((place_id for place_id, _ in places if place_id), "")
    else:
        chat_id = known.chat_id
        places = places_of_outcomes(archive, chat_id, known.title)
    return entries_about(archive, number, chat_id, {arrival for _, arrival in places})
