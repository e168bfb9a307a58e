"""What a plan will cost: the calls that it will make, one by one, in tokens as we count them, and their price.

calls           the likely ones; longest_calls where memories and answers are as long as they may be
traffic         tokens that the models are likely to count for them
estimate_cost   dollars, likely and at most
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rules.conversation.memory import allowance, analysis_words, fold_words
from rules.money.price import Price, Usage, cost, prompt_bound, worst_case
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
class PlannedCall:
    """One call. Of its prompt the cache holds `read`, and `written` comes to it; the rest is neither."""

    role: Literal["agent", "context manager", "embedding"]
    prompt: int
    read: int
    """At the beginning of the prompt, when all is asked in the order of the plan and nothing is lost meanwhile."""
    written: int
    """Behind that, up to the last place at which the cache may break off."""
    answer: int
    """About how long the answer is."""
    room: int
    """What it is allowed to be (max_tokens), without room for thinking."""
    turns: int


def calls(plan: ChatPlan, hindsight_tokens: int) -> tuple[PlannedCall, ...]:
    """All calls of a plan, when every answer is good at once."""
    return tuple(_Calls(plan, hindsight_tokens, longest=False).all())


def longest_calls(plan: ChatPlan, hindsight_tokens: int, fold_budget: int) -> tuple[PlannedCall, ...]:
    """The same where memories are as large, and answers as long, as they may be, with the folds that come of it."""

    def larger(chunks: tuple[PlannedChunk, ...]) -> tuple[PlannedChunk, ...]:
        """Past the budget memories are folded."""
        return tuple(
            replace(
                chunk,
                memories_tokens=max(chunk.memories_tokens, min(MOST_OF_A_MEMORY * chunk.memories_tokens, fold_budget)),
            )
            for chunk in chunks
        )

    longest = replace(
        plan,
        again=larger(plan.again),
        hindsight=larger(plan.hindsight),
        chunks=larger(plan.chunks),
        folds=plan.most_folds,
    )
    return tuple(_Calls(longest, hindsight_tokens, longest=True).all())


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """What the requests of a dialogue with the agent begin with; its first one finds `read` tokens in the cache."""

    tokens: int
    read: int
    turns: int

    @property
    def again(self) -> "_Dialogue":
        """The same in a later request, which finds all of it in the cache."""
        return replace(self, read=self.tokens)


@dataclass(frozen=True, slots=True)
class _Calls:
    """The calls of one plan, whose answers are as long as expected or, with `longest`, as they may be."""

    plan: ChatPlan
    hindsight_tokens: int
    longest: bool

    def all(self) -> Iterator[PlannedCall]:
        plan = self.plan
        for place, (chunk, read) in enumerate(zip(plan.work, cached(plan), strict=True)):
            if place in plan.looking_back:
                dialogue = _begun(plan, chunk, read, self.hindsight_tokens)
                yield from self._open_questions(dialogue, self._words(chunk), _QUOTES)
            elif chunk.asks_agent:
                yield from self._memory(chunk, _begun(plan, chunk, read))
        for members in plan.folds:
            yield from self._fold(members)
        yield from self._core_edits()
        yield from self._facts()

    def _words(self, chunk: PlannedChunk) -> int:
        return allowance(chunk.tokens, self.plan.questions_tokens)

    def _answer(self, words: int) -> int:
        return _room(words) if self.longest else round(words * _TOKENS_A_WORD)

    def _memory(self, chunk: PlannedChunk, dialogue: _Dialogue) -> Iterator[PlannedCall]:
        words = self._words(chunk)
        yield _agent(dialogue, _QUOTE_WORDS, 0)
        yield from self._open_questions(dialogue.again, words, _QUOTES)
        yield _manager(chunk.tokens, analysis_words(words), chunk.stop - chunk.start)

    def _open_questions(self, dialogue: _Dialogue, words: int, quotes: int) -> Iterator[PlannedCall]:
        """Perspective and refinement, which has the perspective and the analysis before it."""
        yield _agent(dialogue, words, quotes)
        yield _agent(dialogue.again, words, quotes + self._answer(words) + self._answer(analysis_words(words)))

    def _fold(self, members: int) -> Iterator[PlannedCall]:
        words, quotes = fold_words(members, self.plan.questions_tokens), 6 * _QUOTES
        dialogue = _Dialogue(self.plan.fixed_tokens + members + quotes, 0, 6 * _TURNS)
        yield from self._open_questions(dialogue, words, quotes)
        yield _manager(members + quotes, analysis_words(words), 6 * _TURNS)

    def _core_edits(self) -> Iterator[PlannedCall]:
        """Each stands behind the dialogue of its memory, and finds all of it in the cache if that was held just now."""
        now = {chunk.number for chunk in self.plan.again + self.plan.chunks}
        for chunk in self.plan.layers.core:
            dialogue = _begun(self.plan, chunk, 0)
            answered = _QUOTES + 3 * self._answer(self._words(chunk)) + self.plan.layers.core_tokens
            call = _agent(dialogue.again if chunk.number in now else dialogue, CORE_WORDS, answered)
            yield replace(call, answer=call.answer // _USED)

    def _facts(self) -> Iterator[PlannedCall]:
        layers = self.plan.layers
        for chunk in layers.facts:
            call = _manager(chunk.tokens + layers.facts_tokens, FACT_WORDS, chunk.stop - chunk.start)
            yield replace(call, answer=call.answer // _USED)
            if layers.embeds:
                new = call.room if self.longest else call.answer // _USED
                yield PlannedCall("embedding", layers.shown_tokens + new, 0, 0, 0, 0, _TURNS)


def _begun(plan: ChatPlan, chunk: PlannedChunk, read: int, after: int = 0) -> _Dialogue:
    """The dialogue about a chunk, of which `read` tokens are cached, and in hindsight with `after` tokens behind it."""
    front = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens
    turns = 2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
    return _Dialogue(front + chunk.tokens + after, read, turns)


def _agent(dialogue: _Dialogue, words: int, answered: int) -> PlannedCall:
    """A question in a dialogue in which so many tokens have been `answered` before."""
    prompt = dialogue.tokens + answered + _QUESTION
    written = dialogue.tokens - dialogue.read
    answer = round(words * _TOKENS_A_WORD)
    return PlannedCall("agent", prompt, dialogue.read, written, answer, _room(words), dialogue.turns)


def _manager(passage: int, words: int, turns: int) -> PlannedCall:
    answer = round(words * _TOKENS_A_WORD)
    return PlannedCall("context manager", passage + _QUESTION, 0, 0, answer, _room(words), turns + _TURNS)


def _room(words: int) -> int:
    return _ROOM + words * _ROOM_A_WORD


@dataclass(frozen=True, slots=True)
class PricedModel:
    """The model that a call is for, with its price."""

    price: Price | None
    """None: nobody knows it."""
    factor: float
    """How many tokens it is expected to count for one of ours."""
    most: float
    """The most that it may count for one of ours, before the margin of every reservation."""
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


NO_TRAFFIC = Traffic(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Picodollars."""

    likely: int
    at_most: int

    def plus(self, other: "CostEstimate") -> "CostEstimate":
        """Both together."""
        return CostEstimate(self.likely + other.likely, self.at_most + other.at_most)


NO_COST = CostEstimate(0, 0)


def traffic(planned: Iterable[PlannedCall], model_of: Callable[[PlannedCall], PricedModel]) -> Traffic:
    """What these calls will send and receive.

    A model whose price makes no difference between what is cached and what is not counts as one without a cache.
    """
    total = NO_TRAFFIC
    for call in planned:
        model = model_of(call)
        usage = _likely(call, model)
        caches = model.price is None or model.price.rates.cache_read < model.price.rates.input
        read, written = (usage.cached, usage.cache_written) if caches else (0, 0)
        total = total.plus(Traffic(usage.prompt, read, written, usage.answer))
    return total


def estimate_cost(
    planned: Iterable[PlannedCall], longest: Iterable[PlannedCall], model_of: Callable[[PlannedCall], PricedModel]
) -> CostEstimate | None:
    """What calls will cost as they are `planned`, and at most where all is as long as it may be (`longest`).

    None where nobody knows a price.
    """
    likely = at_most = 0
    for call in planned:
        model = model_of(call)
        if model.price is None:
            return None
        likely += cost(model.price, _likely(call, model))
    for call in longest:
        model = model_of(call)
        if model.price is None:
            return None
        bound = prompt_bound(call.prompt, call.turns, model.most)
        at_most += worst_case(model.price, bound, call.room + model.thinking_room)
    return CostEstimate(min(likely, at_most), at_most)


def _likely(call: PlannedCall, model: PricedModel) -> Usage:
    """What the provider will say of a call."""
    prompt, read, written, answer = (
        round(tokens * model.factor) for tokens in (call.prompt, call.read, call.written, call.answer)
    )
    return Usage(prompt, read, min(written, prompt - read), answer)
