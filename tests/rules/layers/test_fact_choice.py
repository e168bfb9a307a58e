"""Which facts are compared with a chunk, and which stand in the export."""

from hypothesis import given
from hypothesis import strategies as st

from rules.layers.fact_choice import facts_within, fused, nearest_facts
from tests.rules.layers.known import fact

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


def test_orders_are_made_one_by_the_sums_of_their_reciprocal_places() -> None:
    assert fused([3, 1], [1, 2]) == [1, 3, 2]
    assert fused([1, 2], [2, 1]) == [2, 1], "the last order decides where the sums are equal"


def test_the_nearest_by_words_and_the_newest_are_compared_in_order_of_number() -> None:
    assert [one.number for one in nearest_facts(TEN, [1, 0], 4)] == [1, 2, 9, 10]
    assert nearest_facts(TEN, [], 40) == tuple(TEN)


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
