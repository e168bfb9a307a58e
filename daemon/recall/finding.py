"""Search for places that have most of a question's words, each with the words around them."""

from collections.abc import Callable
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.memories import forgotten_names
from daemon.archive.search_words import excerpt
from daemon.models.tokens import tokens_at_most
from daemon.recall.library import Library, Reach, Recalled, name_of, reach
from daemon.recall.query_days import days_named
from daemon.recall.records import (
    SEARCH_TOKENS,
    Record,
    dated,
    fitted,
    in_data,
    in_quotes,
    named,
    plain,
)

Among = Literal["raw", "memories", "facts", "all"]

_HEAD_TOKENS = 200
_LONGEST_EXCERPT = 1_200  # characters
_LOOKED_AT = 1_000  # characters of a text, to see how many tokens its characters take
_LEAST_TOKENS = 60  # of a record that is worth its place
_WHAT = {"raw": "message", "memories": "memory", "facts": "fact"}
_SPEAKER = {"user": "the person", "assistant": "you"}


def find_text(
    library: Library, query: str, among: Among, since: str, until: str, limit: int, chat: str
) -> Recalled:
    """Return the places that have most of the query's words, each with the words around them.

    If no days are given and the query names some, what was said on them comes first, for half of
    the places.
    """
    with library.opened() as archive:
        chats = library.chats(archive, chat)
        head = reach(archive, *chats)
        entries = _entries(library, archive, chats, query, among, since, until, limit, head)
        names = {known.chat_id: name_of(known, chats) if len(chats) > 1 else "" for known in chats}
    if not entries:
        days = f" from {since or head.began} to {until or head.ends}" if since or until else ""
        word = (
            f"Nothing{days} has any of these words. "
            "That is all there is: say so, rather than search again."
        )
        return Recalled(f"{head.head}\n\n{word}", {**head.data, "hits": [], "more": word})
    records = _records(entries, query, names)
    text = "\n\n".join((head.head, *(record.text for record in records)))
    return Recalled(text, {**head.data, "hits": [record.data for record in records]})


def _entries(
    library: Library,
    archive: Archive,
    chats: tuple[KnownChat, ...],
    query: str,
    among: Among,
    since: str,
    until: str,
    limit: int,
    head: Reach,
) -> list[IndexEntry]:
    """Return the best entries, without what the person has forgotten."""
    forgotten = forgotten_names(archive)
    kinds: tuple[SearchKind, ...] = KINDS if among == "all" else (among,)
    days = None if since or until else days_named(query, head.ends)
    with full_text(library.state, archive) as index:

        def places(since: str, until: str) -> list[IndexEntry]:
            entries = index.find(
                query,
                kinds=kinds,
                chat_id=chats[0].chat_id if len(chats) == 1 else "",
                since=since,
                until=until,
                limit=limit + len(forgotten),
                any_word=True,
            )
            known = [entry for entry in entries if (entry.chat_id, entry.name) not in forgotten]
            return known[:limit]

        first = places(*days)[: (limit + 1) // 2] if days else []
        return [*first, *(entry for entry in places(since, until) if entry not in first)][:limit]


def _records(entries: list[IndexEntry], query: str, names: dict[str, str]) -> list[Record]:
    """Return a record for each entry, as long as fits when each of the later ones gets as much."""
    left, records = SEARCH_TOKENS - _HEAD_TOKENS, list[Record]()
    for at, entry in enumerate(entries):
        tokens = left // (len(entries) - at)
        make = _record(entry, names[entry.chat_id])
        share = (tokens - make("").tokens) / tokens_at_most(plain(entry.text[:_LOOKED_AT]))
        characters = min(_LONGEST_EXCERPT, int(max(0, share) * min(len(entry.text), _LOOKED_AT)))
        record = fitted(make, excerpt(entry.text, query, characters), max(tokens, _LEAST_TOKENS))
        if record.tokens > left:
            break
        records.append(record)
        left -= record.tokens
    return records


def _record(entry: IndexEntry, chat: str) -> Callable[[str], Record]:
    day, speaker = dated(entry.said_at), _SPEAKER.get(entry.speaker, "")
    kind, name = _WHAT[entry.kind], in_data(entry.name)
    about = ", ".join(part for part in (day, speaker, chat and f"in {named(chat)}") if part)
    data = {"id": name, "kind": kind, "date": day, "speaker": speaker, "chat": in_data(chat)}
    filled = {key: value for key, value in data.items() if value}
    return lambda text: Record(
        f"{about} ({kind} {named(entry.name)})\n{in_quotes(text)}", {**filled, "text": plain(text)}
    )
