"""What a plan will cost: two sums that never contradict each other."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.money.estimate import (
    NO_COST,
    NO_TRAFFIC,
    CostEstimate,
    ModelRole,
    PlannedCall,
    PricedModel,
    estimate_cost,
    longest_calls,
    planned_calls,
    sum_traffic,
)
from rules.money.price import Price, Usage, cost, rates
from tests.rules.plan.defaults import at_the_defaults

SONNET = Price(rates(3, 15, 0.3, 3.75))
HAIKU = Price(rates(0.1, 0.5, 0.01, 0.125), 100_000, rates(0.5, 2.5, 0.05, 0.625))
UNCACHED = Price(rates(3, 15))
ASKED = PricedModel(SONNET, 1.0, 1.0, 0)
BUDGET = 16_000


def in_each_role(model: PricedModel) -> dict[str, PricedModel]:
    return dict.fromkeys(get_args(ModelRole), model)


@st.composite
def call(draw: st.DrawFn) -> PlannedCall:
    prompt = draw(st.integers(100, 100_000))
    read = draw(st.integers(0, prompt))
    written = draw(st.integers(0, prompt - read))
    answer = draw(st.integers(5, 1000))
    return PlannedCall("agent", prompt, read, written, answer, 200 + 4 * answer, 20)


@given(
    st.lists(call(), max_size=8), st.floats(0.7, 1.3), st.sampled_from([SONNET, HAIKU, UNCACHED])
)
def test_likely_is_never_more_than_at_most(
    calls: list[PlannedCall], factor: float, price: Price
) -> None:
    found = estimate_cost(calls, calls, in_each_role(PricedModel(price, factor, factor, 0)))
    assert found is not None
    assert 0 <= found.likely <= found.at_most


@given(call(), st.floats(0.2, 1), st.floats(0, 1), st.floats(0.2, 4))
def test_a_call_never_costs_more_than_at_most(
    call: PlannedCall, answered: float, read: float, longer: float
) -> None:
    """Whatever part of what was sent before is read from the cache, and however long the answer is, in its room."""
    found = estimate_cost([call], [call], in_each_role(ASKED))
    cached = round(call.prompt * read)
    written = call.prompt - cached if answered > 0.5 else 0
    answer = max(call.answer // 5, min(call.room, round(call.answer * longer)))
    assert found is not None
    assert cost(SONNET, Usage(call.prompt, cached, written, answer)) <= found.at_most


@given(
    st.integers(20, 1500),
    st.integers(30, 200),
    st.floats(0.25, 2),
    st.floats(0.8, 1.5),
    st.floats(0, 1),
    st.sampled_from([SONNET, HAIKU]),
)
def test_a_run_in_which_every_answer_is_good_never_costs_more_than_at_most(
    each: int, thousands: int, size: float, counted: float, read: float, price: Price
) -> None:
    """However large the memories become, whatever the model counts, and whatever the cache has lost."""
    plan = at_the_defaults(thousands * 1000 // each, each)
    asked = PricedModel(price, 1.35, 1.35, 0)
    found = estimate_cost(planned_calls(plan), longest_calls(plan, BUDGET), in_each_role(asked))
    assert found is not None
    chunks = [
        replace(one, memories_tokens=min(BUDGET, round(size * one.memories_tokens)))
        for one in plan.chunks
    ]
    came = planned_calls(replace(plan, chunks=tuple(chunks)))
    usages = []
    for call in came:
        prompt, cached = round(counted * call.prompt), round(counted * call.read * read)
        usages.append(Usage(prompt, cached, prompt - cached, call.room))
    assert sum(cost(price, usage) for usage in usages) <= found.at_most


def test_where_a_price_is_not_known_the_tokens_are_told_all_the_same() -> None:
    plan = at_the_defaults(400, 300)
    asked = PricedModel(None, 1.35, 1.35, 0)
    assert (
        estimate_cost(planned_calls(plan), longest_calls(plan, BUDGET), in_each_role(asked)) is None
    )
    told = sum_traffic(planned_calls(plan), in_each_role(asked))
    assert told.prompt > told.cached > 0
    assert 0 < told.cached_share < 1


def test_what_costs_the_same_from_the_cache_is_not_called_cached() -> None:
    plan = at_the_defaults(400, 300)
    told = sum_traffic(planned_calls(plan), in_each_role(PricedModel(UNCACHED, 1.0, 1.0, 0)))
    assert (told.cached, told.cached_share) == (0, 0.0)
    assert NO_TRAFFIC.cached_share == 0.0


def test_all_chats_together_cost_their_sum() -> None:
    assert CostEstimate(2, 3).plus(CostEstimate(20, 30)).plus(NO_COST) == CostEstimate(22, 33)
    assert Usage(1, 2, 3, 4).plus(Usage(10, 20, 30, 40)).plus(NO_TRAFFIC) == Usage(11, 22, 33, 44)


@pytest.mark.parametrize(("messages", "each"), [(400, 300), (200, 1200)])
def test_nearly_all_of_a_chat_s_prompts_is_read_from_the_cache(messages: int, each: int) -> None:
    told = sum_traffic(planned_calls(at_the_defaults(messages, each)), in_each_role(ASKED))
    assert told.cached_share > 0.75
    assert told.cached + told.cache_written < told.prompt


def test_nothing_to_ask_costs_nothing_and_two_calls_cost_both() -> None:
    call = PlannedCall("agent", 1000, 0, 0, 50, 400, 20)
    one, two = (
        estimate_cost([call] * times, [call] * times, in_each_role(ASKED)) for times in (1, 2)
    )
    assert estimate_cost([], [], in_each_role(ASKED)) == NO_COST
    assert one is not None
    assert two is not None
    assert (two.likely, two.at_most) == (2 * one.likely, 2 * one.at_most)


def test_a_model_that_thinks_may_cost_the_room_for_its_thoughts_too() -> None:
    call = PlannedCall("agent", 1000, 0, 0, 50, 400, 20)
    plain = estimate_cost([call], [call], in_each_role(ASKED))
    thinking = estimate_cost([call], [call], in_each_role(replace(ASKED, thinking_room=900)))
    assert plain is not None
    assert thinking is not None
    assert thinking.at_most - plain.at_most == cost(SONNET, Usage(0, 0, 0, 900))


def test_what_a_model_is_seen_to_think_is_likely_to_come_with_each_answer() -> None:
    calls = [
        PlannedCall("agent", 1000, 0, 0, 50, 400, 20),
        PlannedCall("embedding", 90, 0, 0, 0, 0, 1),
    ]
    plain = sum_traffic(calls, in_each_role(ASKED))
    thinking = sum_traffic(calls, in_each_role(replace(ASKED, thinking=900)))
    assert thinking == replace(plain, answer=plain.answer + 900)
