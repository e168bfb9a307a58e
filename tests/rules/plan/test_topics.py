"""Prices of bounds by words: packed into integers, they are the cosines that they stand for."""

from collections import Counter
from math import isqrt

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.topics import (
    NEARNESS,
    RULE,
    RULE_BY_VECTORS,
    STEPS,
    prices,
    prices_by_vectors,
)
from tests.exports.words import answer, question

Vector = Counter[str]

words = st.sampled_from(["the", "sea", "ship", "gull", "bread", "oven", "salt", "rope"])
messages = st.lists(words, max_size=30).map(" ".join)
windows = st.lists(st.lists(messages, max_size=2).map(tuple), min_size=1, max_size=20).map(tuple)


def vector(turn: tuple[str, ...], spread: Counter[str], turns: int) -> Vector:
    """How often a turn says each word, rare words before common ones."""
    counts = Counter(" ".join(turn).split())
    return Counter(
        {
            word: count.bit_length() * 16 * (turns // spread[word]).bit_length()
            for word, count in counts.items()
            if spread[word] < turns
        }
    )


def side(turns: list[Vector]) -> Vector:
    """The weighted sum of the turns on one side of a bound, the nearest first."""
    total = Vector()
    for near, turn in zip(NEARNESS, turns, strict=False):
        for word, value in turn.items():
            total[word] += near * value
    return total


def product(first: Vector, second: Vector) -> int:
    return sum(value * second[word] for word, value in first.items())


def likeness(before: Vector, after: Vector) -> int:
    lengths = isqrt(product(before, before) * product(after, after))
    return STEPS * product(before, after) // max(1, lengths)


@given(windows)
def test_a_bound_costs_the_cosine_of_the_turns_around_it(
    window: tuple[tuple[str, ...], ...],
) -> None:
    spread = Counter(word for turn in window for word in set(" ".join(turn).split()))
    turns = [vector(turn, spread, len(window)) for turn in window]
    likenesses = [likeness(side(turns[:at][::-1]), side(turns[at:])) for at in range(1, len(turns))]

    least = min(likenesses, default=0)
    unknown = ((0, 0),) * len(window)
    assert prices(window, unknown) == tuple(each - least for each in likenesses)


def test_prices_by_one_version_of_a_rule_are_always_the_same() -> None:
    """Archives keep them: where this fails on purpose, the rule takes another number."""
    window = tuple((question(number, 12), answer(number, 40)) for number in range(9))
    minutes = tuple((10 + number**4, 11 + number**4) for number in range(9))
    letters = prices_by_vectors(window, minutes, lambda text: [text.count(one) for one in "aeiou"])

    assert {RULE: prices(window, minutes), RULE_BY_VECTORS: letters} == {
        "words 1": (15, 13, 9, 8, 0, 14, 10, 4),
        "vectors 1": (12, 11, 8, 7, 0, 2, 2, 1),
    }
