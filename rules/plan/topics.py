"""How good a place for the end of a chunk is: by a change of topic, and by a pause between messages.

    turn  turn  turn | turn  turn  turn      three turns before the bound and three after it, all within the window
      1     2     4      4     2     1       the nearer one is to the bound, the more it counts
    ^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^^
    words that both share, rare ones before common ones: their likeness (cosine of TF-IDF vectors)

Everything is reckoned in whole numbers, and the likeness rounded, so that every platform comes to the same bounds. Only
the window is looked at, all of which is final: so bounds never depend on when a history was looked at.

By what turns are about instead of their words: a vector stands for what a text is about, and comes from a model that
somebody else asks. The average of a window, which is what all of the talk has in common, is taken off by half.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from operator import mul

from rules.extract.sentences import terms

STEPS = 64
"""The price of a bound where what stands around it is as like as can be."""
NEARNESS = (4, 2, 1)
"""How much the turns on either side of a bound count, the nearest first."""
_RARE = 16
_BREATH_SHARE = 6
_NIGHT = 6 * 60
_MESSAGES = 2048
_WINDOWS = 256

Vector = Sequence[int]
Embed = Callable[[str], Vector]
"""The vector of a text, always the same one, always of the same length; all zeros where it tells nothing."""
_LENGTH = 1024
_REACH = STEPS * 3 // 8


@lru_cache(_WINDOWS)
def prices(texts: tuple[tuple[str, ...], ...], minutes: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """For each unit but the last, the price of a bound behind it: 0 for the best place of all, up to 64 more.

    `texts` are the messages of each unit; `minutes` when its first and its last message were written, 0 where unknown.
    A chat is planned more than once, so what came of the last windows is remembered.
    """
    unit_words = [sum((_words(text) for text in unit), Counter[str]()) for unit in texts]
    units_with = Counter(term for words in unit_words for term in words)
    vectors = [
        {
            term: count.bit_length() * _RARE * (len(unit_words) // units_with[term]).bit_length()
            for term, count in words.items()
            if units_with[term] < len(unit_words)
        }
        for words in unit_words
    ]
    likenesses = [_likeness(_sum(vectors[:at][::-1]), _sum(vectors[at:])) for at in range(1, len(unit_words))]
    return with_pauses(likenesses, minutes)


@lru_cache(_MESSAGES)
def _words(text: str) -> Counter[str]:
    return Counter(terms(text))


def with_pauses(likenesses: Sequence[int], minutes: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The prices of bounds between units that are so much alike, up to STEPS; a night makes one cheaper."""
    with_breath = [
        likeness + STEPS // _BREATH_SHARE * (_NIGHT - _pause(before[1], after[0])) // _NIGHT
        for likeness, (before, after) in zip(likenesses, pairwise(minutes), strict=True)
    ]
    least = min(with_breath, default=0)
    return tuple(price - least for price in with_breath)


def _pause(ended: int, begins: int) -> int:
    """Minutes between two units, a night at most; 0 where nobody knows."""
    return min(max(0, begins - ended), _NIGHT) if ended and begins else 0


def _sum(vectors: Sequence[dict[str, int]]) -> dict[str, int]:
    """What stands on one side of a bound, the nearest turn first."""
    whole: dict[str, int] = {}
    for nearness, vector in zip(NEARNESS, vectors, strict=False):
        for term, weight in vector.items():
            whole[term] = whole.get(term, 0) + nearness * weight
    return whole


def _likeness(first: dict[str, int], second: dict[str, int]) -> int:
    """The cosine of two vectors, in 64 steps."""
    if len(second) < len(first):
        first, second = second, first
    shared = sum(weight * second[term] for term, weight in first.items() if term in second)
    lengths = sum(weight * weight for weight in first.values()) * sum(weight * weight for weight in second.values())
    return STEPS * shared // max(1, isqrt(lengths))


def prices_by_vectors(
    texts: Sequence[Sequence[str]], minutes: Sequence[tuple[int, int]], embed: Embed
) -> tuple[int, ...]:
    """For each unit but the last, the price of a bound behind it: 0 for the best place of all.

    `texts` are the messages of each unit; `minutes` when its first and its last message were written, 0 where unknown.
    """
    turns = [_scaled(_total([_scaled(embed(text)) for text in unit])) for unit in texts]
    whole = _total(turns)
    own = [[2 * len(turns) * value - share for value, share in zip(turn, whole, strict=True)] for turn in turns]
    likenesses = [_cosine(_side(own[:at][::-1]), _side(own[at:])) for at in range(1, len(own))]
    return with_pauses(likenesses, minutes)


def _side(turns: Sequence[Vector]) -> Vector:
    """What stands on one side of a bound, the nearest turn first."""
    near = zip(NEARNESS, turns, strict=False)
    return _total([[nearness * value for value in turn] for nearness, turn in near])


def _total(vectors: Sequence[Vector]) -> Vector:
    return [sum(values) for values in zip(*vectors, strict=True)]


def _scaled(vector: Vector) -> Vector:
    """The same direction, whatever the length was; all zeros stay."""
    length = isqrt(_product(vector, vector))
    return [value * _LENGTH // length for value in vector] if length else vector


def _cosine(first: Vector, second: Vector) -> int:
    """The cosine of two vectors, in steps: from -24 to 24, since it spreads far more widely than that of words."""
    return _REACH * _product(first, second) // max(1, isqrt(_product(first, first) * _product(second, second)))


def _product(first: Vector, second: Vector) -> int:
    return sum(map(mul, first, second))
