"""Facts: which are compared with a chunk and shown, which say the same or the opposite, which were
forgotten.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.layers.fact_operations import ForgottenFact, forgotten_facts, is_forgotten
from rules.layers.facts import (
    FactEvent,
    are_opposed,
    compute_cosines,
    facts_within,
    find_alike,
    fuse_orders,
    nearest_facts,
    normalize,
    says_more,
    split_words,
)
from tests.rules.layers.known import added, fact

DAYS = [f"2026-03-{day:02d}T00:00:00.000Z" for day in range(1, 11)]
TEN = [fact(number, f"Fact {number}", day) for number, day in enumerate(DAYS, 1)]
FACTS = st.lists(
    st.builds(
        fact,
        st.integers(1, 99),
        st.just("a fact"),
        st.sampled_from(["", "nonsense", *DAYS]),
        st.integers(0, 9),
    ),
    unique_by=lambda one: one.number,
)

EVENTS = (
    added(1, "Ada has a cat.", "m1"),
    added(2, "Ada has a dog.", "m1"),
    FactEvent(1, "CONFIRM", "", "", "m2"),
    FactEvent(1, "UPDATE", "Ada has two cats.", "", "m3"),
    FactEvent(1, "FORGET", "", "", "", "person"),
)


def test_orders_are_made_one_by_the_sums_of_their_reciprocal_places() -> None:
    assert fuse_orders([3, 1], [1, 2]) == [1, 3, 2]
    assert fuse_orders([1, 2], [2, 1]) == [2, 1], "the last order decides where the sums are equal"


def test_the_nearest_by_words_and_the_newest_are_compared_in_order_of_number() -> None:
    many = [fact(number, f"Fact {number}", DAYS[0]) for number in range(1, 61)]
    oldest = [one.number for one in nearest_facts(many, [1, 0])]
    assert oldest == [1, 2, *range(23, 61)]
    assert nearest_facts(TEN, []) == tuple(TEN)


def test_the_newest_and_the_most_confirmed_stand_in_the_export_in_order_of_date() -> None:
    often = [*TEN, fact(11, "An old one", DAYS[0], confirmed=5)]
    assert [one.number for one in facts_within(often, [10] * 11, 30)] == [11, 9, 10]


def test_what_does_not_fit_is_passed_over() -> None:
    assert [one.number for one in facts_within(TEN[:3], [10, 10, 50], 25)] == [1, 2]


def test_facts_without_a_date_come_first() -> None:
    undated = fact(7, "Nobody knows when", "some day")
    assert facts_within([TEN[0], undated], [1, 1], 9) == (undated, TEN[0])


@given(facts=FACTS, budget=st.integers(0, 60), data=st.data())
def test_the_budget_always_holds_and_whatever_is_left_out_would_not_fit(
    facts: list[object], budget: int, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 30), min_size=len(facts), max_size=len(facts)))
    taken = facts_within(facts, sizes, budget)  # type: ignore[arg-type]
    spent = sum(size for one, size in zip(facts, sizes, strict=True) if one in taken)
    assert spent <= budget
    assert all(
        spent + size > budget for one, size in zip(facts, sizes, strict=True) if one not in taken
    )


def test_cosines_are_those_of_each_text_with_all_behind_it() -> None:
    assert compute_cosines([[1, 0], [3, 4], [0, 2]]) == [[0.6, 0.0], [0.8], []]
    assert compute_cosines([[0, 0], [1, 0]]) == [[0.0], []]
    assert compute_cosines([]) == []


@pytest.mark.parametrize(("cosine", "same"), [(0.9199, {}), (0.92, {"a": ("b",), "b": ("a",)})])
def test_texts_are_alike_from_a_bound_on(cosine: float, same: dict[str, tuple[str, ...]]) -> None:
    assert find_alike(["a", "b"], [[cosine], []]) == same


def test_the_nearest_stands_first() -> None:
    assert find_alike(["a", "b", "c"], [[0.93, 0.99], [0.5], []]) == {
        "a": ("c", "b"),
        "b": ("a",),
        "c": ("a",),
    }


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
    assert normalize(one).replace(" ", "") == normalize(other).replace(" ", "")


@pytest.mark.parametrize(
    ("one", "other"), [("C", "C#"), ("5 %", "5"), ("1.5", "15"), ("नहीं", "नह"), ("pizza", "pizzas")]
)
def test_these_say_something_else(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


@given(st.text())
def test_what_is_normal_stays_so(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


def test_words_are_told_in_any_script() -> None:
    assert split_words("Ilse's Cat") == {"ilse", "s", "cat"}
    assert split_words("猫が好き") == {"猫が", "が好", "好き"}


def test_the_richer_wording_has_more_words() -> None:
    assert says_more("Loves to play cricket with friends", "Likes to play cricket")
    assert not says_more("Likes tea", "Loves tea")


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
    assert are_opposed(one, other)
    assert are_opposed(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada likes tea", "Ada is fond of tea"),
        ("Ada does not eat meat", "Ada never eats any meat"),
        ("On 14 March Tomas takes the ferry", "Tomas takes the ferry on March 14"),
    ],
)
def test_these_are_not_opposed(one: str, other: str) -> None:
    assert not are_opposed(one, other)


def test_a_forgotten_fact_is_known_with_all_its_texts_and_messages() -> None:
    assert forgotten_facts(EVENTS) == (
        ForgottenFact(("Ada has a cat.", "Ada has two cats."), frozenset({"m1", "m2", "m3"})),
    )
    assert forgotten_facts(EVENTS[:4]) == ()


def test_it_is_known_again_by_its_words_and_only_from_its_messages() -> None:
    known = forgotten_facts(EVENTS)
    assert is_forgotten("ADA has a cat", "m2", known)
    assert is_forgotten("Cats", "m1", known)
    assert not is_forgotten("Ada has a cat", "m9", known)
    assert not is_forgotten("Porto in spring", "m1", known)
