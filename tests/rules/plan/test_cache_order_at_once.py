"""A chunk needs no more than the memories before its tail."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.cache_order import count_needed
from rules.plan.chat_plan import ChatPlan
from tests.rules.plan.defaults import NONE, at_the_defaults
from tests.rules.plan.test_chat_plan import TOKENS, history
from tests.rules.plan.test_chat_plan import planned as small


def depth(plan: ChatPlan) -> int:
    """How many memories must be made one after the other, at the least, until all is done. 0: there is no work."""
    depths: list[int] = []
    for first in count_needed(plan):
        depths.append(1 + max(depths[:first], default=0))
    return max(depths, default=0)


def test_the_twenty_chunks_of_a_long_conversation_are_three_deep() -> None:
    plan = at_the_defaults(565, 200)
    assert len(plan.chunks) == 20
    assert depth(plan) == 3


def test_ninety_chunks_are_at_most_thirteen_deep() -> None:
    plan = at_the_defaults(2000, 200)
    assert len(plan.chunks) > 90
    assert depth(replace(plan, chunks=plan.chunks[:90])) <= 13


def test_no_work_has_no_depth() -> None:
    assert depth(NONE) == 0


@given(TOKENS)
def test_what_must_be_done_before_a_chunk_are_the_memories_before_its_tail(
    tokens: list[int],
) -> None:
    plan = small(history(len(tokens)), tokens)
    for at, (chunk, first) in enumerate(zip(plan.chunks, count_needed(plan), strict=True)):
        assert first == chunk.memories_before <= at


@given(TOKENS, st.data())
def test_what_is_written_again_comes_before_all_that_is_told_of_it(
    tokens: list[int], data: st.DataObject
) -> None:
    plan = small(history(len(tokens)), tokens)
    cut = data.draw(st.integers(0, len(plan.chunks)))
    made, new = plan.chunks[:cut], plan.chunks[cut:]
    numbers = [chunk.number for chunk in made]
    anew = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    later = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    plan = replace(plan, made=made, chunks=new).with_more(anew, later)
    makers = [
        *(("again", chunk) for chunk in plan.again),
        *(("", chunk) for chunk in plan.hindsight),
    ]
    makers += [("new", chunk) for chunk in plan.chunks]
    for at, first in enumerate(count_needed(plan)):
        chunk = plan.work[at]
        done = {one.number for kind, one in makers[:first] if kind}
        assert first <= at, "what comes first can always be begun"
        told = {one.number for kind, one in makers if kind and one.number <= chunk.memories_before}
        assert told <= done
        if makers[at][0] == "" and chunk.number in anew:
            assert chunk.number in done, "hindsight is written from the newest as-of edition"
