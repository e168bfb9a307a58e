"""The calls that a plan will make, one by one, in tokens as we count them: what its money is reckoned from."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from rules.conversation.memory import allowance, fold_words
from rules.money.price import Price, Usage, cost, least_cost, prompt_bound, worst_case
from rules.plan.cache_order import cached
from rules.plan.chat_plan import MOST_OF_A_MEMORY, ChatPlan
from rules.plan.work import CORE_WORDS, FACT_WORDS, PlannedChunk

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
        words = allowance(chunk.tokens, plan.questions_tokens)
        if place in looked_back:
            yield from _written(context, words, _QUOTES, longest=longest)
        elif chunk.asks_agent:
            yield _agent(context, _QUOTE_WORDS, 0)
            yield from _written(context.again, words, _QUOTES, longest=longest)
            yield _manager(chunk.tokens, words, chunk.stop - chunk.start)
    for members in plan.folds:
        words = fold_words(members, _QUOTES, plan.questions_tokens)
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
        words = allowance(chunk.tokens, plan.questions_tokens)
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


_SHORT_ANSWERS = 5
"""The shortest answers that are accepted are about a fifth of what is asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model as a plan reckons with it."""

    price: Price | None
    """None: nobody knows it."""
    factor: float
    """How many tokens it is expected to count for one of ours."""
    least: float
    """The fewest that it may count for one of ours."""
    most: float
    """The most, before the margin of every reservation."""
    thinking_room: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """Tokens that the models are likely to count, in all prompts and all answers together."""

    sent: int
    read: int
    """Of `sent`, what is read from a cache."""
    written: int
    """Of `sent`, what is written to a cache."""
    answered: int

    def plus(self, other: "Traffic") -> "Traffic":
        """Both together."""
        return Traffic(
            self.sent + other.sent,
            self.read + other.read,
            self.written + other.written,
            self.answered + other.answered,
        )

    @property
    def cached_share(self) -> float:
        """How much of what is sent is read from a cache, from 0 to 1."""
        return self.read / self.sent if self.sent else 0.0


QUIET = Traffic(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Picodollars."""

    low: int
    likely: int
    at_most: int

    def plus(self, other: "Outlook") -> "Outlook":
        """Both together."""
        return Outlook(self.low + other.low, self.likely + other.likely, self.at_most + other.at_most)


NOTHING = Outlook(0, 0, 0)


def traffic(planned: Iterable[Call], of: Callable[[Call], Asked]) -> Traffic:
    """What these calls will send and receive; `of` says which model each is for.

    A model whose price makes no difference between what is cached and what is not counts as one without a cache.
    """
    total = QUIET
    for call in planned:
        asked = of(call)
        usage = _likely(call, asked)
        caches = asked.price is None or asked.price.rates.cache_read < asked.price.rates.input
        read, written = (usage.cached, usage.cache_written) if caches else (0, 0)
        total = total.plus(Traffic(usage.prompt, read, written, usage.answer))
    return total


def outlook(planned: Iterable[Call], longest: Iterable[Call], of: Callable[[Call], Asked]) -> Outlook | None:
    """What calls will cost as they are `planned`, and at most where all is as long as it may be (`longest`).

    `of` says which model each is for. None where nobody knows a price.
    """
    low = likely = at_most = 0
    for call in planned:
        asked = of(call)
        if asked.price is None:
            return None
        prompt, seen = round(call.prompt * asked.least), round(call.seen * asked.least)
        low += least_cost(asked.price, prompt, seen, call.answer // _SHORT_ANSWERS)
        likely += cost(asked.price, _likely(call, asked))
    for call in longest:
        asked = of(call)
        if asked.price is None:
            return None
        bound = prompt_bound(call.prompt, call.turns, asked.most)
        at_most += worst_case(asked.price, bound, call.room + asked.thinking_room)
    return Outlook(low, min(max(low, likely), at_most), at_most)


def _likely(call: Call, asked: Asked) -> Usage:
    """What the provider will say of a call."""
    prompt, read, written, answer = (
        round(tokens * asked.factor) for tokens in (call.prompt, call.read, call.written, call.answer)
    )
    return Usage(prompt, read, min(written, prompt - read), answer)


def pays_back_after(spent: int, saved: int) -> int | None:
    """After how many further messages a compression that cost `spent` has paid for itself; None: never.

    Each of them costs `saved` less. Both are picodollars.
    """
    return ceil(spent / saved) if saved > 0 else None
