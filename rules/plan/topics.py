"""How good a place for the end of a chunk is: by a change of topic, and by a pause between messages.

    turn  turn  turn | turn  turn  turn      three turns before the bound and three after it, all within the window
      1     2     4      4     2     1       the nearer one is to the bound, the more it counts
    ^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^^
    words that both share, rare ones before common ones: their likeness (cosine of TF-IDF vectors)

Everything is reckoned in whole numbers, and the likeness rounded, so that every platform comes to the same bounds. Only
the window is looked at, all of which is final: so bounds never depend on when a history was looked at.

By what turns are about instead of their words: a vector expresses what a text is about, and comes from a model that
the caller asks. The average of a window, which is what all of the talk has in common, is taken off by half.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import isqrt
from operator import mul

from rules.extract.words import count_terms

STEPS = 64
"""The price of a bound between fully alike turns."""
NEARNESS = (4, 2, 1)
"""The weights of the turns on either side of a bound, the nearest first."""
_RARE = 16
_BREATH_SHARE = 6
_NIGHT = 6 * 60
_UNITS = 128
_PAIRS = 1024
_WINDOWS = 256

Vector = Sequence[int]
Embed = Callable[[str], Vector]
"""The vector of a text, always the same one, always of the same length; all zeros where it tells nothing."""
_LENGTH = 1024
_REACH = STEPS * 3 // 8


@lru_cache(_WINDOWS)
def prices(
    texts: tuple[tuple[str, ...], ...], minutes: tuple[tuple[int, int], ...]
) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last: 0 for the best place of all, up to 64 more.

    `texts` are the messages of each unit; `minutes` when its first and its last message were written, 0 where unknown.
    A chat is planned more than once, so what came of the last windows is remembered.
    """
    units_with = Counter(chain.from_iterable(map(_words, texts)))
    squares = [_rarity(count, len(texts)) ** 2 for count in range(len(texts) + 1)]
    squared_rarities = {term: squares[count] for term, count in units_with.items()}
    pairs = _near_pairs(len(texts))
    products = {
        (at, by): _product_of(_shared(texts[at], texts[by]), squared_rarities) for at, by in pairs
    }
    products |= {(by, at): product for (at, by), product in products.items()}
    likenesses = [_likeness(products, at, len(texts)) for at in range(1, len(texts))]
    return with_pauses(likenesses, minutes)


@lru_cache(_UNITS)
def _words(texts: tuple[str, ...]) -> Mapping[str, int]:
    """Weigh the words of a unit; weights grow slowly with how often a word is said."""
    return {term: count.bit_length() for term, count in count_terms(texts).items()}


@lru_cache(_PAIRS)
def _shared(first: tuple[str, ...], second: tuple[str, ...]) -> Mapping[str, int]:
    """Return the words that two units share, with the product of their weights. Cached for overlapping windows."""
    words, others = _words(first), _words(second)
    return {term: weight * others[term] for term, weight in words.items() if term in others}


def _rarity(units_with: int, units: int) -> int:
    """Weigh a word by how many units say it; 0 if all do."""
    return _RARE * (units // units_with).bit_length() if 0 < units_with < units else 0


def _product_of(shared: Mapping[str, int], squared_rarities: Mapping[str, int]) -> int:
    """Return the dot product of two units' vectors, by their shared words; each vector has the rarities once."""
    return sum(map(mul, shared.values(), map(squared_rarities.__getitem__, shared)))


def with_pauses(likenesses: Sequence[int], minutes: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the prices of bounds between units of these likenesses, up to STEPS; a night makes one cheaper."""
    with_breath = [
        likeness + STEPS // _BREATH_SHARE * (_NIGHT - _pause(before[1], after[0])) // _NIGHT
        for likeness, (before, after) in zip(likenesses, pairwise(minutes), strict=True)
    ]
    least = min(with_breath, default=0)
    return tuple(price - least for price in with_breath)


def _pause(ended: int, begins: int) -> int:
    """Return the minutes between two units, a night at most; 0 if unknown."""
    return min(max(0, begins - ended), _NIGHT) if ended and begins else 0


def _near_pairs(turns: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of turns that can be around one bound, or on one side of it; each turn with itself, too."""
    reach = 2 * len(NEARNESS)
    return ((at, by) for at in range(turns) for by in range(at, min(at + reach, turns)))


def _likeness(products: Mapping[tuple[int, int], int], at: int, turns: int) -> int:
    """Return the cosine of the turns before and after the bound at `at`, in 64 steps.

    Either side is a weighted sum of turns, so its products are sums of those of pairs of turns.
    """
    before = [(at - 1 - step, near) for step, near in enumerate(NEARNESS) if step < at]
    after = [(at + step, near) for step, near in enumerate(NEARNESS) if at + step < turns]

    def product(one_side: Sequence[tuple[int, int]], other_side: Sequence[tuple[int, int]]) -> int:
        return sum(
            [
                weight * by * products[turn, other]
                for turn, weight in one_side
                for other, by in other_side
            ]
        )

    return (
        STEPS
        * product(before, after)
        // max(1, isqrt(product(before, before) * product(after, after)))
    )


def prices_by_vectors(
    texts: Sequence[Sequence[str]], minutes: Sequence[tuple[int, int]], embed: Embed
) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last: 0 for the best place of all.

    `texts` are the messages of each unit; `minutes` when its first and its last message were written, 0 where unknown.
    """
    turns = [_scaled(_total([_scaled(embed(text)) for text in unit])) for unit in texts]
    whole = _total(turns)
    own = [
        [2 * len(turns) * value - share for value, share in zip(turn, whole, strict=True)]
        for turn in turns
    ]
    likenesses = [_cosine(_near(own[:at][::-1]), _near(own[at:])) for at in range(1, len(own))]
    return with_pauses(likenesses, minutes)


def _near(turns: Sequence[Vector]) -> Vector:
    """Join the vectors on one side of a bound, the nearest turn first."""
    near = zip(NEARNESS, turns, strict=False)
    return _total([[nearness * value for value in turn] for nearness, turn in near])


def _total(vectors: Sequence[Vector]) -> Vector:
    return [sum(values) for values in zip(*vectors, strict=True)]


def _scaled(vector: Vector) -> Vector:
    """Scale a vector to one length; all zeros stay."""
    length = isqrt(_product(vector, vector))
    return [value * _LENGTH // length for value in vector] if length else vector


def _cosine(first: Vector, second: Vector) -> int:
    """Return the cosine of two vectors, in steps from -24 to 24: it spreads far more widely than that of words."""
    return (
        _REACH
        * _product(first, second)
        // max(1, isqrt(_product(first, first) * _product(second, second)))
    )


def _product(first: Vector, second: Vector) -> int:
    return sum(map(mul, first, second))
