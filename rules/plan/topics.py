"""How good a place for the end of a chunk is: by a change of topic, and by a pause of the talk.

    turn  turn  turn | turn  turn  turn      three turns before the bound and three after it
      1     2     4      4     2     1       the nearer one is to the bound, the more it counts
    ^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^^
    words that both share, rare ones before common ones: their likeness (cosine of TF-IDF vectors)

Everything is computed in whole numbers, and the likeness rounded, so that every platform comes to
the same bounds. Only the window is looked at, all of which is final: so bounds never depend on when
a history was looked at.

By what turns are about instead of their words: a vector expresses what a text is about, and comes
from a model that the caller asks. The average of a window, which is what all of the talk has in
common, is taken off by half.
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
"""The name and version of `prices`, by which archives keep them.

A change of what it returns takes another number, one that comes from `count_terms` too.
"""
RULE_BY_VECTORS = "vectors 1"
"""The same of `prices_by_vectors`."""
_SIDE = len(NEARNESS)
_RARE = 16
"""The unit of a word's rarity."""
_BREATH_SHARE = 6
_NIGHT = 6 * 60
_UNITS = 512
_WINDOWS = 256

Vector = Sequence[int]
Embed = Callable[[str], Vector]
"""The vector of a text, always the same one and as long as others; zeros where it tells nothing."""
_LENGTH = 1024
_REACH = STEPS * 3 // 8

_Words = Mapping[int, Sequence[str]]
"""The different words of a turn, by their weight in it."""


@lru_cache(_WINDOWS)
def prices(
    texts: tuple[tuple[str, ...], ...], minutes: tuple[tuple[int, int], ...]
) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last: 0 for the best place.

    `texts` are the messages of each unit; `minutes` when its first and its last message were
    written, 0 where unknown. A chat is planned more than once, so what came of the last windows is
    remembered.
    """
    turns = [_words(unit) for unit in texts]
    # A word's rarity by how many turns say it, in units of _RARE; 0 if all or none do.
    rarities = [(len(turns) // count).bit_length() for count in range(1, len(turns))]
    squares = [rarity**2 for rarity in (0, *rarities, 0)]
    lengths = [sum([weight**2 * len(terms) for weight, terms in words.items()]) for words in turns]
    largest = sum(NEARNESS) * max(squares) * max(lengths, default=0)
    width = max(largest, len(turns)).bit_length()
    rows = _products(turns, squares, width)
    likenesses = [_likeness(rows, at, width) for at in range(_SIDE + 1, _SIDE + len(turns))]
    return with_pauses(likenesses, minutes)


@lru_cache(_UNITS)
def _words(texts: tuple[str, ...]) -> _Words:
    """Weigh the words of a unit; weights grow slowly with how often a word is said."""
    by_weight: dict[int, list[str]] = defaultdict(list)
    for term, count in count_terms(texts).items():
        by_weight[count.bit_length()].append(term)
    return by_weight


def _products(turns: Sequence[_Words], squared_rarities: Sequence[int], width: int) -> list[int]:
    """Return a row for each turn: its dot products with all turns, in fields of one integer.

        ... | with turn 2 | with turn 1 | with turn 0 | 0 | 0 | 0

    So one addition adds up as many products as there are turns. Three empty fields, and three empty
    rows before and after the others, are those of turns that are not there.
    """
    mask = (1 << width) - 1
    scaled: dict[str, int] = {}
    for term, packed in _pack(turns, width).items():
        scaled[term] = squared_rarities[packed & mask] * (packed >> width)
    rows = [
        sum([weight * sum(map(scaled.__getitem__, terms)) for weight, terms in words.items()])
        for words in turns
    ]
    absent = [0] * _SIDE
    return absent + rows + absent


def _pack(turns: Sequence[_Words], width: int) -> Mapping[str, int]:
    """Return an integer for each word: its weight in each turn, and how many turns say it.

        ... | in turn 2 | in turn 1 | in turn 0 | 0 | 0 | 0 | turns that say it

    The fields are `width` bits wide, and three of them are empty.
    """
    packed: dict[str, int] = defaultdict(int)
    for place, words in enumerate(turns, 1 + _SIDE):
        for weight, terms in words.items():
            field = (weight << place * width) + 1
            for term in terms:
                packed[term] += field
    return packed


def _likeness(rows: Sequence[int], at: int, width: int) -> int:
    """Return the cosine of the turns before and after a bound, in 64 steps.

    Either side is a weighted sum of turns, so its products are sums of those of turns. `at` is the
    place of the first turn after the bound.
    """
    first, stop = at - _SIDE, at + _SIDE
    six_fields = (1 << width * 2 * _SIDE) - 1
    near_rows = [row >> first * width & six_fields for row in rows[first:stop]]
    before, after = near_rows[_SIDE - 1 :: -1], near_rows[_SIDE:]
    own_before, common = _products_with_sides(_weigh(before), width)
    _, own_after = _products_with_sides(_weigh(after), width)
    length = isqrt(own_before * own_after * _RARE**4)
    return STEPS * common * _RARE**2 // max(1, length)


def _products_with_sides(row: int, width: int) -> tuple[int, int]:
    """Return the products of a row of six fields with both sides of the bound in their middle."""
    mask = (1 << width) - 1
    fields = [row >> place * width & mask for place in range(2 * _SIDE)]
    return _weigh(fields[_SIDE - 1 :: -1]), _weigh(fields[_SIDE:])


def _weigh(turns: Sequence[int]) -> int:
    """Sum up what is known of the turns on one side of a bound, the nearest first."""
    near, middle, far = turns
    return NEARNESS[0] * near + NEARNESS[1] * middle + NEARNESS[2] * far


def with_pauses(likenesses: Sequence[int], minutes: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the prices of bounds between units of these likenesses; a night makes one cheaper."""
    with_breath = []
    for likeness, ((_, ended), (begins, _)) in zip(likenesses, pairwise(minutes), strict=True):
        pause = min(max(0, begins - ended), _NIGHT) if ended and begins else 0
        with_breath.append(likeness + STEPS // _BREATH_SHARE * (_NIGHT - pause) // _NIGHT)
    least = min(with_breath, default=0)
    return tuple(price - least for price in with_breath)


def prices_by_vectors(
    texts: Sequence[Sequence[str]], minutes: Sequence[tuple[int, int]], embed: Embed
) -> tuple[int, ...]:
    """Return the price of a bound after each unit but the last: 0 for the best place of all.

    `texts` are the messages of each unit; `minutes` when its first and its last message were
    written, 0 where unknown.
    """
    # Each message of a turn counts the same. Half of the average of all turns is taken off; what is
    # left is 2 * turns times as long.
    turns = [_scaled(_total([_scaled(embed(text)) for text in unit])) for unit in texts]
    whole, twice = _total(turns), 2 * len(turns)
    own = [
        [twice * value - share for value, share in zip(turn, whole, strict=True)] for turn in turns
    ]
    likenesses = []
    for at in range(1, len(own)):
        before, after = own[max(0, at - _SIDE) : at], own[at : at + _SIDE]
        first, second = _near(before[::-1]), _near(after)
        length = isqrt(_product(first, first) * _product(second, second))
        # The cosine, from -24 to 24 steps: it spreads wider than words' does.
        likenesses.append(_REACH * _product(first, second) // max(1, length))
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


def _product(first: Vector, second: Vector) -> int:
    return sum(map(mul, first, second))
