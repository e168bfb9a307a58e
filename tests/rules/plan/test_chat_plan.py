"""The plan is the same however many rounds brought the conversation, and it accounts for every token."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Entry, Place
from rules.conversation.memory_size import QUOTE, SHIPPED_QUESTIONS, expected_tokens
from rules.money.estimate import planned_calls
from rules.plan.chat_plan import ChatPlan, Limits, Overhead, plan_chat
from rules.plan.dialogues import FOLD, HINDSIGHT, MEMORY
from rules.plan.fold_budget import Bounds
from rules.plan.foresight import SHARE_OF_MOST
from rules.plan.work import PlannedChunk
from rules.recognize.adopted import Adopted
from rules.recognize.chat_reading import ChatReading
from tests.entries import UNTOUCHED, entries, memory_of, said, sized

LIMITS = Limits(tail=4000, step=1000, chunk=1000, fold=Bounds(2000))
TOKENS = st.lists(st.integers(10, 600), min_size=20, max_size=90)


def history(count: int) -> tuple[Entry, ...]:
    return entries([said(("user", "assistant")[at % 2], f"m{at}", at) for at in range(count)])


def planned(found: tuple[Entry, ...], tokens: list[int]) -> ChatPlan:
    """The plan, where the chunks that stand under memories have some, as large as it was expected of them."""
    numbers = sorted({entry.memory for entry in found if entry.memory is not None})
    chunks = [
        [at for at, entry in enumerate(found) if entry.memory == number] for number in numbers
    ]
    memories = [
        memory_of(number, [found[at] for at in chunk]) for number, chunk in enumerate(chunks, 1)
    ]
    sizes = [
        expected_tokens(sum(tokens[at] for at in chunk), SHIPPED_QUESTIONS) for chunk in chunks
    ]
    as_expected = tuple(
        sized(memory, int(SHARE_OF_MOST * (size - QUOTE)), QUOTE)
        for memory, size in zip(memories, sizes, strict=True)
    )
    places = tuple(
        Place(at, entry.message, entry.key, None, None) for at, entry in enumerate(found)
    )
    reading = ChatReading(places, found, as_expected, Adopted(), UNTOUCHED, {})
    return plan_chat("chat", "Aria", reading, tokens, LIMITS, Overhead(by_model=True))


def remembered(found: tuple[Entry, ...], chunks: list[PlannedChunk]) -> tuple[Entry, ...]:
    under = {at: chunk.number for chunk in chunks for at in range(chunk.start, chunk.stop)}
    return tuple(replace(entry, memory=under.get(at)) for at, entry in enumerate(found))


@given(TOKENS, st.lists(st.integers(1, 90), max_size=6))
def test_the_plan_is_the_same_for_any_split_of_the_history_into_rounds(
    tokens: list[int], cuts: list[int]
) -> None:
    whole = history(len(tokens))
    at_once = list(planned(whole, tokens).chunks)
    in_rounds: list[PlannedChunk] = []
    for cut in [*sorted(cut for cut in cuts if cut < len(tokens)), len(tokens)]:
        in_rounds += planned(remembered(whole[:cut], in_rounds), tokens[:cut]).chunks
    assert in_rounds == at_once


@given(TOKENS)
def test_chunks_what_waits_and_the_live_tail_are_all_there_is(tokens: list[int]) -> None:
    plan = planned(history(len(tokens)), tokens)
    chunked = sum(chunk.tokens for chunk in plan.chunks)
    assert chunked + plan.waiting_tokens + plan.live_tokens == plan.tokens == sum(tokens)
    stops = [chunk.stop for chunk in plan.chunks]
    assert [chunk.start for chunk in plan.chunks] == [0, *stops][: len(stops)]


@given(TOKENS)
def test_only_memories_before_a_chunk_s_own_tail_are_shown_to_it(tokens: list[int]) -> None:
    chunks = planned(history(len(tokens)), tokens).chunks
    for chunk in chunks:
        shown = chunks[: chunk.memories_before]
        assert (shown[-1].stop if shown else 0) == chunk.tail_start <= chunk.start
        assert chunk.tail_tokens == sum(tokens[chunk.tail_start : chunk.start])


def test_a_plan_of_nothing_makes_no_call() -> None:
    plan = planned(history(4), [50, 50, 50, 50])
    assert (plan.calls, plan.chunks) == (0, ())


def test_folds_that_the_budget_asks_for_are_counted_among_the_calls() -> None:
    """Sixteen memories of about 400 tokens do not stand in 2,000."""
    plan = planned(history(80), [250] * 80)
    assert (len(plan.chunks), len(plan.folds)) == (16, 3)
    assert plan.calls == 16 * len(MEMORY) + 3 * len(FOLD)
    assert all(chunk.memories_tokens <= 2000 + 12 * QUOTE for chunk in plan.chunks)


def test_what_is_written_again_or_with_hindsight_is_counted_too_and_the_same_chunks_are_new() -> (
    None
):
    whole = history(80)
    first = planned(whole[:60], [250] * 60)
    plan = planned(remembered(whole, list(first.chunks)), [250] * 80)
    more = plan.with_more({1}, {10, 11})
    assert [chunk.number for chunk in more.again] == [1]
    assert [chunk.number for chunk in more.hindsight] == [10, 11]
    assert more.chunks == plan.chunks
    assert more.calls == plan.calls + len(MEMORY) + 2 * len(HINDSIGHT)
    assert more.work == more.again + more.hindsight + more.chunks


def test_a_single_chunk_too_small_for_a_model_is_the_engine_s_and_costs_nothing() -> None:
    """The average is large enough, so that the others are worth it."""
    tokens = [70, 70, 70, 70, 3000, 100, *[250] * 60]
    plan = planned(history(len(tokens)), tokens)
    small = [chunk.number for chunk in plan.chunks if chunk.tokens < 300]
    assert small
    assert [chunk.number for chunk in plan.chunks if not chunk.asks_agent] == small
    assert plan.calls == (len(plan.chunks) - len(small)) * len(MEMORY) + len(plan.folds) * len(FOLD)
    assert len(planned_calls(plan)) == plan.calls


def test_what_stays_for_a_file_is_counted_with_the_tool_call_and_its_other_results() -> None:
    call = said(
        "assistant",
        "",
        1,
        tool_calls=[{"id": "c1", "type": "function", "function": {"name": "draw"}}],
    )
    named = [{"type": "tm_image_file", "metadata": {"localBlobID": "6f2c"}}]
    result = said("tool", "", 2, tool_call_id="c1", content=named)
    other = said("tool", "Nothing.", 3, tool_call_id="c2")
    rest = [said(("user", "assistant")[at % 2], f"m{at}", at) for at in range(4, 60)]
    found = entries([said("user", "Draw it.", 0), call, result, other, *rest])
    assert planned(found, [250] * len(found)).attached == 3
