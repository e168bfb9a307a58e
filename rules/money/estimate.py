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
from rules.plan.work import CORE_WORDS, FACT_WORDS, HINDSIGHT_TOKENS, Layers, PlannedChunk

_QUESTION = 150
_QUOTES = 80
_ROOM = 200
_ROOM_A_WORD = 4
_TURNS = 12
_SIX = 6
"""The messages of a memory, and about as many members of a fold."""
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
    thinking: int = 0
    """The tokens that it is expected to think before an answer, though it was not asked to."""
    has_one_slot: bool = False
    """Its server is one's own, and keeps the call before: what both begin with is not read again."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Picodollars."""

    likely: int
    at_most: int

    def plus(self, other: "CostEstimate") -> "CostEstimate":
        """Return the sum of both."""
        return CostEstimate(self.likely + other.likely, self.at_most + other.at_most)


NO_COST = CostEstimate(0, 0)


def planned_calls(plan: ChatPlan, *, one_slot: bool = False) -> tuple[PlannedCall, ...]:
    """Return all calls of a plan, when every answer is good at once.

    With `one_slot` agent and context manager share a server that keeps the call before alone.
    """
    return tuple(_calls(plan, longest=False, one_slot=one_slot))


def longest_calls(plan: ChatPlan, fold_budget: int) -> tuple[PlannedCall, ...]:
    """Return the calls where memories and answers are as large as they may be, with more folds."""
    longest = replace(
        plan,
        again=_with_larger_memories(plan.again, fold_budget),
        hindsight=_with_larger_memories(plan.hindsight, fold_budget),
        chunks=_with_larger_memories(plan.chunks, fold_budget),
        folds=plan.most_folds,
    )
    return tuple(_calls(longest, longest=True))


def _with_larger_memories(
    chunks: Iterable[PlannedChunk], fold_budget: int
) -> tuple[PlannedChunk, ...]:
    """Return the chunks with larger memories before them; past the budget these are folded."""
    larger: list[PlannedChunk] = []
    for chunk in chunks:
        size = min(MOST_OF_A_MEMORY * chunk.memories_tokens, fold_budget)
        larger.append(replace(chunk, memories_tokens=max(chunk.memories_tokens, size)))
    return tuple(larger)


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

    @property
    def afterwards(self) -> "_Dialogue":
        """Return it with all that both requests begin with in the cache: one of them was asked."""
        return replace(self, read=self.begun)


def _calls(plan: ChatPlan, *, longest: bool, one_slot: bool = False) -> Iterator[PlannedCall]:
    """Yield the calls of a plan; answers are as long as expected, or with `longest` as allowed.

    One slot is asked for the analysis before the agent's questions, which then find nothing there.
    """
    for place, (chunk, read) in enumerate(zip(plan.work, cached(plan), strict=True)):
        dialogue = _dialogue(plan, chunk, read)
        if place in plan.looking_back:
            begun = dialogue.begun + HINDSIGHT_TOKENS
            yield from _open_questions(replace(dialogue, begun=begun), longest=longest)
        elif chunk.asks_agent and plan.extracts:
            alone = _agent(dialogue, analysis_words(dialogue.words), 0)
            yield replace(alone, role="context manager")
        elif chunk.asks_agent:
            first = replace(dialogue, read=0) if one_slot else dialogue
            yield from _memory_calls(first, chunk, longest=longest)
    for members in plan.folds:
        yield from _fold_calls(plan, members, longest=longest)
    new = {chunk.number for chunk in plan.again + plan.chunks}
    for chunk in plan.layers.core:
        dialogue = _dialogue(plan, chunk, 0)
        # It follows its memory's dialogue, and finds it in the cache if that was held just now.
        if chunk.number in new:
            dialogue = dialogue.afterwards
        yield _core_call(plan.layers, dialogue, longest=longest)
    for chunk in plan.layers.facts:
        yield from _fact_calls(plan.layers, chunk, longest=longest)


def _memory_calls(
    dialogue: _Dialogue, chunk: PlannedChunk, *, longest: bool
) -> Iterator[PlannedCall]:
    """Yield the calls of a chunk's memory."""
    yield _agent(dialogue, QUOTE_WORDS, 0)
    yield from _open_questions(dialogue.afterwards, longest=longest)
    yield _manager(chunk.tokens, analysis_words(dialogue.words), chunk.stop - chunk.start)


def _dialogue(plan: ChatPlan, chunk: PlannedChunk, read: int) -> _Dialogue:
    """Return the dialogue about a chunk; the cache has `read` tokens of the first request."""
    return _Dialogue(
        begun=plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens + chunk.tokens,
        read=read,
        turns=2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * _SIX,
        words=allowance(chunk.tokens, plan.questions_tokens),
    )


def _fold_calls(plan: ChatPlan, members: int, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the calls of a fold; its members have so many tokens."""
    quotes = _SIX * _QUOTES
    turns = _SIX * _TURNS
    words = fold_words(members, plan.questions_tokens)
    begun = plan.fixed_tokens + members + quotes
    if not plan.extracts:
        yield from _open_questions(_Dialogue(begun, 0, turns, words, quotes), longest=longest)
    yield _manager(members + quotes, analysis_words(words), turns)


def _open_questions(dialogue: _Dialogue, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the perspective, and the refinement, which has perspective and analysis before it."""
    words = dialogue.words
    yield _agent(dialogue, words, dialogue.quotes)
    perspective = _answer(words, longest=longest)
    analysis = _answer(analysis_words(words), longest=longest)
    yield _agent(dialogue.afterwards, words, dialogue.quotes + perspective + analysis)


def _core_call(layers: Layers, dialogue: _Dialogue, *, longest: bool) -> PlannedCall:
    """Return the call about core memory, which follows a memory's dialogue."""
    answers = 2 * _answer(dialogue.words, longest=longest)
    analysis = _answer(analysis_words(dialogue.words), longest=longest)
    before = _QUOTES + answers + analysis + layers.core_tokens
    return _used(_agent(dialogue, CORE_WORDS, before))


def _fact_calls(layers: Layers, chunk: PlannedChunk, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the call about a chunk's facts, and the one that tells which of them are the same."""
    passage = chunk.tokens + layers.facts_tokens
    call = _used(_manager(passage, FACT_WORDS, chunk.stop - chunk.start))
    yield call
    if layers.embeds:
        new = call.room if longest else call.answer
        prompt = layers.shown_tokens + new
        yield PlannedCall(
            role="embedding", prompt=prompt, read=0, written=0, answer=0, room=0, turns=_TURNS
        )


def _used(call: PlannedCall) -> PlannedCall:
    """Return a call whose answer is an edit or a list of facts, shorter than it may be."""
    return replace(call, answer=call.answer // _USED)


def _answer(words: int, *, longest: bool) -> int:
    return answer_room(words) if longest else round(words * TOKENS_A_WORD)


def _agent(dialogue: _Dialogue, words: int, answered: int) -> PlannedCall:
    """Plan a question of a dialogue, after `answered` tokens of it, for an answer of `words`."""
    return PlannedCall(
        role="agent",
        prompt=dialogue.begun + answered + _QUESTION,
        read=dialogue.read,
        written=dialogue.begun - dialogue.read,
        answer=round(words * TOKENS_A_WORD),
        room=answer_room(words),
        turns=dialogue.turns,
    )


def _manager(passage: int, words: int, turns: int) -> PlannedCall:
    return PlannedCall(
        role="context manager",
        prompt=passage + _QUESTION,
        read=0,
        written=0,
        answer=round(words * TOKENS_A_WORD),
        room=answer_room(words),
        turns=turns + _TURNS,
    )


def answer_room(words: int) -> int:
    """Return the tokens that an answer of about so many words may have (max_tokens)."""
    return _ROOM + words * _ROOM_A_WORD


def traffic(
    planned: Iterable[PlannedCall], model_of: Callable[[PlannedCall], PricedModel]
) -> Usage:
    """Return the tokens that the models are likely to count for these calls, all together.

    A model whose price is the same for cached and uncached tokens counts as one without a cache,
    unless it is on a server of one's own, where that saves time.
    """
    total = NO_TRAFFIC
    for call in planned:
        model = model_of(call)
        usage = _likely(call, model)
        rates = model.price.rates if model.price and not model.has_one_slot else None
        if rates and rates.cache_read >= rates.input:
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
    prompt = round(call.prompt * model.factor)
    read = round(call.read * model.factor)
    written = round(call.written * model.factor)
    answer = round(call.answer * model.factor) + (model.thinking if call.answer else 0)
    return Usage(prompt, read, min(written, prompt - read), answer)
