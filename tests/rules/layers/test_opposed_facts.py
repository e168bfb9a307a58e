"""Wordings that are alike and say opposite things are told by numbers and by words of negation."""

import pytest

from rules.layers.fact_words import opposed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada likes tea", "Ada doesn't like tea"),
        ("Ada likes tea", "Ada dislikes tea"),
        ("Ada isst Fleisch", "Ada isst kein Fleisch"),
        ("Ada mange du poisson", "Ada ne mange pas de poisson"),
        ("Ana come carne", "Ana nunca come carne"),
        ("Ana come carne", "Ana não come carne"),
        ("Anna mangia carne", "Anna non mangia carne"),
        ("Анна ест мясо", "Анна не ест мясо"),
        ("Анна їсть м'ясо", "Анна ніколи не їсть м'ясо"),
        ("Anna je mięso", "Anna nie je mięsa"),
        ("Ayşe evli", "Ayşe evli değil"),
        ("آدا تحب الشاي", "آدا لا تحب الشاي"),
        ("आदा चाय पीती है", "आदा चाय नहीं पीती है"),
        ("她喜欢猫", "她不喜欢猫"),
        ("彼女は猫が好きです", "彼女は猫が好きではない"),
        ("The ferry goes on 14 March", "The ferry goes on 15 March"),
        ("Ada has cats", "Ada has 3 cats"),
        ("十四日", "十五日"),
    ],
)
def test_these_are_opposed(one: str, other: str) -> None:
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada likes tea", "Ada is fond of tea"),
        ("Ada does not eat meat", "Ada never eats any meat"),
        ("On 14 March Tomas takes the ferry", "Tomas takes the ferry on March 14"),
    ],
)
def test_these_are_not(one: str, other: str) -> None:
    assert not opposed(one, other)
