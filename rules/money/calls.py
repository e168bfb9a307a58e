"""The calls that a plan will make, one by one, in tokens as we count them: what its money is reckoned from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rules.memory.fold import fold_words
from rules.memory.memory import allowance
from rules.money.cached import cached
from rules.plan.chat_plan import MOST_OF_A_MEMORY, ChatPlan
from rules.plan.layers import CORE_WORDS, FACT_WORDS
from rules.plan.planned import PlannedChunk

_QUESTION = 150
_QUOTE_WORDS = 60
_QUOTES = 80
_TOKENS_A_WORD = 1.35
_ROOM = 200
_ROOM_A_WORD = 4
_TURNS = 12
_USED = 3
"""An edit or a list of facts is about a third as long as it may be."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Of its prompt the cache holds `read`, and `written` comes to it; the rest is neither."""

    role: Literal["agent", "context manager", "embedding"]
    prompt: int
    read: int
    """At the beginning of the prompt, when all is asked in the order of the plan and nothing is lost meanwhile."""
    written: int
    """Behind that, up to the last place at which the cache may break off."""
    seen: int
    """As `read`, with all that may be in the cache from elsewhere."""
    answer: int
    """About how long the answer is."""
    room: int
    """What it is allowed to be (max_tokens), without room for thinking."""
    turns: int


@dataclass(frozen=True, slots=True)
class _Context:
    """What a request of the agent begins with, before its dialogue."""

    tokens: int
    read: int
    seen: int
    turns: int

    @property
    def again(self) -> "_Context":
        """The same in a later request, which finds all of it in the cache."""
        return replace(self, read=self.tokens, seen=self.tokens)


def calls(plan: ChatPlan, hindsight_tokens: int) -> tuple[Call, ...]:
    """All calls of a plan, when every answer is good at once."""
    return tuple(_calls(plan, hindsight_tokens, longest=False))


def longest_calls(plan: ChatPlan, hindsight_tokens: int, fold_budget: int) -> tuple[Call, ...]:
    """The same where memories are as large, and answers as long, as they may be, with the folds that come of it."""

    def larger(chunks: tuple[PlannedChunk, ...]) -> tuple[PlannedChunk, ...]:
        return tuple(replace(one, memories_tokens=_most(one.memories_tokens, fold_budget)) for one in chunks)

    longest = replace(
        plan,
        again=larger(plan.again),
        hindsight=larger(plan.hindsight),
        chunks=larger(plan.chunks),
        folds=plan.most_folds,
    )
    return tuple(_calls(longest, hindsight_tokens, longest=True))


def _most(memories: int, budget: int) -> int:
    """What memories of an expected size may come to, together: past the budget they are folded."""
    return max(memories, min(MOST_OF_A_MEMORY * memories, budget))


def _calls(plan: ChatPlan, hindsight_tokens: int, *, longest: bool) -> Iterator[Call]:
    looked_back = range(len(plan.again), len(plan.again) + len(plan.hindsight))
    for place, (chunk, found) in enumerate(zip(plan.work, cached(plan), strict=True)):
        after = hindsight_tokens if place in looked_back else 0
        front = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
        turns = 2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
        context = _Context(front + chunk.tokens + after, found, front if place else found, turns)
        words = allowance(chunk.tokens)
        if place in looked_back:
            yield from _written(context, words, _QUOTES, longest=longest)
        elif chunk.has_words:
            yield _agent(context, _QUOTE_WORDS, 0)
            yield from _written(context.again, words, _QUOTES, longest=longest)
            yield _manager(chunk.tokens, words, chunk.stop - chunk.start)
    for members in plan.folds:
        words = fold_words(members, _QUOTES)
        yield from _written(
            _Context(plan.fixed_tokens + members, 0, plan.fixed_tokens + members, 6 * _TURNS),
            words,
            6 * _QUOTES,
            longest=longest,
        )
        yield _manager(members, words, 6 * _TURNS)
    yield from _layers(plan, longest=longest)


def _layers(plan: ChatPlan, *, longest: bool) -> Iterator[Call]:
    """Core memory and facts. The agent's call stands behind a dialogue that has just been held, and finds all of it in
    the cache; one that was put off to a later run finds nothing."""
    layers = plan.layers
    now = {chunk.number for chunk in plan.again + plan.chunks}
    for chunk in layers.core:
        front = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
        turns = 2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
        context = _Context(front + chunk.tokens, 0, front + chunk.tokens, turns)
        words = allowance(chunk.tokens)
        said = _room(words) if longest else round(words * _TOKENS_A_WORD)
        dialogue = _QUOTES + 3 * said + layers.core_tokens
        call = _agent(context.again if chunk.number in now else context, CORE_WORDS, dialogue)
        yield replace(call, answer=call.answer // _USED)
    for chunk in layers.facts:
        call = _manager(chunk.tokens + layers.facts_tokens, FACT_WORDS, chunk.stop - chunk.start)
        yield replace(call, answer=call.answer // _USED)
        if layers.embeds:
            new = call.room if longest else call.answer // _USED
            yield Call("embedding", layers.shown_tokens + new, 0, 0, 0, 0, 0, _TURNS)


def _written(context: _Context, words: int, quotes: int, *, longest: bool) -> Iterator[Call]:
    """Perspective and refinement, which has the perspective and the analysis before it."""
    said = _room(words) if longest else round(words * _TOKENS_A_WORD)
    yield _agent(context, words, quotes)
    yield _agent(context.again, words, quotes + 2 * said)


def _agent(context: _Context, words: int, dialogue: int) -> Call:
    return Call(
        "agent",
        context.tokens + dialogue + _QUESTION,
        context.read,
        context.tokens - context.read,
        context.seen,
        round(words * _TOKENS_A_WORD),
        _room(words),
        context.turns,
    )


def _manager(passage: int, words: int, turns: int) -> Call:
    answer = round(words * _TOKENS_A_WORD)
    return Call("context manager", passage + _QUESTION, 0, 0, 0, answer, _room(words), turns + _TURNS)


def _room(words: int) -> int:
    return _ROOM + words * _ROOM_A_WORD
