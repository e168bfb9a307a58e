"""How much each sentence of a passage matters: by its words, and by what the persona says of its own mind.

A sentence is central when it shares the passage's telling words: the cosine between its words, weighed
by how rare they are, and those of the passage as a whole.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt

from rules.extract.listed import Listed
from rules.extract.passage import Sentence
from rules.extract.tongue import Tongue

_AT_MOST_STATES = 4
_COURTESY = 0.4
_SHORT = 14.0


def rarity(sentences: Sequence[Sentence]) -> dict[str, float]:
    """For each term, the logarithm of how many sentences there are for each that holds it."""
    held = Counter(term for sentence in sentences for term in sentence.terms)
    return {term: log((len(sentences) + 1) / count) for term, count in held.items()}


def centrality(sentences: Sequence[Sentence], rare: Mapping[str, float]) -> list[float]:
    """For each sentence, how near it is to the middle of the passage, 0 to 1."""
    lengths = [sqrt(sum(rare[term] ** 2 for term in sentence.terms)) for sentence in sentences]
    middle: dict[str, float] = {}
    for sentence, size in zip(sentences, lengths, strict=True):
        for term in sentence.terms:
            middle[term] = middle.get(term, 0.0) + rare[term] / (size or 1.0)
    whole = sqrt(sum(weight**2 for weight in middle.values())) or 1.0
    return [
        sum(rare[term] * middle[term] for term in sentence.terms) / ((size or 1.0) * whole)
        for sentence, size in zip(sentences, lengths, strict=True)
    ]


def inwardness(sentences: Sequence[Sentence], tongue: Tongue) -> list[float]:
    """For each sentence, how densely it holds its speaker's own states; 0 without the first person.

    The courtesies of an assistant count for little, and without a state for nothing.
    """
    me, states, service = (occurrences(sentences, words) for words in (tongue.me, tongue.states, tongue.service))
    return [_density(one, states[at], courteous=service[at] > 0) if me[at] else 0.0 for at, one in enumerate(sentences)]


def occurrences(sentences: Sequence[Sentence], words: Listed) -> list[int]:
    """For each sentence, how many of its distinct terms are in `words`."""
    found = {term for term in dict.fromkeys(term for one in sentences for term in one.terms) if term in words}
    return [sum(term in found for term in one.terms) for one in sentences]


def _density(sentence: Sentence, states: int, *, courteous: bool) -> float:
    if courteous and not states:
        return 0.0
    share = (1 + 1.5 * min(states, _AT_MOST_STATES)) / sqrt(max(sentence.words, _SHORT))
    return share * (_COURTESY if courteous else 1.0)
