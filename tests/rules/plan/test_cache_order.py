"""Of those that begin alike one goes first, and a provider's cache breaks off where the others begin."""

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.plan.cache_order import count_needed, order_leads
from rules.plan.chat_plan import ChatPlan
from tests.rules.plan.defaults import NONE, at_the_defaults
from tests.rules.plan.test_chat_plan import TOKENS, history
from tests.rules.plan.test_chat_plan import planned as small


def written(plan: ChatPlan, places: Iterable[int]) -> int:
    """How many messages of tails these write into a provider's cache, one after the other."""
    anew = 0
    kept: set[int] = set()
    for lead in order_leads(plan):
        if lead.place in places:
            chunk = plan.work[lead.place]
            marks = [*lead.breaks, chunk.start]
            anew += chunk.start - max(
                (mark for mark in marks if mark in kept), default=chunk.tail_start
            )
            kept |= set(marks)
    return anew


def test_where_nobody_else_begins_alike_nobody_waits() -> None:
    assert order_leads(NONE) == ()
    plan = at_the_defaults(230, 1000)
    assert order_leads(replace(plan, chunks=plan.chunks[:1]))[0].waits_for is None


def test_the_last_of_those_that_the_next_move_waits_for_leads() -> None:
    plan = at_the_defaults(230, 1000)
    first = [lead for lead in order_leads(plan) if plan.work[lead.place].tail_start == 0]
    moved = next(chunk for chunk in plan.chunks if chunk.tail_start)
    assert first[0].waits_for is None
    assert plan.work[first[0].place].number == moved.memories_before
    assert {lead.waits_for for lead in first if lead.place < first[0].place} == {first[0].place}


def test_those_after_it_go_one_after_the_other() -> None:
    plan = at_the_defaults(230, 1000)
    found = order_leads(plan)
    after = [lead for lead in found if lead.waits_for is not None and lead.waits_for < lead.place]
    assert after
    for lead in after:
        assert lead.place == (lead.waits_for or 0) + 1
        assert lead.breaks == (plan.work[lead.waits_for or 0].start,)


def test_nearly_everything_is_written_once() -> None:
    plan = at_the_defaults(230, 1000)
    rows: dict[int, list[int]] = {}
    for place, chunk in enumerate(plan.chunks):
        rows.setdefault(chunk.tail_start, []).append(place)
    for begin, places in rows.items():
        longest = max(plan.chunks[place].start - begin for place in places)
        assert longest <= written(plan, places) <= longest * 1.3


@given(TOKENS, st.data())
def test_every_piece_of_work_is_begun_once_behind_one_that_is_begun_before_it(
    tokens: list[int], data: st.DataObject
) -> None:
    plan = small(history(len(tokens)), tokens)
    cut = data.draw(st.integers(0, len(plan.chunks)))
    made, new = plan.chunks[:cut], plan.chunks[cut:]
    numbers = [chunk.number for chunk in made]
    anew = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    later = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    plan = replace(plan, made=made, chunks=new).with_more(anew, later)
    found = order_leads(plan)
    assert sorted(lead.place for lead in found) == list(range(len(plan.work)))
    begun: list[int] = []
    for lead in found:
        ours = plan.work[lead.place]
        if lead.waits_for is not None:
            theirs = plan.work[lead.waits_for]
            assert lead.waits_for in begun
            assert (ours.memories_before, ours.tail_start) == (
                theirs.memories_before,
                theirs.tail_start,
            )
        assert len(lead.breaks) <= 2
        assert all(ours.tail_start < one < ours.start for one in lead.breaks)
        begun.append(lead.place)


@given(TOKENS, st.data())
def test_whoever_waits_for_whom_all_of_the_work_is_done_in_the_end(
    tokens: list[int], data: st.DataObject
) -> None:
    """Pieces are kept in the order of the plan; each begins when what it needs is kept and whom it follows is asked."""
    plan = small(history(len(tokens)), tokens)
    cut = data.draw(st.integers(0, len(plan.chunks)))
    numbers = [chunk.number for chunk in plan.chunks[:cut]]
    anew = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    later = data.draw(st.sets(st.sampled_from(numbers))) if numbers else set()
    plan = replace(plan, made=plan.chunks[:cut], chunks=plan.chunks[cut:]).with_more(anew, later)
    wanted = count_needed(plan)
    done: set[int] = set()
    kept = 0
    for lead in order_leads(plan):
        while kept in done:
            kept += 1
        assert wanted[lead.place] <= kept
        assert lead.waits_for is None or lead.waits_for in done
        done.add(lead.place)
