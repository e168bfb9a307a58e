"""Which sentences are kept: what each is worth, and whose words bring the most for their length.

Of the person, all whole sentences are worth something, and lists and headings only if there is
little else. Of the persona, what it says in its own voice, promises, advises and corrects, and what
names the person's own things.

A sentence that opens with a bare pronoun comes with the one before it. A long passage is cut into
stretches that share the room, so that no part of it is lost; with little room neighbours become one
stretch, or only their short sentences would fit. What a sentence brings is what no kept one of its
stretch holds yet, and less of what an earlier stretch holds; it only falls, so a heap finds each
next best without looking at all.
"""

import heapq
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf

from rules.extract.phrases import ADVICE, ANNOUNCING, ASKING, CORRECTION, PROMISE, SUBJECTLESS
from rules.extract.prose import PERSONA, Sentence, has_placeholder
from rules.extract.voices import COLONS, QUESTION_MARKS, QUOTED, is_finished
from rules.extract.weights import WeighedPassage
from rules.extract.words import has_digit, terms

_USER = 3.5
"""How much more the words of the person count."""
_LEAST = 4.0
_LONG_ENOUGH = 12.0
_IN_ORDER = 0.3
"""The worth of the person's lists and labels, which are no sentences."""
_BARE_REQUEST = 0.3
"""The worth of a request of the person's that names nothing."""
_MOST_OF_BARE_REQUEST = 16.0
"""The most words of such a request."""
_PASSING = 0.3
"""The worth of what the persona says in its own voice of nothing in particular."""

_LONGEST_CHAIN = 3
_OVERHEAD = 4.0
"""Words that each sentence costs besides, so that very short ones do not win by a single word."""
_SAID_BEFORE = 0.5
"""The share of its worth that a word keeps which an earlier stretch holds."""
_ROOM_OF_A_STRETCH = 300.0
"""Words of room that a stretch has at least: several long sentences, and others to choose from."""
_MOST_OF_A_PARAGRAPH = 2.0
"""A paragraph goes on while it has less than this multiple of its even share of the words."""
_LEAST_GAIN = 0.18
"""A sentence that brings less for each of its words repeats what is known, and is left out."""


@dataclass(frozen=True, slots=True)
class Room:
    """The room for sentences."""

    words: float
    lead: float = 0.0
    """The words that the first sentence of each side costs besides, on each day of a paragraph."""
    day: float = 0.0
    """The words that the first sentence of each day costs besides."""
    persona: float = 1.0
    """The share of the persona's sentences in which it does not speak of itself."""
    paragraphs: Sequence[int] = ()
    """The numbers of the messages with which paragraphs begin."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """The sentences to choose from. The sequences are parallel to those of `reading`."""

    reading: WeighedPassage
    worths: Sequence[float]
    chains: Sequence[tuple[int, ...]]
    """Each sentence with those that it leans on; nothing for one that cannot be kept."""
    rare: Sequence[Mapping[str, float]]
    """The weights of words around each sentence."""
    leads: Sequence[tuple[int, str, str]]
    """What each sentence stands under: its paragraph, its day, and its side."""


@dataclass(slots=True)
class _Chosen:
    """What has been kept so far."""

    kept: set[int] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    leads: set[tuple[int, str, str]] = field(default_factory=set)
    days: set[str] = field(default_factory=set)
    spent: dict[int, float] = field(default_factory=dict)
    """The words of each paragraph."""


def is_usable(sentence: Sentence) -> bool:
    """Return whether a sentence may be kept at all: it is whole, and says more than a courtesy."""
    return not (
        sentence.courteous
        or sentence.is_broken
        or sentence.is_figures
        or sentence.words < _LEAST
        or _announces(sentence)
        or has_placeholder(sentence.text)
    )


def _announces(sentence: Sentence) -> bool:
    """Return whether a sentence only says that something follows; the person's long ones say more."""
    most = inf if sentence.role == PERSONA else _LONG_ENOUGH
    return sentence.text.endswith(COLONS) and sentence.words <= most


def whole_worths(reading: WeighedPassage) -> list[float]:
    """Return the worth of each sentence for a summary of both sides."""
    return [
        _persona_worth(reading, at)
        if sentence.role == PERSONA
        else _USER * _person_worth(reading, sentence)
        for at, sentence in enumerate(reading.sentences)
    ]


def _person_worth(reading: WeighedPassage, sentence: Sentence) -> float:
    if not is_usable(sentence):
        return 0.0
    if is_bare_request(reading, sentence):
        return _BARE_REQUEST
    return _IN_ORDER if sentence.is_row or sentence.voice != "own" else 1.0


def _persona_worth(reading: WeighedPassage, at: int) -> float:
    sentence = reading.sentences[at]
    if not is_usable(sentence) or sentence.is_row or not is_finished(sentence.text):
        return 0.0
    names_things = any(term in reading.things for term in sentence.terms)
    is_set_phrase = sentence.is_formula or says_what_follows(sentence)
    if is_set_phrase and not names_things:
        return 0.0
    if says_what_follows(sentence):
        return _PASSING
    if sentence.voice == "own":
        says_more = names_things or reading.inward[at] > 0 or binding(sentence)
        return 1.0 if says_more else _PASSING
    return float(names_things and _is_set_for_the_person(reading, sentence))


def _is_set_for_the_person(reading: WeighedPassage, sentence: Sentence) -> bool:
    """Return whether a sentence between headings or in a list is what the persona tells the person.

    There an "I" may be anyone's, and a question is one to ask others. An item that neither addresses the person nor
    names somebody or something of theirs could be of any list, even with a number of theirs.
    """
    speaks = any(term in reading.tongue.me for term in sentence.unquoted)
    if speaks or sentence.text.endswith(QUESTION_MARKS) or SUBJECTLESS.are_in(sentence.text):
        return False
    addresses = any(term in reading.tongue.you for term in sentence.unquoted)
    names = any(term in reading.things and not has_digit(term) for term in sentence.terms)
    return sentence.voice == "set" or (sentence.voice == "item" and (addresses or names))


def binding(sentence: Sentence) -> str:
    """Return how the persona binds itself by a sentence: promised, corrected or advised; else nothing."""
    text = sentence.text.replace("’", "'")
    if CORRECTION.are_in(text):
        return "corrected"
    if PROMISE.are_in(text):
        return "promised"
    return "advised" if ADVICE.are_in(text) and not says_what_follows(sentence) else ""


def says_what_follows(sentence: Sentence) -> bool:
    """Return whether the persona only says what it does next: "Let's break down the plan."."""
    return ANNOUNCING.are_in(sentence.text.replace("’", "'"))


def asks(sentence: Sentence) -> bool:
    """Return whether the person wants something by a sentence."""
    if sentence.role == PERSONA:
        return False
    outside = QUOTED.sub(" ", sentence.text).replace("’", "'")
    return ASKING.are_in(outside)


def is_bare_request(reading: WeighedPassage, sentence: Sentence) -> bool:
    """Return whether the person asks for something in few words that name nothing: "Can you help me with that?"."""
    names_things = any(term in reading.things for term in sentence.terms)
    is_short_question = sentence.words <= _MOST_OF_BARE_REQUEST and sentence.text.endswith(
        QUESTION_MARKS
    )
    return is_short_question and asks(sentence) and not names_things


def choose(
    reading: WeighedPassage, worths: Sequence[float], room: Room, besides: Sequence[str] = ()
) -> list[int]:
    """Return the indices of the sentences to keep, in order, skipping worthless and repeated ones.

    If not even one fits, the shortest is returned by itself.
    """
    beside = "\n".join(besides)
    known = frozenset(terms(beside))
    offer = _offer(reading, worths, beside, room.paragraphs)
    stretches = _sharing_room(reading.stretches, room.words)
    kept: list[int] = []
    shortest: list[tuple[float, int]] = []
    left, said_before = room.words, set[str]()
    most = _most_of_a_paragraph(room)
    for number, stretch in enumerate(stretches):
        share = replace(room, words=left / (len(stretches) - number))
        search = _Search(offer, stretch, known, frozenset(said_before))
        chosen, spent = search.fill(share, most)
        shortest += [search.shortest] if search.shortest else []
        kept += sorted(at for at in chosen if at in stretch)
        left -= spent
        said_before.update(term for at in chosen for term in reading.sentences[at].terms)
    return kept if kept or not shortest else [min(shortest)[1]]


def _offer(
    reading: WeighedPassage, worths: Sequence[float], beside: str, paragraphs: Sequence[int]
) -> _Offer:
    of_stretches = zip(reading.stretches, reading.rare, strict=True)
    rare = [weights for stretch, weights in of_stretches for _ in stretch]
    leads = [
        (bisect_right(paragraphs, sentence.message), day, sentence.role)
        for sentence, day in zip(reading.sentences, reading.days, strict=True)
    ]
    return _Offer(reading, worths, _chains(reading, worths, beside), rare, leads)


def _most_of_a_paragraph(room: Room) -> float:
    number = len(room.paragraphs)
    return room.words * _MOST_OF_A_PARAGRAPH / number if number > 1 else inf


def _sharing_room(stretches: Sequence[range], words: float) -> list[range]:
    """Return the stretches among which `words` of room are shared, neighbours as one where it is little."""
    number = max(1, min(len(stretches), int(words / _ROOM_OF_A_STRETCH)))
    cuts = [len(stretches) * at // number for at in range(number + 1)]
    return [range(stretches[at].start, stretches[to - 1].stop) for at, to in pairwise(cuts)]


def _chains(reading: WeighedPassage, worths: Sequence[float], beside: str) -> list[tuple[int, ...]]:
    """Return each sentence with those that it leans on; nothing for one that cannot be kept."""
    free = [
        worth > 0 and sentence.text not in beside
        for worth, sentence in zip(worths, reading.sentences, strict=True)
    ]
    return [_chain(reading, free, at) if free[at] else () for at in range(len(free))]


def _chain(reading: WeighedPassage, free: Sequence[bool], at: int) -> tuple[int, ...]:
    """Return the sentence with those before it that it leans on; nothing where one of them cannot be kept."""
    chain = [at]
    while reading.leaning[chain[0]]:
        before = chain[0] - 1
        if len(chain) == _LONGEST_CHAIN or not reading.sentences[chain[0]].follows:
            return ()
        if before < 0 or not free[before]:
            return ()
        chain.insert(0, before)
    return tuple(chain)


class _Search:
    """The search for the best sentences of one stretch."""

    def __init__(
        self, offer: _Offer, stretch: range, known: frozenset[str], said_before: frozenset[str]
    ) -> None:
        self._offer, self._said_before = offer, said_before
        self._sentences = offer.reading.sentences
        self._chosen = _Chosen(used=set(known))
        self._heap = [(-self._gain(at), at) for at in stretch if offer.chains[at]]
        heapq.heapify(self._heap)
        shortest = ((self._sentences[at].words, at) for _, at in self._heap)
        self.shortest = min(shortest, default=None)

    def fill(self, room: Room, most: float) -> tuple[set[int], float]:
        """Return the sentences to keep, and the words that they cost.

        Only the first sentence of a paragraph may make it longer than `most` words.
        """
        left, left_to_persona = room.words, room.words * room.persona
        while self._heap:
            _, at = heapq.heappop(self._heap)
            if at in self._chosen.kept:
                continue
            gain, cost = self._gain(at), self._cost(at, room)
            is_bounded = self._is_bounded(at)
            if gain <= _LEAST_GAIN or cost > (min(left, left_to_persona) if is_bounded else left):
                continue
            if self._is_full(at, cost, most):
                continue
            if self._heap and gain < -self._heap[0][0]:
                heapq.heappush(self._heap, (-gain, at))
                continue
            self._keep(at, cost)
            left -= cost
            left_to_persona -= cost * is_bounded
        return self._chosen.kept, room.words - left

    def _is_bounded(self, at: int) -> bool:
        """Return whether the persona says it, and not of itself."""
        return self._sentences[at].role == PERSONA and not self._offer.reading.inward[at]

    def _gain(self, at: int) -> float:
        """Return what a sentence brings for each of its words, with those that it leans on."""
        fresh, words = 0.0, 0.0
        seen: set[str] = set()
        for part in self._missing(at):
            sentence = self._sentences[part]
            new = [
                term
                for term in sentence.terms
                if term not in self._chosen.used and term not in seen
            ]
            fresh += self._offer.worths[part] * self._weight(new, self._offer.rare[part])
            words += sentence.words
            seen.update(new)
        return fresh / (words + _OVERHEAD)

    def _weight(self, new: Sequence[str], rare: Mapping[str, float]) -> float:
        """Return the weight of words that no kept sentence of the stretch holds yet."""
        return sum(
            rare[term] * (_SAID_BEFORE if term in self._said_before else 1.0) for term in new
        )

    def _cost(self, at: int, room: Room) -> float:
        missing = self._missing(at)
        words = sum(self._sentences[part].words for part in missing)
        leads = {self._offer.leads[part] for part in missing} - self._chosen.leads
        days = {day for _, day, _ in leads} - self._chosen.days
        return words + room.lead * len(leads) + room.day * len(days)

    def _is_full(self, at: int, cost: float, most: float) -> bool:
        """Return whether the paragraph of a sentence has no room for it."""
        paragraph, _, _ = self._offer.leads[at]
        spent = self._chosen.spent.get(paragraph, 0.0)
        return spent > 0 and spent + cost > most

    def _keep(self, at: int, cost: float) -> None:
        paragraph, _, _ = self._offer.leads[at]
        self._chosen.spent[paragraph] = self._chosen.spent.get(paragraph, 0.0) + cost
        for part in self._missing(at):
            self._chosen.kept.add(part)
            self._chosen.leads.add(self._offer.leads[part])
            self._chosen.days.add(self._offer.reading.days[part])
            self._chosen.used.update(self._sentences[part].terms)

    def _missing(self, at: int) -> list[int]:
        return [part for part in self._offer.chains[at] if part not in self._chosen.kept]
