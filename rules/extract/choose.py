"""Which sentences are kept: up to three neighbours that tell most of a state of mind, or as many as a budget holds."""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rules.extract.passage import Said, Sentence, has_placeholder, is_finished
from rules.extract.weights import WeighedPassage
from rules.extract.words import terms

_MOST_SENTENCES = 3
_CROWD = 0.6
_FULL = 30.0
_SILENT = 0.02
_FRAGMENT = 0.3


@dataclass(frozen=True, slots=True)
class Window:
    """The characters [start, stop) of message number `message`; `weight` says how much of a mind they show."""

    message: int
    start: int
    stop: int
    weight: float


def densest(passage: Sequence[Said], reading: WeighedPassage, role: str, words: float) -> Window | None:
    """The weightiest window in what `role` said, at most `words` words long; the first of equals.

    None if that side has no sentence that short, or only such as hold a placeholder in square brackets.
    """
    windows = (
        _window(reading, span)
        for begin, sentence in enumerate(reading.sentences)
        if sentence.role == role
        for span in _spans(passage, reading.sentences, begin, words)
    )
    return max(windows, key=lambda window: window.weight, default=None)


def _spans(passage: Sequence[Said], sentences: Sequence[Sentence], begin: int, words: float) -> Iterator[range]:
    """The runs of sentences from `begin` on with nothing but white space between them."""
    first = sentences[begin]
    text = passage[first.message].text
    spent = 0.0
    for at in range(begin, min(begin + _MOST_SENTENCES, len(sentences))):
        sentence = sentences[at]
        spent += sentence.words
        if sentence.message != first.message or spent > words or has_placeholder(sentence.text):
            return
        if at > begin and text[sentences[at - 1].stop : sentence.start].strip():
            return
        yield range(begin, at + 1)


def _window(reading: WeighedPassage, span: range) -> Window:
    """Three sentences must hold more than one does to outweigh it, and a very short cry has little to say."""
    parts = [reading.sentences[at] for at in span]
    states = sum(reading.central[at] * (_SILENT + reading.inward[at]) for at in span)
    fullness = min(1.0, sum(part.words for part in parts) / _FULL)
    whole = 1.0 if all(is_finished(part.text) and "`" not in part.text for part in parts) else _FRAGMENT
    weight = states / len(parts) ** _CROWD * fullness * whole
    return Window(parts[0].message, parts[0].start, parts[-1].stop, weight)


_STALE = 0.4
_RARITY = 0.3
_AT_MOST = 2000


def choose(
    sentences: Sequence[Sentence],
    weights: Sequence[float],
    rare: Mapping[str, float],
    budget: float,
    *,
    turn_cost: float = 0.0,
    besides: Sequence[str] = (),
) -> list[int]:
    """The indices of the sentences to keep, in order; those of weight 0 never, equal ones once.

    `budget` and `turn_cost` (for the first sentence of each message) are words. `besides` are texts
    whose sentences are not kept again (unless there are no others), and whose words are no longer new.
    If not even one sentence fits, the best one is returned by itself. Only the two thousand weightiest
    are looked at.
    """
    beside = "\n".join(besides)
    used = dict.fromkeys(terms(beside), 1)
    first = {sentence.text: at for at, sentence in reversed(tuple(enumerate(sentences))) if weights[at] > 0}
    unsaid = [at for text, at in first.items() if text not in beside] or list(first.values())
    worths = ((-weights[at] * _novelty(sentences[at], used, rare), at) for at in unsaid)
    heap = heapq.nsmallest(_AT_MOST, worths)
    best = min(heap)[1] if heap else None
    kept: set[int] = set()
    turns: set[int] = set()
    while heap:
        _, at = heapq.heappop(heap)
        sentence = sentences[at]
        cost = sentence.words + (0.0 if sentence.message in turns else turn_cost)
        if cost > budget:
            continue
        worth = -weights[at] * _novelty(sentence, used, rare)
        if heap and worth > heap[0][0]:
            heapq.heappush(heap, (worth, at))
            continue
        kept.add(at)
        turns.add(sentence.message)
        budget -= cost
        for term in sentence.terms:
            used[term] = used.get(term, 0) + 1
    return sorted(kept) if kept or best is None else [best]


def _novelty(sentence: Sentence, used: Mapping[str, int], rare: Mapping[str, float]) -> float:
    """Which part of the sentence's words is still new, 0 to 1.

    Rare words count for more, but not for much more: a number alone does not make an old sentence new.
    """
    whole = fresh = 0.0
    for term in sentence.terms:
        share = rare[term] ** _RARITY
        whole += share
        fresh += share * _STALE ** used.get(term, 0)
    return fresh / whole if whole else 0.0
