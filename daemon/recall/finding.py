"""Search for entries with most of a question's words; return each with the words around them.

Days that a question names narrow the search: "on 5 April 2024", "im März", "en abril de 2024",
"2024-04". ISO dates are understood, and the months in English, German, French, Spanish, Italian,
Portuguese and Dutch. In another language, a model can give `since` and `until`.
"""

import re
from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat
from daemon.archive.full_text import KINDS, FullText, IndexEntry, full_text
from daemon.archive.memories import forgotten_names
from daemon.archive.search_words import cut_excerpt
from daemon.chat.holding import chats_as_of
from daemon.models.tokens import tokens_at_most
from daemon.recall.library import (
    ChatName,
    Day,
    Library,
    Recalled,
    Tool,
    find_reach,
    name_of,
    tool_answer,
)
from daemon.recall.records import (
    LIST_TOKENS,
    Record,
    dated,
    fit_record,
    in_data,
    make_plain,
    named,
    quote_record,
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

_LONGEST_EXCERPT = 1_200  # characters
_LOOKED_AT = 1_000  # characters of a text, to see how many tokens its characters take
_LEAST_TOKENS = 60  # of a record that is worth its place
_WHAT = {"raw": "message", "memories": "memory", "facts": "fact"}
_SPEAKER = {"user": "the person", "assistant": "you"}


def days_named(query: str, newest: str) -> Days | None:
    """Return the days that the query names, or None; `newest` is the last day that is known.

    A month without a year is the last one of that name up to `newest`.
    """
    for form in _FORMS:
        if (match := form.search(query)) and (days := _days(match.groupdict(), newest)):
            return days
    return None


def _days(parts: dict[str, str | None], newest: str) -> Days | None:
    """Return the days that the parts of a date mean; None where there is no such day."""
    month_text = parts["month"] or ""
    month = int(month_text) if month_text.isdigit() else _MONTHS.get(month_text.casefold(), 0)
    year = int(parts["year"] or newest[:4] or 0)
    if not parts["year"] and f"{year}-{month:02}" > newest[:7]:
        year -= 1
    try:
        if day := parts.get("day"):
            named_day = date(year, month, int(day)).isoformat()
            return named_day, named_day
        last = monthrange(year, month)[1]
        return date(year, month, 1).isoformat(), date(year, month, last).isoformat()
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to search for, among which kinds, and of which days, as YYYY-MM-DD, empty for no bound.

    `limit` is the most hits to return.
    """

    query: str
    among: Among = "raw"
    since: str = ""
    until: str = ""
    limit: int = 5


def find_text(library: Library, wanted: Wanted, chat: str = "") -> Recalled:
    """Return the entries that have most of the query's words, each with the words around them.

    If no days are given but the query names some, up to half of the hits are from those days, and
    come first.
    """
    with library.opened() as archive:
        chats = library.chats(archive, chat)
        head = find_reach(archive, *chats)
        entries = _entries(library, archive, chats, wanted, head.ends)
    if not entries:
        days = f" from {wanted.since or head.began} to {wanted.until or head.ends}"
        when = days if wanted.since or wanted.until else ""
        end = "That is all there is: say so, rather than search again."
        return tool_answer(head, "hits", (), f"Nothing{when} has any of these words. {end}")

    names = {known.chat_id: name_of(known, chats) for known in chats} if len(chats) > 1 else {}
    tokens_left = LIST_TOKENS
    records: list[Record] = []
    for at, entry in enumerate(entries):
        share = tokens_left // (len(entries) - at)
        record = _record(entry, wanted.query, names.get(entry.chat_id, ""), share)
        if record.tokens > tokens_left:
            break
        records.append(record)
        tokens_left -= record.tokens
    return tool_answer(head, "hits", records)


class RecallSearch(Tool):
    """Find what was said, remembered or known, by its words. Gives excerpts with dates and ids."""

    query: Annotated[
        str,
        Field(min_length=1, max_length=300, description="Words to look for, 1 to 300 characters."),
    ]
    among: Annotated[
        Among, Field(description="raw (what was said, word for word), memories, facts, or all.")
    ] = "raw"
    since: Day = ""
    until: Day = ""
    limit: Annotated[int, Field(ge=1, le=10, description="How many places to give, 1 to 10.")] = 5
    chat: ChatName = ""

    def look_up(self, library: Library) -> Recalled:
        """Return the places that have most of the words."""
        wanted = Wanted(self.query, self.among, self.since, self.until, self.limit)
        return find_text(library, wanted, self.chat)


def _entries(
    library: Library,
    archive: Archive,
    chats: tuple[KnownChat, ...],
    wanted: Wanted,
    newest: str,
) -> list[IndexEntry]:
    """Return the best entries, those of days that the query names before all others."""
    only = chats[0].chat_id if len(chats) == 1 else ""
    forgotten = forgotten_names(archive)
    has_days = wanted.since or wanted.until
    named_days = None if has_days else days_named(wanted.query, newest)
    as_of = chats_as_of(archive, library.config)
    with full_text(library.state, archive, as_of) as index:
        best = _found(index, wanted, (wanted.since, wanted.until), only, forgotten)
        if not named_days:
            return best
        of_these_days = _found(index, wanted, named_days, only, forgotten)

    first = of_these_days[: (wanted.limit + 1) // 2]
    others = [entry for entry in best if entry not in first]
    return [*first, *others][: wanted.limit]


def _found(
    index: FullText,
    wanted: Wanted,
    days: Days,
    only: str,
    forgotten: Collection[tuple[str, str]],
) -> list[IndexEntry]:
    """Return the best entries of these days, without what the person has forgotten."""
    since, until = days
    entries = index.find(
        wanted.query,
        kinds=KINDS if wanted.among == "all" else (wanted.among,),
        chat_id=only,
        since=since,
        until=until,
        limit=wanted.limit + len(forgotten),
        any_word=True,
    )
    known = [entry for entry in entries if (entry.chat_id, entry.name) not in forgotten]
    return known[: wanted.limit]


def _record(entry: IndexEntry, query: str, chat: str, tokens: int) -> Record:
    """Return an entry under its day, speaker and chat; its excerpt is as long as `tokens` allow."""
    kind = _WHAT[entry.kind]
    day = dated(entry.said_at)
    speaker = _SPEAKER.get(entry.speaker, "")
    in_chat = f"in {named(chat)}" if chat else ""
    about = ", ".join(part for part in (day, speaker, in_chat) if part)
    head = f"{about} ({kind} {named(entry.name)})"
    values = {
        "id": in_data(entry.name),
        "kind": kind,
        "date": day,
        "speaker": speaker,
        "chat": in_data(chat),
    }
    data = {key: value for key, value in values.items() if value}

    tokens_left = max(0, tokens - quote_record(head, "", data).tokens)
    looked_at = entry.text[:_LOOKED_AT]
    characters = int(tokens_left / tokens_at_most(make_plain(looked_at)) * len(looked_at))
    text = cut_excerpt(entry.text, query, min(_LONGEST_EXCERPT, characters))
    return fit_record(head, text, data, max(tokens, _LEAST_TOKENS))
