"""Search all that was said, remembered or known; each hit links to its place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.full_text import ANYTHING, IndexEntry, SearchKind, full_text
from daemon.archive.search_words import Stretch, excerpt, stretches
from daemon.page.app import desk_of, render
from daemon.page.chat import persona_of
from rules.wording import cut_title

_MOST = 50
_EXCERPT = 320  # characters
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result, and the address of its page."""

    entry: IndexEntry
    title: str
    persona: str
    stretches: tuple[Stretch, ...]
    address: str


def search_page(request: Request) -> Response:
    """Show the hits, and the form that narrows them."""
    desk = desk_of(request)
    state = desk.folders.state
    asked = request.query_params
    query = asked.get("words", "")
    chat_id = asked.get("chat", "")
    kind = asked.get("in", "")
    since = _day(asked.get("from", ""))
    until = _day(asked.get("to", ""))
    kinds: tuple[SearchKind, ...] = tuple(name for name in ANYTHING if name == kind) or ANYTHING
    with Archive.read(state, zone=desk.config.memory.zone) as archive:
        chats = known_chats(archive)
        with full_text(state, archive) as index:
            find = partial(
                index.find, kinds=kinds, chat_id=chat_id, since=since, until=until, limit=_MOST
            )
            near, entries = index.best(query, find)
        titles = {known.chat_id: cut_title(known.title) for known in chats}
        hits = _hits(archive, entries, titles, near)
    return render(
        request,
        "search.html",
        words=query,
        near=near if near != query else "",
        hits=hits,
        chats=chats,
        chat_id=chat_id,
        kind=kind,
        since=since,
        until=until,
        most=_MOST,
    )


def _hits(
    archive: Archive, entries: Sequence[IndexEntry], titles: Mapping[str, str], query: str
) -> list[Hit]:
    """Return each entry with its title, an excerpt around the words, and its address."""
    raw = {entry.chat_id for entry in entries if entry.kind == "raw"}
    personas = {chat_id: persona_of(archive, chat_id) for chat_id in raw}
    hits = []
    for entry in entries:
        marked = stretches(excerpt(entry.text, query, _EXCERPT), query)
        title, persona = titles[entry.chat_id], personas.get(entry.chat_id, "")
        hits.append(Hit(entry, title, persona, marked, _address(entry, query)))
    return hits


def _day(text: str) -> str:
    """Return a day as it was asked for; empty, for no bound, where it is none."""
    return text if _DAY.fullmatch(text) else ""


def _address(entry: IndexEntry, query: str) -> str:
    """Return the address of a hit's place; on that of a message the words are marked."""
    if entry.kind == "memories":
        return f"/memory/{entry.name}"
    if entry.kind == "titles":
        return f"/chat/{entry.chat_id}"
    if entry.kind == "facts":
        return f"/chat/{entry.chat_id}/facts#fact-{entry.name}"
    words = urlencode({"words": query})
    return f"/chat/{entry.chat_id}/messages/{entry.name}?{words}"
