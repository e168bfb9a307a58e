"""Wordings are the same whatever their case, forms and punctuation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.layers.fact_words import normal, says_more, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Loves cheese pizza", "  loves  CHEESE-pizza! "),
        ("Straße", "STRASSE"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("３ cats", "3 cats."),
        ("「猫」が好き。", "猫 が好き"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert normal(one).replace(" ", "") == normal(other).replace(" ", "")


@pytest.mark.parametrize(
    ("one", "other"), [("C", "C#"), ("5 %", "5"), ("1.5", "15"), ("नहीं", "नह"), ("pizza", "pizzas")]
)
def test_these_are_not(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@given(st.text())
def test_what_is_normal_stays_so(text: str) -> None:
    assert normal(normal(text)) == normal(text)


def test_words_are_told_in_any_script() -> None:
    assert words("Ilse's Cat") == {"ilse", "s", "cat"}
    assert words("猫が好き") == {"猫が", "が好", "好き"}


def test_the_richer_wording_has_more_words() -> None:
    assert says_more("Loves to play cricket with friends", "Likes to play cricket")
    assert not says_more("Likes tea", "Loves tea")
