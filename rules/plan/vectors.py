"""How good a place for the end of a chunk is, by what turns are about and not by their words.

A vector stands for what a text is about, and comes from a model that somebody else asks. The average of a window, which
is what all of the talk has in common, is taken off by half. Everything is in whole numbers, as it is with words.
"""

from collections.abc import Callable, Sequence
from math import isqrt
from operator import mul

from rules.plan.topics import NEARNESS, STEPS, with_pauses

Vector = Sequence[int]
Embed = Callable[[str], Vector]
"""The vector of a text, always the same one, always of the same length; all zeros where it tells nothing."""

_LENGTH = 1024
_REACH = STEPS * 3 // 8


def prices_by_vectors(
    texts: Sequence[Sequence[str]], minutes: Sequence[tuple[int, int]], embed: Embed
) -> tuple[int, ...]:
    """For each unit but the last, the price of a bound behind it: 0 for the best place of all.

    `texts` are the messages of each unit; `minutes` when its first and its last message were written, 0 where unknown.
    """
    turns = [_scaled(_sum([_scaled(embed(text)) for text in unit])) for unit in texts]
    whole = _sum(turns)
    own = [[2 * len(turns) * value - share for value, share in zip(turn, whole, strict=True)] for turn in turns]
    likenesses = [_likeness(_side(own[:at][::-1]), _side(own[at:])) for at in range(1, len(own))]
    return with_pauses(likenesses, minutes)


def _side(turns: Sequence[Vector]) -> Vector:
    """What stands on one side of a bound, the nearest turn first."""
    near = zip(NEARNESS, turns, strict=False)
    return _sum([[nearness * value for value in turn] for nearness, turn in near])


def _sum(vectors: Sequence[Vector]) -> Vector:
    return [sum(values) for values in zip(*vectors, strict=True)]


def _scaled(vector: Vector) -> Vector:
    """The same direction, whatever the length was; all zeros stay."""
    length = isqrt(_product(vector, vector))
    return [value * _LENGTH // length for value in vector] if length else vector


def _likeness(first: Vector, second: Vector) -> int:
    """The cosine of two vectors, in steps: from -24 to 24, since it spreads far more widely than that of words."""
    return _REACH * _product(first, second) // max(1, isqrt(_product(first, first) * _product(second, second)))


def _product(first: Vector, second: Vector) -> int:
    return sum(map(mul, first, second))
