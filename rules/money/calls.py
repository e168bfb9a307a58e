"""The calls that a plan will make, one by one, in tokens as we count them: what its money is reckoned from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rules.memory.fold import fold_words
from rules.memory.memory import allowance
from rules.plan.chat_plan import ChatPlan
from rules.plan.planned import PlannedChunk

_QUESTION = 150
_QUOTE_WORDS = 60
_QUOTES = 80
_TOKENS_A_WORD = 1.35
_ROOM = 200
_ROOM_A_WORD = 4
_TURNS = 12


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `kept` is how much of its prompt the call before it had, up to a breakpoint of the cache."""

    role: Literal["agent", "context manager"]
    prompt: int
    kept: int
    """At the beginning of the prompt, and surely sent before."""
    seen: int
    """As `kept`, and what may have been sent before."""
    answer: int
    """About how long the answer is."""
    room: int
    """What it is allowed to be (max_tokens), without room for thinking."""
    turns: int


def calls(plan: ChatPlan, hindsight_tokens: int) -> tuple[Call, ...]:
    """All calls of a plan, in their order, when every answer is good at once."""
    return tuple(_calls(plan, hindsight_tokens))


def _calls(plan: ChatPlan, hindsight_tokens: int) -> Iterator[Call]:
    before: PlannedChunk | None = None
    for chunk in plan.again:
        yield from _memory(plan, chunk, before)
        before = chunk
    for chunk in plan.hindsight:
        yield from _hindsight(plan, chunk, hindsight_tokens)
    for chunk in plan.chunks:
        yield from _memory(plan, chunk, before)
        before = chunk
    for members in plan.folds:
        yield from _fold(plan.fixed_tokens, members)


def _memory(plan: ChatPlan, chunk: PlannedChunk, before: PlannedChunk | None) -> Iterator[Call]:
    """Quote, perspective, analysis and refinement; `before` is the chunk that was asked about last."""
    front = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
    context = front + chunk.tokens
    same = before is not None and before.tail_start == chunk.tail_start
    shared = plan.fixed_tokens + chunk.memories_tokens + before.tail_tokens if same and before else 0
    words, turns = allowance(chunk.tokens), _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
    said = round(words * _TOKENS_A_WORD)
    yield _agent(context, shared, front if before else 0, _QUOTE_WORDS, 0, turns)
    yield _agent(context, context, context, words, _QUOTES, turns)
    yield _manager(chunk.tokens, words, chunk.stop - chunk.start)
    yield _agent(context, context, context, words, _QUOTES + 2 * said, turns)


def _hindsight(plan: ChatPlan, chunk: PlannedChunk, after: int) -> Iterator[Call]:
    front = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
    context = front + chunk.tokens + after
    words, turns = allowance(chunk.tokens), 2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
    yield _agent(context, 0, front, words, _QUOTES, turns)
    yield _agent(context, context, context, words, _QUOTES + 2 * round(words * _TOKENS_A_WORD), turns)


def _fold(fixed: int, members: int) -> Iterator[Call]:
    words = fold_words(members, _QUOTES)
    context, turns = fixed + members, 6 * _TURNS
    yield _agent(context, 0, fixed, words, 6 * _QUOTES, turns)
    yield _manager(members, words, turns)
    yield _agent(context, context, context, words, 6 * _QUOTES + 2 * round(words * _TOKENS_A_WORD), turns)


def _agent(context: int, kept: int, seen: int, words: int, dialogue: int, turns: int) -> Call:
    return Call(
        "agent",
        context + dialogue + _QUESTION,
        kept,
        max(kept, seen),
        round(words * _TOKENS_A_WORD),
        _ROOM + words * _ROOM_A_WORD,
        turns,
    )


def _manager(passage: int, words: int, turns: int) -> Call:
    return Call(
        "context manager",
        passage + _QUESTION,
        0,
        0,
        round(words * _TOKENS_A_WORD),
        _ROOM + words * _ROOM_A_WORD,
        turns + _TURNS,
    )
