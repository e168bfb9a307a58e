"""Search for places that have most of a question's words, each with the words around them.

Days that a question names narrow a search: "on 5 April 2024", "im März", "en abril de 2024",
"2024-04". Understood are ISO dates, and the months of English, German, French, Spanish, Italian,
Portuguese and Dutch. A model that looks something up in another language can give `since` and
`until`.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.memories import forgotten_names
from daemon.archive.search_words import excerpt
from daemon.models.token_bound import tokens_at_most
from daemon.recall.library import Library, Reach, Recalled, name_of, reach
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

Days = tuple[str, str]
"""The first and the last day, as YYYY-MM-DD."""

_NAMES = """
    january february march april may june july august september october november december
    jan feb mar apr may jun jul aug sep oct nov dec
    januar februar märz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    januari februari maart april mei juni juli augustus september oktober november december
"""
_MONTHS = {name: at % 12 + 1 for at, name in enumerate(_NAMES.split())} | {"sept": 9, "jänner": 1}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:,?\s+(?:de\s+)?(?P<year>(?:19|20)\d\d))?\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?(?!\d)"
_WITHIN = (
    "in|during|since|until|of|late|early|mid|last|im|seit|ab|bis|anfang|mitte|ende|letzten"
    "|en|de|depuis|fin|début|desde|hasta|finales|nel|da|fino|di|em|sinds|tot|begin|eind"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b",
        rf"\b{_DAY}\s*(?:of\s+|de\s+)?{_MONTH}{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}{_YEAR}",
        rf"\b(?:{_WITHIN})[\s-]+{_MONTH}{_YEAR}",
    )
)

Among = Literal["raw", "memories", "facts", "all"]

_HEAD_TOKENS = 200
_LONGEST_EXCERPT = 1_200  # characters
_LOOKED_AT = 1_000  # characters of a text, to see how many tokens its characters take
_LEAST_TOKENS = 60  # of a record that is worth its place
_WHAT = {"raw": "message", "memories": "memory", "facts": "fact"}
_SPEAKER = {"user": "the person", "assistant": "you"}


def days_named(query: str, newest: str) -> Days | None:
    """Return the days that the query names, or None; `newest` is the last day that is known.

    A month without a year is the last one of that name that is not later than this.
    """
    for form in _FORMS:
        if (match := form.search(query)) and (days := _days(match.groupdict(), newest)):
            return days
    return None


def _days(parts: dict[str, str | None], newest: str) -> Days | None:
    month_text = parts["month"] or ""
    month = int(month_text) if month_text.isdigit() else _MONTHS.get(month_text.casefold(), 0)
    year = int(parts["year"] or newest[:4] or 0)
    if not parts["year"] and f"{year}-{month:02}" > newest[:7]:
        year -= 1
    first, last = parts.get("day") or 1, parts.get("day")
    try:
        end = int(last) if last else monthrange(year, month)[1]
        return date(year, month, int(first)).isoformat(), date(year, month, end).isoformat()
    except ValueError:
        return None


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
