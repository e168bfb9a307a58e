"""The calls of core memory and facts, as a plan foretells them."""

from dataclasses import replace

from daemon.models.tokens import count
from primer.prompt import wrap_message
from rules.money.estimate import PlannedCall, longest_calls, planned_calls
from rules.plan.work import HINDSIGHT_TOKENS, Layers
from tests.entries import said
from tests.rules.plan.defaults import at_the_defaults

PLAN = at_the_defaults(60, 1000)
TAG = 30
LAYERS = Layers(
    core=PLAN.chunks,
    facts=PLAN.chunks,
    core_tokens=300,
    facts_tokens=900,
    shown_tokens=400,
    embeds=True,
)


def added(layers: Layers) -> list[PlannedCall]:
    """The calls that come to those of the memories."""
    return list(planned_calls(replace(PLAN, layers=layers))[len(planned_calls(PLAN)) :])


def test_each_chunk_has_a_call_of_the_agent_and_one_of_the_context_manager_and_one_for_vectors() -> (
    None
):
    assert len(added(LAYERS)) == LAYERS.calls == 3 * len(PLAN.chunks)
    assert len(added(replace(LAYERS, embeds=False, core=()))) == len(PLAN.chunks)
    assert {call.role for call in added(LAYERS)} == {"agent", "context manager", "embedding"}


def test_the_agent_finds_all_that_its_memory_was_written_from_in_the_cache_unless_that_was_in_an_earlier_run() -> (
    None
):
    now = added(replace(LAYERS, facts=()))
    later = planned_calls(
        replace(PLAN, made=PLAN.chunks, chunks=(), layers=replace(LAYERS, facts=()))
    )
    for call, chunk in zip(now, PLAN.chunks, strict=True):
        before = PLAN.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
        assert call.read == before + chunk.tokens + TAG * (chunk.stop - chunk.start)
        assert call.written == 0
    assert [(call.read, call.written) for call in later] == [(0, call.read) for call in now]


def test_the_same_words_in_more_messages_cost_more_since_each_stands_in_a_tag_with_its_date() -> (
    None
):
    message = said("user", "Hello.")
    for role in ("", "user"):
        assert abs(count(wrap_message(message, role)) - count(message.text) - TAG) <= 4
    chunk = PLAN.chunks[0]
    twice = replace(chunk, stop=2 * chunk.stop - chunk.start)
    plans = (replace(PLAN, chunks=(one,)) for one in (chunk, twice))
    few, many = (
        [(call.role, call.prompt) for call in planned_calls(replace(plan, layers=LAYERS))]
        for plan in plans
    )
    more = TAG * (chunk.stop - chunk.start)
    assert many[:4] == [(role, prompt + more) for role, prompt in few[:4]]


def test_facts_are_asked_for_past_the_cache_with_the_passage_and_those_that_are_shown() -> None:
    for call, chunk in zip(added(replace(LAYERS, core=(), embeds=False)), PLAN.chunks, strict=True):
        assert (call.read, call.written) == (0, 0)
        assert call.prompt >= chunk.tokens + LAYERS.facts_tokens


def test_vectors_are_asked_for_of_the_facts_alone_known_ones_and_new_ones() -> None:
    likely = [call for call in added(LAYERS) if call.role == "embedding"]
    longest = [
        call
        for call in longest_calls(replace(PLAN, layers=LAYERS), 10_000)
        if call.role == "embedding"
    ]
    for call, most in zip(likely, longest, strict=True):
        assert LAYERS.shown_tokens < call.prompt < LAYERS.facts_tokens < most.prompt
        assert (call.answer, call.room) == (0, 0)


def test_the_longest_calls_read_memories_as_large_as_they_may_be_in_every_part_of_the_plan() -> (
    None
):
    chunk = replace(PLAN.chunks[0], memories_tokens=1_000)
    empty = replace(PLAN, chunks=(), again=(), hindsight=())
    parts = (
        replace(empty, chunks=(chunk,)),
        replace(empty, again=(chunk,)),
        replace(empty, hindsight=(chunk,)),
    )
    for plan in parts:
        likely, longest = planned_calls(plan), longest_calls(plan, 10_000)
        assert len(likely) == len(longest) > 0
        agents = [
            (call.prompt, most.prompt)
            for call, most in zip(likely, longest, strict=True)
            if call.role == "agent"
        ]
        assert all(most > prompt + chunk.memories_tokens / 2 for prompt, most in agents)


def test_memories_that_are_larger_than_the_budget_of_folds_are_not_taken_for_smaller() -> None:
    chunk = replace(PLAN.chunks[0], memories_tokens=30_000)
    plan = replace(PLAN, chunks=(chunk,), again=(), hindsight=())
    assert all(
        most.prompt >= call.prompt
        for call, most in zip(planned_calls(plan), longest_calls(plan, 10_000), strict=True)
    )


def test_looking_back_reads_what_came_after_and_asks_two_questions() -> None:
    plain = replace(PLAN, chunks=PLAN.chunks[:1], again=(), hindsight=())
    written = [call for call in planned_calls(plain) if call.role == "agent"][1:]
    back = planned_calls(replace(plain, chunks=(), hindsight=PLAN.chunks[:1]))
    assert [call.role for call in back] == ["agent", "agent"]
    for call, again in zip(written, back, strict=True):
        assert again.prompt == call.prompt + HINDSIGHT_TOKENS
