"""Choose the sentences to keep: by what each is worth, and how much it adds for its length.

What the person says is worth 1. What the persona says is worth as much where it has a life of its
own to tell, as a friend has; less where it only listens; and little where it lectures, which its
headings and lists show. Reactions ("Wow, that's great!"), courtesies and announcements come last.

A sentence that leans on the one before it ("She knew.") is kept with it. A sentence's gain is what
no kept one holds yet. Since gains only fall, a heap yields the next best sentence without computing
all of them again.
"""

import heapq
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from rules.extract.brackets import closing_mark
from rules.extract.phrases import ADVICE, ANNOUNCING, ASKING, CORRECTION, PROMISE
from rules.extract.prose import PERSONA, Sentence, has_placeholder
from rules.extract.voices import COLONS, QUESTION_MARKS, QUOTED, is_finished
from rules.extract.weights import WeighedPassage
from rules.extract.words import has_digit, split_terms

_CACHED_PASSAGES = 4  # all the questions about a chunk are about one passage
_LECTURED = 0.4
"""The worth of a lecturing persona's sentence about itself or what the person named, or that
promises, corrects or advises; any other sentence of a lecture is worth its square."""
_LISTED = 0.5
"""The worth of the person's lists and headings."""
_SAYS_LITTLE = 0.1
"""The part that a reaction, a courtesy, an announcement or a row of figures keeps of its worth."""
_IN_A_WORD = 4.0
"""A persona's sentence of fewer words ("All right.") says little without what it answers."""
_FEWEST_FIGURES, _FIGURE_SHARE = 3, 0.7
"""At least three numbers that are more than 0.7 of a sentence's words make it a table's row."""

_LONGEST_CHAIN = 3
"""The most sentences that are kept because one leans on another, itself included."""
_SENTENCE_BRINGS, _SENTENCE_COSTS = 0.8, 3.0
"""Added to what a sentence's words bring and cost, so that short ones count: "He went." may be all
said of a death."""
_MOST_OF_PERSONA = 0.5
"""The persona's share of a memory's words at most; it is less where the persona only listens."""
_LEAST_GAIN = 0.1
"""A lecture's sentence that gains no more repeats what is known, or says nothing in particular."""


@lru_cache(_CACHED_PASSAGES)
def weigh_sentences(reading: WeighedPassage) -> tuple[float, ...]:
    """Return the worth of each sentence; 0 for one that is not the speaker's own, or not whole."""
    return tuple(_worth(reading, at) for at in range(len(reading.sentences)))


def _worth(reading: WeighedPassage, at: int) -> float:
    sentence = reading.sentences[at]
    is_persona = sentence.role == PERSONA
    is_cut = sentence.is_broken and (is_persona or not closing_mark(sentence.text))
    if sentence.voice == "other" or is_cut:
        return 0.0
    worth = _worth_of_persona(reading, at) if is_persona else _worth_of_person(sentence)
    says_little = sentence.courteous or reading.reacts[at] or says_what_follows(sentence)
    return worth * (_SAYS_LITTLE if says_little or has_placeholder(sentence.text) else 1.0)


def _worth_of_person(sentence: Sentence) -> float:
    figures = sum(map(has_digit, sentence.terms))
    is_row = figures >= _FEWEST_FIGURES and figures > _FIGURE_SHARE * len(sentence.terms)
    if is_row or sentence.text.endswith(COLONS):
        return _SAYS_LITTLE
    return _LISTED if sentence.voice == "item" else 1.0


def _worth_of_persona(reading: WeighedPassage, at: int) -> float:
    sentence = reading.sentences[at]
    if sentence.is_row or sentence.is_figures or not is_finished(sentence.text):
        return 0.0
    names = names_known(reading, sentence)
    if sentence.voice != "own":
        return _LECTURED * (names and not sentence.text.endswith(QUESTION_MARKS))
    if sentence.words < _IN_A_WORD:
        return _SAYS_LITTLE * reading.life
    bound = find_binding(sentence)
    if sentence.message in reading.lectures:
        return _LECTURED * (1.0 if bound or names or reading.inward[at] else _LECTURED)
    return 1.0 if bound in ("promised", "corrected") else reading.life


def names_known(reading: WeighedPassage, sentence: Sentence) -> bool:
    """Return whether a sentence holds a name that the person has said."""
    return any(term in reading.names for term in sentence.terms)


def find_binding(sentence: Sentence) -> str:
    """Return how the persona is bound by a sentence: "promised", "corrected", "advised"; or ""."""
    text = sentence.text.replace("’", "'")
    if CORRECTION.are_in(text):
        return "corrected"
    if PROMISE.are_in(text):
        return "promised"
    return "advised" if ADVICE.are_in(text) and not says_what_follows(sentence) else ""


def says_what_follows(sentence: Sentence) -> bool:
    """Return whether the persona only announces what it does next: "Let's break down the plan."."""
    return sentence.role == PERSONA and ANNOUNCING.are_in(sentence.text.replace("’", "'"))


def asks(sentence: Sentence) -> bool:
    """Return whether the person asks for something in a sentence, outside quotation marks."""
    outside = QUOTED.sub(" ", sentence.text).replace("’", "'")
    return sentence.role != PERSONA and ASKING.are_in(outside)


@dataclass(frozen=True, slots=True)
class _Offer:
    """The sentences to choose from, and what has been kept of them so far."""

    reading: WeighedPassage
    worth: Sequence[float]
    free: frozenset[int]
    """The indices of those that may be kept."""
    said: set[str]
    """The words that need not be said again."""
    kept: set[int] = field(default_factory=set)


def choose(
    reading: WeighedPassage,
    worth: Sequence[float],
    room: float,
    elsewhere: str,
    starts: Sequence[int] = (0,),
) -> list[int]:
    """Return the indices of the sentences to keep, in order, within about `room` words.

    No sentence is kept that is in the text `elsewhere`. The passage is split before the messages
    numbered in `starts`, and its parts share the room. Where the sentences leave more than half of
    it, return instead the best one that is too long for it; where none can be kept, the shortest.
    """
    sentences = reading.sentences
    each = range(len(sentences))
    free = [at for at in each if worth[at] > 0 and sentences[at].text not in elsewhere]
    offer = _Offer(reading, worth, frozenset(free), set(split_terms(elsewhere)))
    parts, left = list(_parts(reading, starts)), room
    for number, part in enumerate(parts):
        share = left / (len(parts) - number)
        left -= _fill(offer, part, share, share * min(reading.life, _MOST_OF_PERSONA))
    too_long = [at for at in free if sentences[at].words > room]
    if too_long and 2 * sum(sentences[at].words for at in offer.kept) < room:
        return [max(too_long, key=lambda at: worth[at])]
    return sorted(offer.kept) or [min(free or each, key=lambda at: sentences[at].words)]


def _parts(reading: WeighedPassage, starts: Sequence[int]) -> Iterator[range]:
    """Yield the indices of the sentences of each part."""
    messages = [sentence.message for sentence in reading.sentences]
    begins = [bisect_left(messages, start) for start in starts]
    yield from (range(begin, end) for begin, end in pairwise([*begins, len(messages)]))


def _fill(offer: _Offer, part: range, room: float, persona_room: float) -> float:
    """Keep sentences of a part within `room` words; return the words that are kept.

    The persona's are kept within `persona_room`.
    """
    heap = [(-_gain(offer, at), at) for at in part if at in offer.free]
    heapq.heapify(heap)
    spent = spent_by_persona = 0.0
    while heap:
        _, at = heapq.heappop(heap)
        sentence, links, gain = offer.reading.sentences[at], _missing(offer, at), _gain(offer, at)
        is_persona = sentence.role == PERSONA
        cost = sum(link.words for link in links.values())
        is_over = spent + cost > room or spent_by_persona + cost * is_persona > persona_room
        is_little = gain <= _LEAST_GAIN and sentence.message in offer.reading.lectures
        if at in offer.kept or is_over or is_little:
            continue
        if heap and gain < -heap[0][0]:
            heapq.heappush(heap, (-gain, at))
            continue
        spent += cost
        spent_by_persona += cost * is_persona
        offer.kept.update(links)
        offer.said.update(*(link.terms for link in links.values()))
    return spent


def _missing(offer: _Offer, at: int) -> dict[int, Sentence]:
    """Return by index the sentence and those that it leans on.

    Those that are kept already, or may not be, are left out.
    """
    links = _chain(offer.reading, at)
    return {
        link: offer.reading.sentences[link]
        for link in links
        if link in offer.free and link not in offer.kept
    }


def _gain(offer: _Offer, at: int) -> float:
    """Return what a sentence, with those that it leans on, would add for its length."""
    links = _missing(offer, at)
    fresh = {
        term: offer.worth[link] * offer.reading.weights[term]
        for link, sentence in links.items()
        for term in sentence.terms
        if term not in offer.said
    }
    brought = sum(fresh.values()) + _SENTENCE_BRINGS * sum(offer.worth[link] for link in links)
    return brought / (_SENTENCE_COSTS + sum(link.words for link in links.values()))


def _chain(reading: WeighedPassage, at: int) -> Sequence[int]:
    """Return the indices of the sentence and those before it that it leans on."""
    first = at
    while at - first < _LONGEST_CHAIN - 1 and reading.leaning[first]:
        first -= 1
    return range(first, at + 1)
