"""Say what a search has found: each place with its chat, its day, who said it, and the words around."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats, persona_of
from daemon.archive.full_text import ANYTHING, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories_by_message
from daemon.archive.search_words import excerpt, stretches
from daemon.reports.report import Card, Report, Table
from rules.wording import cut_title

_EXCERPT = 240  # characters
_IN_MEMORIES: tuple[SearchKind, ...] = ("raw", "memories")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for: words, among which kinds, in one chat or all, and of which days.

    `since` and `until` are days as YYYY-MM-DD, empty for no bound; `limit` is the most places.
    """

    words: str
    kind: SearchKind | None = None
    chat_id: str = ""
    since: str = ""
    until: str = ""
    limit: int = 20


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that was found."""

    entry: IndexEntry
    title: str
    """Of its chat."""
    memory: str
    """The short name of the memory that it is in or is; empty for none."""
    persona: str
    """What the chat calls its persona."""

    @property
    def who(self) -> str:
        """Return who said it, or what it is."""
        if self.entry.kind == "raw":
            speaker = "you" if self.entry.speaker == "user" else self.persona
            return f"{speaker}, in memory {self.memory}" if self.memory else speaker
        names = {"memories": f"memory {self.memory}", "facts": f"fact {self.entry.name}"}
        return names.get(self.entry.kind, "a chat")

    @property
    def command(self) -> str:
        """Return the command that opens it; empty for what is in no memory yet."""
        if self.entry.kind == "facts":
            return f"facts {self.entry.chat_id}"
        if self.entry.kind == "titles":
            return f"memories {self.entry.chat_id}"
        return f"show {self.entry.chat_id} {self.memory}" if self.memory else ""

    def address(self, query: str) -> str:
        """Return where the page shows it; in the conversation, the words of the query are marked."""
        if self.entry.kind == "memories":
            return f"/memory/{self.entry.name}"
        places = {
            "titles": "",
            "facts": f"/facts#fact-{self.entry.name}",
            "raw": f"/messages/{self.entry.name}?{urlencode({'words': query})}",
        }
        return f"/chat/{self.entry.chat_id}{places[self.entry.kind]}"


def search_report(archive: Archive, state: Path, search: Search) -> Report:
    """Return the places that have all of the words, the best first.

    Where there are none, they are those of the nearest words that something has.
    """
    kinds = (search.kind,) if search.kind else ANYTHING
    with full_text(state, archive) as index:
        find = partial(
            index.find,
            kinds=kinds,
            chat_id=search.chat_id,
            since=search.since,
            until=search.until,
            limit=search.limit,
        )
        query, entries = index.best(search.words, find)
    nothing = f"Nothing holds all of: {search.words}"
    table = Table(
        "hits",
        _hits(archive, entries),
        none=nothing,
        card=lambda hit: Card(
            who=hit.who,
            said_at=hit.entry.said_at,
            text=stretches(excerpt(hit.entry.text, query, _EXCERPT), query),
            place=cut_title(hit.title),
            command=hit.command,
            address=hit.address(query),
        ),
        data=lambda hit: {**asdict(hit.entry), "title": hit.title, "memory": hit.memory},
    )
    nearest = query if entries and query != search.words else ""
    heading = f"{nothing}\nThe nearest that there is: {nearest}\n" if nearest else ""
    return Report((table,), heading, values={"nearest": nearest})


def _hits(archive: Archive, entries: Sequence[IndexEntry]) -> list[Hit]:
    """Return each entry with what its chat calls it."""
    titles = {known.chat_id: known.title for known in known_chats(archive)}
    chats = {entry.chat_id for entry in entries if entry.kind in _IN_MEMORIES}
    names: Mapping[str, Mapping[str, str]] = {
        chat_id: memories_by_message(archive, chat_id) for chat_id in chats
    }
    personas = {chat_id: persona_of(archive, chat_id) for chat_id in chats}
    return [
        Hit(
            entry,
            titles[entry.chat_id],
            names.get(entry.chat_id, {}).get(entry.name, ""),
            personas.get(entry.chat_id, ""),
        )
        for entry in entries
    ]
