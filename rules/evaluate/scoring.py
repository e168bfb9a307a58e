"""Compute scores with intervals, corrected for guessing and for questions about the same chunk.

A question on what was said gives a point for the right letter and takes a third of one for a wrong
one, so that guessing among its four choices gives nothing on average; "never said" does neither
(Frary 1988, formula scoring). On a scale from 0 to 1 these are 1, 0 and 1/4.

The interval is Wilson's, for the effective number of questions: fewer where those about the
same chunk resemble each other (Kish's design effect, from the intraclass correlation), more where
marks vary less than 0 and 1 would, as with "never said" instead of a guess.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean

from rules.evaluate.questions import NEVER_SAID, RIGHT

Mark = tuple[str, float]
"""A chunk, and what an answer about it is worth, from 0 to 1."""
_Z = 1.96
_GUESSED = 0.25
"""The average mark of a guess, and the mark of "never said"."""
_CHANCE = 0.05
_ADDED_MARKS = 2.0
"""How many marks of 0, and of 1, are added before the variance is estimated, which few marks alone
do not show."""


@dataclass(frozen=True, slots=True)
class Score:
    """A share from 0 to 1, its 95 % confidence interval, and the number of questions."""

    questions: int
    share: float
    low: float
    high: float


def known_mark(letter: str) -> float:
    """Return the mark of a letter in a question's own order."""
    return {RIGHT: 1.0, NEVER_SAID: _GUESSED}.get(letter, 0.0)


def known_score(marks: Sequence[Mark]) -> Score | None:
    """Return how much is known, corrected for guessing; None without marks."""
    score = plain_score(marks)
    if score is None:
        return None
    return Score(
        score.questions,
        _without_guessing(score.share),
        _without_guessing(score.low),
        _without_guessing(score.high),
    )


def _without_guessing(share: float) -> float:
    """Return a share of points, corrected for what guessing gives on average, from 0 to 1."""
    return min(1.0, max(0.0, (share - _GUESSED) / (1 - _GUESSED)))


def plain_score(marks: Sequence[Mark]) -> Score | None:
    """Return the marks' mean and Wilson's interval for their effective number; None without any."""
    if not marks:
        return None
    values = [value for _, value in marks]
    mean = sum(values) / len(values)
    number = len(values) * _worth_of_a_mark(values) / design_effect(marks)
    scale = 1 + _Z**2 / number
    middle = (mean + _Z**2 / (2 * number)) / scale
    half = _Z / scale * sqrt(mean * (1 - mean) / number + _Z**2 / (4 * number**2))
    return Score(len(values), mean, max(0.0, middle - half), min(1.0, middle + half))


def _worth_of_a_mark(values: Sequence[float]) -> float:
    """Return how many marks of 0 or 1 one of these marks is worth, by their variance."""
    number = len(values) + 2 * _ADDED_MARKS
    mean = (sum(values) + _ADDED_MARKS) / number
    squares = sum(value**2 for value in values) + _ADDED_MARKS
    return mean * (1 - mean) / (squares / number - mean**2)


def design_effect(marks: Sequence[Mark]) -> float:
    """Return Kish's design effect of several marks about one chunk, at least 1.

    The number of marks is divided by it.
    """
    by_chunk: defaultdict[str, list[float]] = defaultdict(list)
    for chunk, value in marks:
        by_chunk[chunk].append(value)
    number, groups = len(marks), list(by_chunk.values())
    if len(groups) < 2 or number == len(groups):
        return 1.0
    between, within = _variance_between(groups), _variance_within(groups)
    squares = sum(len(values) ** 2 for values in groups) / number
    total = between + ((number - squares) / (len(groups) - 1) - 1) * within
    correlation = max(0.0, (between - within) / total) if total > 0 else 0.0
    return 1 + (squares - 1) * correlation


def _variance_between(groups: Sequence[Sequence[float]]) -> float:
    """Return the variance between the means of groups, weighted by their sizes."""
    mean = sum(map(sum, groups)) / sum(map(len, groups))
    squares = sum(len(values) * (fmean(values) - mean) ** 2 for values in groups)
    return squares / (len(groups) - 1)


def _variance_within(groups: Sequence[Sequence[float]]) -> float:
    """Return the variance within groups, around the mean of each."""
    number = sum(map(len, groups))
    squares = 0.0
    for values in groups:
        mean = fmean(values)
        for value in values:
            squares += (value - mean) ** 2
    return squares / (number - len(groups))


def stands_out(group: Sequence[bool], others: Sequence[bool], groups: int) -> bool:
    """Return whether a group of answers has fewer right ones than chance explains.

    This is Fisher's exact test, one-sided, against the others; corrected for the number of `groups`
    compared, so that any of them is wrongly found in at most 5 % of evaluations (Bonferroni).
    """
    number = len(group) + len(others)
    right = sum(group) + sum(others)
    ways = 0
    for right_here in range(sum(group) + 1):
        ways += comb(right, right_here) * comb(number - right, len(group) - right_here)
    return ways * groups <= _CHANCE * comb(number, len(group))
