"""Price the possible ends of a chunk: cheap where the topic changes, or after a pause.

    turn  turn  turn | turn  turn  turn      three turns before the bound and three after it
      1     2     4      4     2     1       the nearer one is to the bound, the more it counts
    ^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^^
    words that both share, rare ones before common ones: their likeness (cosine of TF-IDF vectors)

Everything is computed in whole numbers, and the likeness is rounded, so that every platform comes
to the same bounds. Only the window is read, all of which is final, so bounds never depend on when
memproc ran.

`prices_by_vectors` compares vectors, which say what a text is about, instead of words; the caller
gets them from a model. Half of the average of a window, which is what the whole conversation has in
common, is subtracted.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from operator import mul

from rules.extract.words import count_terms

STEPS = 64
"""The price of a bound between fully alike turns."""
NEARNESS = (4, 2, 1)
"""The weights of the turns on either side of a bound, the nearest first."""
RULE = "words 1"
"""The name and version of `prices`, under which archives keep its results.

The version changes with what it returns, also where `count_terms` changes that.
"""
RULE_BY_VECTORS = "vectors 1"
"""The name and version of `prices_by_vectors`."""
_SIDE = len(NEARNESS)
_RARITY_UNIT = 16
_PAUSE_PART = 6
"""A bound without a pause costs a sixth of `STEPS` more than one after a night."""
_NIGHT = 6 * 60
"""The minutes of a pause, beyond which a longer one makes no difference."""
_CACHED_UNITS = 512
_CACHED_WINDOWS = 256

Texts = tuple[tuple[str, ...], ...]
"""The messages of each unit of a window."""
Minutes = tuple[tuple[int, int], ...]
"""When the first and the last message of each unit were written, in minutes; 0 where unknown."""
Price = Callable[[Texts, Minutes], Sequence[int]]
"""Returns the price of a bound after each unit of a window but the last, from 0 to 255; `STEPS` is
that of alike turns."""
Vector = Sequence[int]
Embed = Callable[[str], Vector]
"""Returns the vector of a text, always the same one; all have one length, and are zeros where a
text says nothing."""
_LENGTH = 1024
_VECTOR_STEPS = STEPS * 3 // 8
"""The price between equal vectors; likenesses of vectors are spread wider than those of words."""

_Words = Mapping[int, Sequence[str]]
"""The distinct words of a turn, by their weight in it."""


@lru_cache(_CACHED_WINDOWS)
def prices(texts: Texts, minutes: Minutes) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last: 0 for the best place.

    A chat is planned more than once, so the prices of the last windows are cached.
    """
    products = _products([_words(unit) for unit in texts])
    turns = range(len(texts))
    likenesses = []
    for at in turns[1:]:
        before, after = turns[max(0, at - _SIDE) : at][::-1], turns[at : at + _SIDE]
        own_before = _product_of_sides(before, before, products)
        own_after = _product_of_sides(after, after, products)
        common = _product_of_sides(before, after, products)
        # The cosine, in 64 steps.
        likenesses.append(STEPS * common // max(1, isqrt(own_before * own_after)))
    return with_pauses(likenesses, minutes)


@lru_cache(_CACHED_UNITS)
def _words(texts: tuple[str, ...]) -> _Words:
    """Weigh the words of a unit; weights grow slowly with how often a word is said."""
    by_weight: dict[int, list[str]] = defaultdict(list)
    for term, count in count_terms(texts).items():
        by_weight[count.bit_length()].append(term)
    return by_weight


def _products(turns: Sequence[_Words]) -> Mapping[tuple[int, int], int]:
    """Return the dot products of all turns that are near enough to be next to the same bound.

    Those of one turn are summed as one integer with a field of `width` bits for each turn, so that
    one addition adds as many products as there are turns.
    """
    lengths = [sum([weight**2 * len(terms) for weight, terms in words.items()]) for words in turns]
    rarest = _RARITY_UNIT * len(turns).bit_length()
    width = max(rarest**2 * max(lengths, default=0), len(turns)).bit_length()
    packed = _pack(turns, width)
    products: dict[tuple[int, int], int] = {}
    for at, words in enumerate(turns):
        row = sum([weight * sum(map(packed.__getitem__, terms)) for weight, terms in words.items()])
        for other in range(at, min(len(turns), at + 2 * _SIDE)):
            products[at, other] = products[other, at] = row >> other * width & (1 << width) - 1
    return products


def _pack(turns: Sequence[_Words], width: int) -> Mapping[str, int]:
    """Return an integer for each word: its weight in each turn, times the square of its rarity.

        ... | in turn 2 | in turn 1 | in turn 0

    The fields are `width` bits wide. A word's rarity is by how many turns say it; 0 if all do.
    """
    rarities = [(len(turns) // count).bit_length() for count in range(1, len(turns))]
    squares = [(_RARITY_UNIT * rarity) ** 2 for rarity in (0, *rarities, 0)]
    packed: dict[str, int] = defaultdict(int)  # at first with a field for the turns that say it
    for place, words in enumerate(turns, 1):
        for weight, terms in words.items():
            field = (weight << place * width) + 1
            for term in terms:
                packed[term] += field
    mask = (1 << width) - 1
    return {term: squares[fields & mask] * (fields >> width) for term, fields in packed.items()}


def _product_of_sides(
    first: Sequence[int], second: Sequence[int], products: Mapping[tuple[int, int], int]
) -> int:
    """Return the dot product of two weighted sums of turns, each with the nearest turn first."""
    product = 0
    for nearness, turn in zip(NEARNESS, first, strict=False):
        for other_nearness, other in zip(NEARNESS, second, strict=False):
            product += nearness * other_nearness * products[turn, other]
    return product


def with_pauses(likenesses: Sequence[int], minutes: Minutes) -> tuple[int, ...]:
    """Return the prices of bounds between units of such likenesses; a pause makes one cheaper."""
    prices = []
    for likeness, ((_, ended), (begins, _)) in zip(likenesses, pairwise(minutes), strict=True):
        pause = min(max(0, begins - ended), _NIGHT) if ended and begins else 0
        prices.append(likeness + STEPS // _PAUSE_PART * (_NIGHT - pause) // _NIGHT)
    least = min(prices, default=0)
    return tuple(price - least for price in prices)


def prices_by_vectors(texts: Texts, minutes: Minutes, embed: Embed) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last, by vectors; 0 at the best place."""
    # Each message of a turn counts the same.
    turns = [_scale(_add([_scale(embed(text)) for text in unit])) for unit in texts]
    # To subtract half of the average in whole numbers, multiply all by twice the number of turns.
    total, factor = _add(turns), 2 * len(turns)
    own = [
        [factor * value - share for value, share in zip(turn, total, strict=True)] for turn in turns
    ]
    likenesses = []
    for at in range(1, len(own)):
        before, after = own[max(0, at - _SIDE) : at], own[at : at + _SIDE]
        first, second = _join_side(before[::-1]), _join_side(after)
        length = isqrt(_product(first, first) * _product(second, second))
        # The cosine, from -24 to 24 steps.
        likenesses.append(_VECTOR_STEPS * _product(first, second) // max(1, length))
    return with_pauses(likenesses, minutes)


def _join_side(turns: Sequence[Vector]) -> Vector:
    """Return the weighted sum of the vectors on one side of a bound, the nearest turn first."""
    weighted = zip(NEARNESS, turns, strict=False)
    return _add([[nearness * value for value in turn] for nearness, turn in weighted])


def _add(vectors: Sequence[Vector]) -> Vector:
    return [sum(values) for values in zip(*vectors, strict=True)]


def _scale(vector: Vector) -> Vector:
    """Scale a vector to the length 1,024; a zero vector stays as it is."""
    length = isqrt(_product(vector, vector))
    return [value * _LENGTH // length for value in vector] if length else vector


def _product(first: Vector, second: Vector) -> int:
    return sum(map(mul, first, second))
