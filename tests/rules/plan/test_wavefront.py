"""A chunk needs no more than the memories before its tail, and of those that begin alike a few lead (D16)."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.plan.chat_plan import ChatPlan
from rules.plan.chunk import chunks
from rules.plan.foresight import Foresight
from rules.plan.planned import Run, planned
from rules.plan.section import Bounds
from rules.plan.turn import Spoken
from rules.plan.wavefront import depth, leaders, needs
from tests.rules.plan.test_chat_plan import TOKENS, history
from tests.rules.plan.test_chat_plan import planned as small

NONE = small(history(4), [5, 5, 5, 5])


def at_the_defaults(messages: int, tokens_each: int) -> ChatPlan:
    """The plan for a conversation of so many messages, with the sizes that memproc.toml has."""
    spoken = [Spoken(("user", "assistant")[at % 2], tokens_each, False) for at in range(messages)]
    found = chunks(spoken, 0, 4000, 30_000).chunks
    runs = [Run(number, one.start, one.stop, one.tokens) for number, one in enumerate(found, 1)]
    sizes = Foresight("chat", (), [run.tokens for run in runs], Bounds(16_000, 6))
    row = planned(runs, [tokens_each] * messages, 30_000, 8000, sizes)
    return replace(NONE, chunks=tuple(row), fixed_tokens=3000)


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
@settings(max_examples=100)
def test_what_must_be_done_before_a_chunk_are_the_memories_before_its_tail(tokens: list[int]) -> None:
    plan = small(history(len(tokens)), tokens)
    for at, (chunk, first) in enumerate(zip(plan.chunks, needs(plan), strict=True)):
        assert first == chunk.memories_before <= at


@given(TOKENS, st.data())
@settings(max_examples=100)
def test_what_is_written_again_comes_before_all_that_is_told_of_it(tokens: list[int], data: st.DataObject) -> None:
    plan = small(history(len(tokens)), tokens)
    cut = data.draw(st.integers(0, len(plan.chunks)))
    made, new = plan.chunks[:cut], plan.chunks[cut:]
    numbers = [chunk.number for chunk in made]
    anew = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    later = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    plan = replace(plan, made=made, chunks=new).with_more(anew, later, 500)
    makers = [*(("again", chunk) for chunk in plan.again), *(("", chunk) for chunk in plan.hindsight)]
    makers += [("new", chunk) for chunk in plan.chunks]
    for at, first in enumerate(needs(plan)):
        chunk = plan.work[at]
        done = {one.number for kind, one in makers[:first] if kind}
        assert first <= at, "what comes first can always be begun"
        told = {one.number for kind, one in makers if kind and one.number <= chunk.memories_before}
        assert told <= done
        if makers[at][0] == "" and chunk.number in anew:
            assert chunk.number in done, "hindsight is written from the newest as-of edition"


def test_of_the_chunks_with_a_growing_tail_the_first_the_second_the_fourth_and_the_eighth_lead() -> None:
    plan = at_the_defaults(230, 1000)
    assert [chunk.tail_start for chunk in plan.chunks[:10]] == [0] * 10
    assert leaders(plan)[:10] == (None, None, 1, None, 3, 3, 3, None, 7, 7)


def test_of_the_chunks_behind_the_same_full_tail_the_first_leads() -> None:
    plan = at_the_defaults(230, 1000)
    assert len({chunk.tail_start for chunk in plan.chunks[10:13]}) == 1
    assert leaders(plan)[10:13] == (None, 10, 10)


def test_nobody_waits_for_what_a_provider_would_not_find() -> None:
    """Of chunks of twenty messages, the breakpoint of the one before lies too far back."""
    assert set(leaders(at_the_defaults(570, 200))) == {None}


@given(TOKENS)
@settings(max_examples=100)
def test_a_chunk_waits_only_for_one_that_begins_alike_and_leads_itself(tokens: list[int]) -> None:
    plan = small(history(len(tokens)), tokens)
    found = leaders(plan)
    for at, leader in enumerate(found):
        if leader is not None:
            assert leader < at
            assert found[leader] is None
            ours, theirs = plan.work[at], plan.work[leader]
            assert (ours.memories_before, ours.tail_start) == (theirs.memories_before, theirs.tail_start)
