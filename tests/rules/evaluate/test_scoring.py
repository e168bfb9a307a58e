"""Intervals hold the truth for readers whose knowledge is known, and faults stand out by no chance."""

from random import Random

import pytest

from rules.evaluate.scoring import (
    design_effect,
    known_mark,
    known_score,
    plain_score,
    stands_out,
)

CHUNKS, EACH, RUNS = 10, 3, 2_000
WRONG, LETTERS = "BCD", "ABCD"


def guesses(chance: Random) -> str:
    return chance.choice(LETTERS)


READERS = {
    "knows all": (1.0, guesses),
    "knows 60 %, else never said": (0.6, lambda chance: "E"),
    "knows 60 %, else guesses": (0.6, guesses),
    "knows 20 %, else guesses": (0.2, guesses),
    "knows 80 %, else never said": (0.8, lambda chance: "E"),
    "knows 40 %, else any letter": (0.4, lambda chance: chance.choice("ABCDE")),
    "guesses": (0.0, guesses),
    "always says A": (0.0, guesses),  # the order of choices is drawn, so that A is any of them
    "always says never said": (0.0, lambda chance: "E"),
}


def held(know: float, otherwise: object, runs: int) -> float:
    """The share of runs, in percent, whose interval holds the truth."""
    count = 0
    for seed in range(runs):
        chance = Random(seed)
        letters = [
            (str(chunk), "A" if chance.random() < know else otherwise(chance))  # type: ignore[operator]
            for chunk in range(CHUNKS)
            for _ in range(EACH)
        ]
        score = known_score([(chunk, known_mark(letter)) for chunk, letter in letters])
        assert score is not None
        count += score.low - 1e-9 <= know <= score.high + 1e-9
    return 100 * count / runs


@pytest.mark.sampled
@pytest.mark.parametrize("reader", READERS)
def test_the_interval_holds_the_truth_as_often_as_it_says(reader: str) -> None:
    know, otherwise = READERS[reader]
    share = held(know, otherwise, RUNS)
    assert share >= 93
    assert share <= 98 or not 0.2 <= know <= 0.8


def test_who_guesses_knows_nothing_on_average() -> None:
    marks = [(str(at), known_mark(letter)) for at, letter in enumerate("ABCD" * 5)]
    score = known_score(marks)
    assert score is not None
    assert score.share == 0
    assert score.questions == 20


def test_without_questions_there_is_no_score() -> None:
    assert known_score([]) is None
    assert plain_score([]) is None


def test_questions_about_one_chunk_that_are_all_answered_alike_are_worth_one() -> None:
    alike = [(str(chunk), float(chunk % 2)) for chunk in range(10) for _ in range(3)]
    apart = [(str(at), value) for at, (_, value) in enumerate(alike)]
    assert design_effect(alike) == pytest.approx(3)
    assert design_effect(apart) == 1
    wide, narrow = plain_score(alike), plain_score(apart)
    assert wide is not None
    assert narrow is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_a_memory_that_knows_nothing_among_those_that_know_all_stands_out() -> None:
    assert stands_out([False] * 3, [True] * 27, groups=10)
    assert not stands_out([True] * 3, [True] * 27, groups=10)
    assert not stands_out([False] * 3, [False] * 27, groups=10)


def test_where_nothing_is_wrong_at_most_one_evaluation_in_twenty_says_so() -> None:
    for know in (0.3, 0.6, 0.9):
        said = 0
        for seed in range(400):
            chance = Random(seed)
            groups = [[chance.random() < know for _ in range(EACH)] for _ in range(CHUNKS)]
            said += any(
                stands_out(
                    group,
                    [mark for other in groups if other is not group for mark in other],
                    CHUNKS,
                )
                for group in groups
            )
        assert said <= 0.05 * 400
