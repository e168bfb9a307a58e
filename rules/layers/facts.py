"""A fact, the events that it is made of, and which facts are shown.

The archive keeps events and nothing else. What is true now is what they come to, so nothing is ever lost, and each
fact has one live version or none.

    live                what is true after these events
    normal, opposed     whether two texts say the same, by their words; cosines, alike: by their vectors
    nearest, within     which facts are compared with a chunk, and which stand in the export

Where several orders are made into one (reciprocal rank fusion), each gives what stands in it 1 / (60 + place), and the
sums decide. 60 is the constant of Cormack, Clarke and Büttcher (SIGIR 2009), who proposed the rule: what is first in
one order alone does not win over what is near the top of two.
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

from rules.extract.languages import listed
from rules.extract.sentences import terms
from rules.typingmind.dates import parse_date

Event = Literal["ADD", "UPDATE", "DELETE", "CONFIRM", "FORGET"]
"""CONFIRM: it was said again. FORGET: the person does not want it any more."""
By = Literal["model", "person"]


AskedEvent = Literal["ADD", "UPDATE", "DELETE", "NONE"]


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
    """When the message was written that says so, as the export has it; empty where nobody knows."""
    source: str
    """Key of that raw message; empty where nobody knows."""
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
    """A fact as it stands now."""

    number: int
    text: str
    said_at: str
    sources: tuple[str, ...]
    """Keys of all raw messages that its versions came from."""
    confirmed: int
    """The number of times that it was said again."""
    by: By


def live(events: Iterable[FactEvent]) -> tuple[Fact, ...]:
    """The facts that are true after these events, which stand in the order in which they happened; by number."""
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


_TELLING = "#%&@"
"""Characters that are punctuation by their category, and yet part of what is said: C#, 5 %."""
_KEPT_READY = 20_000


@lru_cache(maxsize=_KEPT_READY)
def normal(text: str) -> str:
    """The text without what makes no difference: case, forms of characters (NFKC), punctuation, white space.

    Empty where nothing else is in it.
    """
    folded = unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", text).casefold()
    )  # folding makes new forms
    telling = (
        mark if mark in _TELLING or unicodedata.category(mark)[0] not in "PZC" else " "
        for mark in folded
    )
    return " ".join("".join(telling).split())


def words(text: str) -> frozenset[str]:
    """The words of a text, in any script, to compare it by."""
    return frozenset(terms(normal(text)))


def says_more(first: str, second: str) -> bool:
    """Whether the first wording is the richer: more words, each time counted."""
    return len(list(terms(normal(first)))) > len(list(terms(normal(second))))


_NO = listed(
    """
    no not never none nobody nothing neither nor without cannot t dislike* hate* stop* quit former* anymore longer
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


def opposed(first: str, second: str) -> bool:
    """Whether the two differ in their numbers, in any script, or in how often they say no."""
    numbers, denials = [], []
    for text in (normal(first), normal(second)):
        numbers.append(Counter("".join(mark if mark.isnumeric() else " " for mark in text).split()))
        denials.append(sum(term in _NO for term in terms(text)))
    return numbers[0] != numbers[1] or denials[0] != denials[1]


SAME = 0.92
"""The cosine from which on two texts count as the same, unless they are opposed."""
_DIGITS = 4

Rows = Sequence[Sequence[float]]
"""The cosines of each text with all that stand behind it: the upper part of a matrix."""


def cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """The rows for these vectors, rounded to four digits; 0 with a vector of length 0."""
    lengths = [hypot(*vector) for vector in vectors]

    def cosine(at: int, behind: int) -> float:
        length = lengths[at] * lengths[behind]
        return (
            round(sum(map(mul, vectors[at], vectors[behind])) / length, _DIGITS) if length else 0.0
        )

    return [
        [cosine(at, behind) for behind in range(at + 1, len(vectors))] for at in range(len(vectors))
    ]


def alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Each text that says the same as others, with these, nearest first; of equals the one that stands first."""
    near: dict[str, list[tuple[float, int]]] = {text: [] for text in texts}
    for at, row in enumerate(rows):
        for behind, cosine in enumerate(row, at + 1):
            if cosine >= SAME:
                near[texts[at]].append((-cosine, behind))
                near[texts[behind]].append((-cosine, at))
    return {
        text: tuple(texts[at] for _, at in sorted(others))
        for text, others in near.items()
        if others
    }


_EVEN = 60


def fused(*orders: Sequence[int]) -> list[int]:
    """The items of all orders, best first; of two with equal sums, the one that stands first in the last order."""
    sums: defaultdict[int, Fraction] = defaultdict(Fraction)
    for order in orders:
        for place, item in enumerate(order, 1):
            sums[item] += Fraction(1, _EVEN + place)
    places = {item: place for place, item in enumerate(orders[-1])}
    return sorted(sums, key=lambda item: (-sums[item], places.get(item, len(places)), item))


_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def nearest(facts: Sequence[Fact], ranked: Sequence[int], most: int) -> tuple[Fact, ...]:
    """The facts to compare a chunk with, at most so many: the nearest by their words, and the newest; by number.

    `ranked` are the places of those among `facts` that share words with the chunk, best first.
    """
    chosen = fused(ranked, _newest_first(facts))[:most]
    return tuple(sorted((facts[at] for at in chosen), key=lambda fact: fact.number))


def within(facts: Sequence[Fact], sizes: Sequence[int], budget: int) -> tuple[Fact, ...]:
    """The facts that stand in the export, in order of their dates; those without a known date come first.

    The newest, and those that were said again, most often first, are taken until the budget is full; what does not
    fit is passed over. `sizes` are their tokens, in the same order as `facts`.
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


@dataclass(frozen=True, slots=True)
class Source:
    """A raw message: facts come from these alone, never from memories."""

    key: str
    text: str
    said_at: str
    """When it was written, as the export has it; empty where nobody knows."""


def source_of(text: str, named: int | None, sources: Sequence[Source]) -> Source:
    """The message that is named by its number, from 1 on; else the one that shares most words with the text.

    Of several that share as many it is the earliest. There is at least one.
    """
    if named is not None and 1 <= named <= len(sources):
        return sources[named - 1]
    terms_of_text = words(text)
    return max(sources, key=lambda source: len(terms_of_text & words(source.text)))
