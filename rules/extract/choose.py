"""Which sentences to keep when not all can be kept: the weightiest that say something new, within a budget.

Each sentence that is kept lowers the worth of its words for the others (maximal marginal relevance, with
words for likeness). Worth only ever falls, so a heap finds each next best without looking at all.
"""

import heapq
from collections.abc import Mapping, Sequence

from rules.extract.passage import Sentence
from rules.extract.words import terms

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
    first = {one.text: at for at, one in reversed(tuple(enumerate(sentences))) if weights[at] > 0}
    unsaid = [at for text, at in first.items() if text not in beside] or list(first.values())
    worths = ((-weights[at] * _novelty(sentences[at], used, rare), at) for at in unsaid)
    heap = heapq.nsmallest(_AT_MOST, worths)
    best = min(heap)[1] if heap else None
    kept: set[int] = set()
    turns: set[int] = set()
    while heap:
        _, at = heapq.heappop(heap)
        one = sentences[at]
        cost = one.words + (0.0 if one.message in turns else turn_cost)
        if cost > budget:
            continue
        worth = -weights[at] * _novelty(one, used, rare)
        if heap and worth > heap[0][0]:
            heapq.heappush(heap, (worth, at))
            continue
        kept.add(at)
        turns.add(one.message)
        budget -= cost
        for term in one.terms:
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
