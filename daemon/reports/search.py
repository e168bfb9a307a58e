"""Report the hits of a search: each with its chat, day, speaker, and the words around."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats, persona_of
from daemon.archive.full_text import ANYTHING, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories_by_message
from daemon.archive.search_words import cut_excerpt, cut_stretches
from daemon.chat.holding import chats_as_of
from daemon.config.settings import Config
from daemon.reports.report import Card, Report, ReportTable
from rules.wording import cut_title

_EXCERPT = 240  # characters
_IN_MEMORIES: tuple[SearchKind, ...] = ("raw", "memories")


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for: words, among one kind or all, in one chat or all, and of which days.

    `since` and `until` are days as YYYY-MM-DD, empty for no bound; `limit` is the most hits.
    """

    words: str
    kind: SearchKind | None
    chat_id: str
    since: str
    until: str
    limit: int


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that matches."""

    entry: IndexEntry
    title: str
    """The title of its chat."""
    memory: str
    """The short name of the memory that it is, or is under; empty for none."""
    persona: str
    """The name of the chat's persona."""


def search_report(archive: Archive, config: Config, state: Path, search: Search) -> Report:
    """Return the entries that have all of the words, the best first.

    Where there are none, the search is repeated with the nearest words that the index has.
    """
    kinds = (search.kind,) if search.kind else ANYTHING
    with full_text(state, archive, chats_as_of(archive, config)) as index:
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
    table = ReportTable(
        "hits",
        _hits(archive, entries),
        none=nothing,
        card=lambda hit: _card(hit, query),
        data=lambda hit: {**asdict(hit.entry), "title": hit.title, "memory": hit.memory},
    )
    nearest = query if entries and query != search.words else ""
    heading = f"{nothing}\nThe nearest that there is: {nearest}\n" if nearest else ""
    return Report((table,), heading, values={"nearest": nearest})


def _hits(archive: Archive, entries: Sequence[IndexEntry]) -> list[Hit]:
    """Return the entries as hits, with the names that their chats have for them."""
    titles = {known.chat_id: known.title for known in known_chats(archive)}
    chats = {entry.chat_id for entry in entries if entry.kind in _IN_MEMORIES}
    names = {
        (chat_id, key): name
        for chat_id in chats
        for key, name in memories_by_message(archive, chat_id).items()
    }
    personas = {chat_id: persona_of(archive, chat_id) for chat_id in chats}
    return [
        Hit(
            entry,
            titles[entry.chat_id],
            names.get((entry.chat_id, entry.name), ""),
            personas.get(entry.chat_id, ""),
        )
        for entry in entries
    ]


def _card(hit: Hit, query: str) -> Card:
    """Return a hit with its speaker or kind, and what opens it; the query's words are marked."""
    entry = hit.entry
    show = f"show {entry.chat_id} {hit.memory}" if hit.memory else ""
    address = f"/chat/{entry.chat_id}"
    match entry.kind:
        case "titles":
            who, command = "a chat", f"memories {entry.chat_id}"
        case "facts":
            who, command = f"fact {entry.name}", f"facts {entry.chat_id}"
            address += f"/facts#fact-{entry.name}"
        case "memories":
            who, command, address = f"memory {hit.memory}", show, f"/memory/{entry.name}"
        case _:
            speaker = "you" if entry.speaker == "user" else hit.persona
            who, command = f"{speaker}, in memory {hit.memory}" if hit.memory else speaker, show
            address += f"/messages/{entry.name}?{urlencode({'words': query})}"
    return Card(
        who=who,
        said_at=entry.said_at,
        text=cut_stretches(cut_excerpt(entry.text, query, _EXCERPT), query),
        place=cut_title(hit.title),
        command=command,
        address=address,
    )
