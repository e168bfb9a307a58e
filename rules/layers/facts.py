"""Facts: the events that they are made of, what they say, how alike they are, and which are shown.

The archive keeps events and nothing else. What is true now is what they come to, so nothing is
ever lost, and each fact has one live version or none.

Shown are the newest and those said again, or those nearest to a text. Several orders are made into
one by reciprocal rank fusion: each gives the item in its n-th place 1 / (60 + n), and the sums
decide. 60 is the constant of Cormack, Clarke and Büttcher (SIGIR 2009), who proposed the rule: what
is first in one order alone does not win over what is near the top of two.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from math import hypot
from operator import mul
from typing import Literal

from rules.extract.patterns import listed
from rules.extract.words import terms
from rules.typingmind.dates import parse_date

Event = Literal["ADD", "UPDATE", "DELETE", "CONFIRM", "FORGET"]
"""CONFIRM: it was said again. FORGET: the person does not want it any more."""
By = Literal["model", "person"]
MOST_COMPARED = 40
"""How many known facts a chunk is compared with."""
AskedEvent = Literal["ADD", "UPDATE", "DELETE", "NONE"]

_EVEN = 60
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

_KEPT_READY = 20_000
"""Texts whose words are kept in memory."""
_TELLING = "#%&@"
"""Characters that are punctuation by their category, and yet part of what is said: C#, 5 %."""
_NO = listed(
    """
    no not never none nobody nothing neither nor without cannot t dislike* hate* stop* quit
    former* anymore longer
    nicht nichts nie niemals kein* niemand ohne weder aufgehört
    ne pas jamais rien aucun* personne sans plus ni
    nunca jamás nada nadie ningun* ningún sin tampoco ya
    não nem nenhum* ninguém sem
    non mai niente nulla nessun* senza né
    не нет ни никогда никто ничего без нельзя больше
    ні немає ніколи ніхто нічого більше
    nie nigdy nikt nic bez żad* już
    değil yok hiç hayır asla artık kimse
    لا ليس ليست لم لن ما غير بدون أبدا
    नहीं न ना मत कभी बिना नही
    不* 没* 沒* 無* 无* 未* 非* 别* 別*
    ない なく なか せん ませ ずに 嫌い
    """
)

SAME = 0.92
"""The cosine from which on two texts count as the same, unless they are opposed."""
_DIGITS = 4
Rows = Sequence[Sequence[float]]
"""The cosines of each text with all after it: the upper part of a matrix."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, as it was answered; nothing of it is believed yet."""

    event: AskedEvent
    id: str
    """The id of a known fact: its place among those shown, from 0; empty where none was given."""
    text: str
    old: str = ""
    """The fact's text so far, where the answer repeats it."""
    message: int | None = None
    """Number of the message that says so, from 1; None where none was named."""


@dataclass(frozen=True, slots=True)
class FactEvent:
    """Something that happened to a fact."""

    fact: int
    """The number of the fact within its chat, from 1 on; it never changes."""
    event: Event
    text: str
    """The fact's text from then on; empty where it is not ADD or UPDATE."""
    said_at: str
    """When the message that says so was written, as the export has it; empty where unknown."""
    source: str
    """Key of that raw message; empty where unknown."""
    by: By = "model"
    memory: int = 0
    """Number of the memory whose chunk it was taken from; 0: it was the person's doing."""
    edition: int = 0
    """The edition of that memory after which it was taken."""
    why: str = ""
    """Half a sentence for people: what has replaced it, or why it was merged."""
    at: str = ""
    """The time at which it was kept."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is now."""

    number: int
    text: str
    said_at: str
    sources: tuple[str, ...]
    """Keys of all raw messages that its versions came from."""
    confirmed: int
    """The number of times that it was said again."""
    by: By


def live(events: Iterable[FactEvent]) -> tuple[Fact, ...]:
    """Return the facts that are true after these events, by number; the events are in order."""
    facts: dict[int, Fact] = {}
    for event in events:
        known = facts.get(event.fact)
        match event.event:
            case "ADD" | "UPDATE":
                sources = (
                    *(known.sources if known else ()),
                    *([event.source] if event.source else []),
                )
                confirmed = known.confirmed if known else 0
                facts[event.fact] = Fact(
                    event.fact, event.text, event.said_at, sources, confirmed, event.by
                )
            case "CONFIRM" if known:
                facts[event.fact] = replace(known, confirmed=known.confirmed + 1)
            case "DELETE" | "FORGET":
                facts.pop(event.fact, None)
    return tuple(facts[number] for number in sorted(facts))


def fused(*orders: Sequence[int]) -> list[int]:
    """Return the items of all orders, best first; of equals, the first in the last order."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for order in orders:
        for place, item in enumerate(order, 1):
            sums[item] += Fraction(1, _EVEN + place)
    places = {item: place for place, item in enumerate(orders[-1])}
    return sorted(sums, key=lambda item: (-sums[item], places.get(item, len(places)), item))


def nearest_facts(facts: Sequence[Fact], ranked: Sequence[int]) -> tuple[Fact, ...]:
    """Return the facts to compare a chunk with, by number: the nearest, and the newest.

    `ranked` are the places of those among `facts` that share words with the chunk, best first.
    """
    chosen = fused(ranked, _newest_first(facts))[:MOST_COMPARED]
    return tuple(sorted((facts[at] for at in chosen), key=lambda fact: fact.number))


def facts_within(facts: Sequence[Fact], sizes: Sequence[int], budget: int) -> tuple[Fact, ...]:
    """Return the facts for the export, by date; those without a known date come first.

    The newest, and those that were said again, most often first, are taken until the budget is
    full; what does not fit is passed over. `sizes` are their tokens, in the same order as `facts`.
    """
    newest = _newest_first(facts)
    again = sorted(
        (at for at in newest if facts[at].confirmed), key=lambda at: -facts[at].confirmed
    )
    room = budget
    taken: list[Fact] = []
    for at in fused(again, newest):
        if sizes[at] <= room:
            room -= sizes[at]
            taken.append(facts[at])
    return tuple(sorted(taken, key=_dated))


def _newest_first(facts: Sequence[Fact]) -> list[int]:
    return sorted(range(len(facts)), key=lambda at: _dated(facts[at]), reverse=True)


def _dated(fact: Fact) -> tuple[datetime, int]:
    return parse_date(fact.said_at) or _LONG_AGO, fact.number


@lru_cache(maxsize=_KEPT_READY)
def normal(text: str) -> str:
    """Return the text without case, forms of characters (NFKC), punctuation and white space.

    Empty where nothing else is in it.
    """
    # Folding makes new forms.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    telling = (
        mark if mark in _TELLING or unicodedata.category(mark)[0] not in "PZC" else " "
        for mark in folded
    )
    return " ".join("".join(telling).split())


def words(text: str) -> frozenset[str]:
    """Return the words of a text, in any script, to compare it by."""
    return frozenset(terms(normal(text)))


def says_more(first: str, second: str) -> bool:
    """Return whether the first wording is the richer: more words, repeated ones counted."""
    return len(list(terms(normal(first)))) > len(list(terms(normal(second))))


def opposed(first: str, second: str) -> bool:
    """Return whether the two differ in their numbers, or in how often they say no."""
    numbers, denials = [], []
    for text in (normal(first), normal(second)):
        numbers.append(Counter("".join(mark if mark.isnumeric() else " " for mark in text).split()))
        denials.append(sum(term in _NO for term in terms(text)))
    return numbers[0] != numbers[1] or denials[0] != denials[1]


@dataclass(frozen=True, slots=True)
class Source:
    """A raw message: facts come from these alone, never from memories."""

    key: str
    text: str
    said_at: str
    """When it was written, as the export has it; empty where unknown."""


def source_of(text: str, named: int | None, sources: Sequence[Source]) -> Source:
    """Return the message of this number, from 1; else the one that shares most words, the earliest.

    There is at least one.
    """
    if named is not None and 1 <= named <= len(sources):
        return sources[named - 1]
    terms_of_text = words(text)
    return max(sources, key=lambda source: len(terms_of_text & words(source.text)))


def cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the rows for these vectors, rounded to four digits; 0 with a vector of length 0."""
    lengths = [hypot(*vector) for vector in vectors]

    def cosine(one: int, other: int) -> float:
        length = lengths[one] * lengths[other]
        product = sum(map(mul, vectors[one], vectors[other]))
        return round(product / length, _DIGITS) if length else 0.0

    count = len(vectors)
    return [[cosine(at, after) for after in range(at + 1, count)] for at in range(count)]


def alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Return each text that says the same as others, with these, nearest first, else in order."""
    near: dict[str, list[tuple[float, int]]] = {text: [] for text in texts}
    for at, row in enumerate(rows):
        for after, cosine in enumerate(row, at + 1):
            if cosine >= SAME:
                near[texts[at]].append((-cosine, after))
                near[texts[after]].append((-cosine, at))
    return {
        text: tuple(texts[at] for _, at in sorted(others))
        for text, others in near.items()
        if others
    }
