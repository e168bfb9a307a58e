"""What first requests find in the cache: what one before them has written, up to a place that both have."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.cache_order import count_cached, order_leads
from rules.plan.chat_plan import ChatPlan
from tests.rules.plan.defaults import NONE, at_the_defaults


def fronts(plan: ChatPlan) -> list[int]:
    return [plan.fixed_tokens + one.memories_tokens + one.tail_tokens for one in plan.work]


def test_a_chunk_behind_another_of_its_row_finds_all_but_what_has_come_to_the_tail() -> None:
    plan = at_the_defaults(60, 1000)
    found, front = count_cached(plan), fronts(plan)
    behind = {lead.place: lead.waits_for for lead in order_leads(plan)}
    followed = [place for place, before in behind.items() if before is not None and before < place]
    assert followed
    for place in followed:
        before = behind[place]
        assert before is not None
        assert found[place] == (front[before] if plan.work[before].tail_tokens else 0)


def test_those_that_lead_find_nothing() -> None:
    plan = at_the_defaults(400, 300)
    found = count_cached(plan)
    assert [found[lead.place] for lead in order_leads(plan) if lead.waits_for is None] == [0] * sum(
        lead.waits_for is None for lead in order_leads(plan)
    )


def test_a_plan_without_work_asks_for_nothing() -> None:
    assert count_cached(NONE) == ()


@given(st.integers(50, 3000), st.integers(10, 300), st.integers(0, 3))
def test_nobody_finds_more_than_what_stands_before_the_chunk(
    each: int, messages: int, again: int
) -> None:
    plan = at_the_defaults(messages, each)
    plan = replace(plan, again=plan.chunks[:again], hindsight=plan.chunks[again : again + 2])
    assert all(
        0 <= found <= front for found, front in zip(count_cached(plan), fronts(plan), strict=True)
    )
