"""Facts: the events that they are made of, what they say, how alike they are, and which are shown.

The archive keeps nothing but events. The present facts follow from them, so nothing is ever lost,
and each fact has one live version or none.

The export shows the newest facts and those that were confirmed; a prompt shows those nearest to a
text. Several orders are merged by reciprocal rank fusion: each order gives its n-th item 1 / (60 +
n), and the sums decide. 60 is the constant of Cormack, Clarke and Büttcher (SIGIR 2009), who
proposed the rule: an item that is first in one order alone does not win over one near the top of
two.
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
from rules.extract.words import split_terms
from rules.typingmind.dates import parse_date

Event = Literal["ADD", "UPDATE", "DELETE", "CONFIRM", "FORGET"]
"""CONFIRM: it was said again. FORGET: the person does not want it any more."""
By = Literal["model", "person"]
MOST_COMPARED = 40
"""The most known facts that a chunk is compared with."""
AskedEvent = Literal["ADD", "UPDATE", "DELETE", "NONE"]

_RANK_CONSTANT = 60
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

_CACHED_TEXTS = 20_000
"""Texts whose normalized form is cached."""
_MEANINGFUL_SIGNS = "#%&@"
"""Characters that are punctuation by category, yet change what is said: C#, 5 %."""
_DENIALS = listed(
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
"""The least cosine of two texts that say the same, unless they are opposed."""
_DIGITS = 4
Rows = Sequence[Sequence[float]]
"""The cosines of each text with all texts after it: the upper triangle of a matrix."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a model's answer, not checked yet."""

    event: AskedEvent
    id: str
    """The id of a known fact: its index among those shown; empty where none was given."""
    text: str
    old: str = ""
    """The fact's text so far, where the answer repeats it."""
    message: int | None = None
    """The number of the message that says so, from 1; None where none was named."""


@dataclass(frozen=True, slots=True)
class FactEvent:
    """Something that happened to a fact."""

    fact: int
    """The number of the fact within its chat, from 1 on; it never changes."""
    event: Event
    text: str
    """The fact's text from then on; empty unless the event is ADD or UPDATE."""
    said_at: str
    """When the message that says so was written, as the export has it; empty where unknown."""
    source: str
    """The key of that raw message; empty where unknown."""
    by: By = "model"
    memory: int = 0
    """The number of the memory whose chunk it was found in; 0 where the person did it."""
    edition: int = 0
    """The edition of that memory after which it was found."""
    why: str = ""
    """A clause for people: what it replaces, or why it was merged or deleted."""
    at: str = ""
    """When it was stored."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is now."""

    number: int
    text: str
    said_at: str
    sources: tuple[str, ...]
    """The keys of all raw messages that its versions came from."""
    confirmed: int
    """How many times it was said again."""
    by: By


def live_facts(events: Iterable[FactEvent]) -> tuple[Fact, ...]:
    """Return the facts that are live after these events, by number; the events are in order."""
    facts: dict[int, Fact] = {}
    for event in events:
        known = facts.get(event.fact)
        match event.event:
            case "ADD" | "UPDATE":
                sources, confirmed = (known.sources, known.confirmed) if known else ((), 0)
                if event.source:
                    sources = (*sources, event.source)
                facts[event.fact] = Fact(
                    event.fact, event.text, event.said_at, sources, confirmed, event.by
                )
            case "CONFIRM" if known:
                facts[event.fact] = replace(known, confirmed=known.confirmed + 1)
            case "DELETE" | "FORGET":
                facts.pop(event.fact, None)
    return tuple(facts[number] for number in sorted(facts))


def fuse_orders(*orders: Sequence[int]) -> list[int]:
    """Return the items of all orders, best first; the last order decides between equals."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for order in orders:
        for place, item in enumerate(order, 1):
            sums[item] += Fraction(1, _RANK_CONSTANT + place)
    places = {item: place for place, item in enumerate(orders[-1])}
    return sorted(sums, key=lambda item: (-sums[item], places.get(item, len(places)), item))


def nearest_facts(facts: Sequence[Fact], ranked: Sequence[int]) -> tuple[Fact, ...]:
    """Return the facts to compare a chunk with, by number: the nearest and the newest.

    `ranked` are the indices of those facts that share words with the chunk, best first.
    """
    chosen = fuse_orders(ranked, _newest_first(facts))[:MOST_COMPARED]
    return tuple(sorted((facts[at] for at in chosen), key=lambda fact: fact.number))


def facts_within(facts: Sequence[Fact], sizes: Sequence[int], budget: int) -> tuple[Fact, ...]:
    """Return the facts for the export, by date; those without a known date come first.

    The newest, and those that were confirmed most often, are chosen until the budget of tokens is
    full; a fact that does not fit is passed over. `sizes` are the facts' tokens.
    """
    newest = _newest_first(facts)
    most_confirmed = sorted(
        (at for at in newest if facts[at].confirmed), key=lambda at: -facts[at].confirmed
    )
    room = budget
    chosen: list[Fact] = []
    for at in fuse_orders(most_confirmed, newest):
        if sizes[at] <= room:
            room -= sizes[at]
            chosen.append(facts[at])
    return tuple(sorted(chosen, key=_by_date))


def _newest_first(facts: Sequence[Fact]) -> list[int]:
    return sorted(range(len(facts)), key=lambda at: _by_date(facts[at]), reverse=True)


def _by_date(fact: Fact) -> tuple[datetime, int]:
    """Return the key that sorts facts by date."""
    return parse_date(fact.said_at) or _LONG_AGO, fact.number


@lru_cache(maxsize=_CACHED_TEXTS)
def normalize(text: str) -> str:
    """Return the text casefolded, in normal form NFKC, without punctuation, with single spaces.

    It may be empty.
    """
    # Casefolding can yield characters that are not in normal form.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    meaningful = (
        mark if mark in _MEANINGFUL_SIGNS or unicodedata.category(mark)[0] not in "PZC" else " "
        for mark in folded
    )
    return " ".join("".join(meaningful).split())


def split_words(text: str) -> frozenset[str]:
    """Return the words of a normalized text, in any script."""
    return frozenset(split_terms(normalize(text)))


def says_more(first: str, second: str) -> bool:
    """Return whether the first text has more words than the second, counting repeated ones."""
    return len(list(split_terms(normalize(first)))) > len(list(split_terms(normalize(second))))


def are_opposed(first: str, second: str) -> bool:
    """Return whether the two differ in their numbers, or in how many denials they have."""
    return _numbers_and_denials(first) != _numbers_and_denials(second)


def _numbers_and_denials(text: str) -> tuple[Counter[str], int]:
    """Return how often a text has each number, and how many denials it has."""
    plain = normalize(text)
    numbers = "".join(mark if mark.isnumeric() else " " for mark in plain).split()
    return Counter(numbers), sum(term in _DENIALS for term in split_terms(plain))


@dataclass(frozen=True, slots=True)
class Source:
    """A raw message that a fact may come from; facts never come from memories."""

    key: str
    text: str
    said_at: str
    """When it was written, as the export has it; empty where unknown."""


def source_of(text: str, named: int | None, sources: Sequence[Source]) -> Source:
    """Return the source with this number, from 1, or the one that shares most words with the text.

    Of equal ones, it is the earliest. `sources` has at least one.
    """
    if named is not None and 1 <= named <= len(sources):
        return sources[named - 1]
    terms_of_text = split_words(text)
    return max(sources, key=lambda source: len(terms_of_text & split_words(source.text)))


def compute_cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the `Rows` of these vectors, rounded to four digits; a zero vector's cosines are 0."""
    lengths = [hypot(*vector) for vector in vectors]

    def cosine(first: int, second: int) -> float:
        length = lengths[first] * lengths[second]
        product = sum(map(mul, vectors[first], vectors[second]))
        return round(product / length, _DIGITS) if length else 0.0

    count = len(vectors)
    return [[cosine(at, after) for after in range(at + 1, count)] for at in range(count)]


def find_alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Return, for each text that says the same as others, these others, nearest first."""
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
