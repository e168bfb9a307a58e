"""What a plan will cost: its calls, one by one, in tokens as we count them, and their price.

calls           the likely ones; longest_calls where memories and answers are as long as they may be
traffic         tokens that the models are likely to count for them
estimate_cost   dollars, likely and at most
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rules.conversation.memory_size import TOKENS_A_WORD, allowance, analysis_words, fold_words
from rules.conversation.quote import QUOTE_WORDS
from rules.money.price import Price, Usage, cost, prompt_bound, worst_case
from rules.plan.cache_order import cached
from rules.plan.chat_plan import MOST_OF_A_MEMORY, ChatPlan
from rules.plan.work import CORE_WORDS, FACT_WORDS, PlannedChunk

_QUESTION = 150
_QUOTES = 80
_ROOM = 200
_ROOM_A_WORD = 4
_TURNS = 12
_USED = 3
"""An edit or a list of facts is about a third as long as it may be."""
NO_TRAFFIC = Usage(0, 0, 0, 0)
ModelRole = Literal["agent", "context manager", "embedding"]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call. The cache has `read` of its prompt, and `written` comes to it; the rest is new."""

    role: ModelRole
    prompt: int
    read: int
    """At the beginning of the prompt, if all is asked in the plan's order and nothing is lost."""
    written: int
    """After that, up to the last place at which the cache may break off."""
    answer: int
    """About how long the answer is."""
    room: int
    """The length that it is allowed to have (max_tokens), without room for thinking."""
    turns: int


@dataclass(frozen=True, slots=True)
class PricedModel:
    """The model that a call is for, with its price."""

    price: Price | None
    """None where it is unknown."""
    factor: float
    """The tokens that it is expected to count for one of ours."""
    most: float
    """The most that it may count for one of ours, before the margin of every reservation."""
    thinking_room: int


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Picodollars."""

    likely: int
    at_most: int

    def plus(self, other: "CostEstimate") -> "CostEstimate":
        """Return the sum of both."""
        return CostEstimate(self.likely + other.likely, self.at_most + other.at_most)


NO_COST = CostEstimate(0, 0)


def planned_calls(plan: ChatPlan, hindsight_tokens: int) -> tuple[PlannedCall, ...]:
    """Return all calls of a plan, when every answer is good at once."""
    return tuple(_calls(plan, hindsight_tokens, longest=False))


def longest_calls(
    plan: ChatPlan, hindsight_tokens: int, fold_budget: int
) -> tuple[PlannedCall, ...]:
    """Return the calls where memories and answers are as large as they may be, with more folds."""

    def larger(chunks: tuple[PlannedChunk, ...]) -> tuple[PlannedChunk, ...]:
        """Return the chunks with larger memories; past the budget these are folded."""
        sizes = [min(MOST_OF_A_MEMORY * chunk.memories_tokens, fold_budget) for chunk in chunks]
        return tuple(
            replace(chunk, memories_tokens=max(chunk.memories_tokens, size))
            for chunk, size in zip(chunks, sizes, strict=True)
        )

    again, hindsight, chunks = larger(plan.again), larger(plan.hindsight), larger(plan.chunks)
    longest = replace(plan, again=again, hindsight=hindsight, chunks=chunks, folds=plan.most_folds)
    return tuple(_calls(longest, hindsight_tokens, longest=True))


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """Two open questions to the agent about the same chunk or fold."""

    begun: int
    """The tokens that both requests begin with."""
    read: int
    """The tokens of these that the first one finds in the cache."""
    turns: int
    words: int
    """The words that each answer may have."""
    quotes: int = _QUOTES
    """The tokens of the quotes before the questions."""


def _calls(plan: ChatPlan, hindsight_tokens: int, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the calls of a plan; answers are as long as expected, or with `longest` as allowed."""
    for place, (chunk, read) in enumerate(zip(plan.work, cached(plan), strict=True)):
        words = allowance(chunk.tokens, plan.questions_tokens)
        begun, turns = _begins(plan, chunk)
        if place in plan.looking_back:
            begun += hindsight_tokens
            yield from _open_questions(_Dialogue(begun, read, turns, words), longest=longest)
        elif chunk.asks_agent:
            yield _agent(begun, read, turns, QUOTE_WORDS, 0)
            yield from _open_questions(_Dialogue(begun, begun, turns, words), longest=longest)
            yield _manager(chunk.tokens, analysis_words(words), chunk.stop - chunk.start)
    for members in plan.folds:
        words, quotes = fold_words(members, plan.questions_tokens), 6 * _QUOTES
        begun = plan.fixed_tokens + members + quotes
        dialogue = _Dialogue(begun, 0, 6 * _TURNS, words, quotes)
        yield from _open_questions(dialogue, longest=longest)
        yield _manager(members + quotes, analysis_words(words), 6 * _TURNS)
    yield from _layer_calls(plan, longest=longest)


def _open_questions(dialogue: _Dialogue, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the perspective, and the refinement, which has perspective and analysis before it."""
    words, begun, turns = dialogue.words, dialogue.begun, dialogue.turns
    yield _agent(begun, dialogue.read, turns, words, dialogue.quotes)
    answered = sum(_answer(length, longest=longest) for length in (words, analysis_words(words)))
    yield _agent(begun, begun, turns, words, dialogue.quotes + answered)


def _layer_calls(plan: ChatPlan, *, longest: bool) -> Iterator[PlannedCall]:
    layers, now = plan.layers, {chunk.number for chunk in plan.again + plan.chunks}
    for chunk in layers.core:
        # Each follows its memory's dialogue, and finds it in the cache if that was held just now.
        begun, turns = _begins(plan, chunk)
        words = allowance(chunk.tokens, plan.questions_tokens)
        answered = sum(
            _answer(length, longest=longest) for length in (words, words, analysis_words(words))
        )
        before = _QUOTES + answered + layers.core_tokens
        call = _agent(begun, begun if chunk.number in now else 0, turns, CORE_WORDS, before)
        yield replace(call, answer=call.answer // _USED)
    for chunk in layers.facts:
        call = _manager(chunk.tokens + layers.facts_tokens, FACT_WORDS, chunk.stop - chunk.start)
        yield replace(call, answer=call.answer // _USED)
        if layers.embeds:
            new = call.room if longest else call.answer // _USED
            yield PlannedCall("embedding", layers.shown_tokens + new, 0, 0, 0, 0, _TURNS)


def _begins(plan: ChatPlan, chunk: PlannedChunk) -> tuple[int, int]:
    """Return the tokens and turns that the requests of the dialogue about a chunk begin with."""
    turns = 2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * 6
    return plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens + chunk.tokens, turns


def _answer(words: int, *, longest: bool) -> int:
    return answer_room(words) if longest else round(words * TOKENS_A_WORD)


def _agent(begun: int, read: int, turns: int, words: int, answered: int) -> PlannedCall:
    """Plan a question after `begun` tokens, `read` of them cached, and what was `answered`."""
    answer = round(words * TOKENS_A_WORD)
    return PlannedCall(
        "agent", begun + answered + _QUESTION, read, begun - read, answer, answer_room(words), turns
    )


def _manager(passage: int, words: int, turns: int) -> PlannedCall:
    answer = round(words * TOKENS_A_WORD)
    return PlannedCall(
        "context manager", passage + _QUESTION, 0, 0, answer, answer_room(words), turns + _TURNS
    )


def answer_room(words: int) -> int:
    """Return the tokens that an answer of about so many words may have (max_tokens)."""
    return _ROOM + words * _ROOM_A_WORD


def traffic(
    planned: Iterable[PlannedCall], model_of: Callable[[PlannedCall], PricedModel]
) -> Usage:
    """Return the tokens that the models are likely to count for these calls, all together.

    A model whose price is the same for cached and uncached tokens counts as one without a cache.
    """
    total = NO_TRAFFIC
    for call in planned:
        model = model_of(call)
        usage = _likely(call, model)
        if model.price is not None and model.price.rates.cache_read >= model.price.rates.input:
            usage = replace(usage, cached=0, cache_written=0)
        total = total.plus(usage)
    return total


def estimate_cost(
    planned: Iterable[PlannedCall],
    longest: Iterable[PlannedCall],
    model_of: Callable[[PlannedCall], PricedModel],
) -> CostEstimate | None:
    """Return the cost of calls as `planned`, and at most where all is as long as in `longest`.

    None where a price is unknown.
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
    prompt, read, written, answer = (
        round(tokens * model.factor)
        for tokens in (call.prompt, call.read, call.written, call.answer)
    )
    return Usage(prompt, read, min(written, prompt - read), answer)
