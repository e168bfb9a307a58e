"""What a plan will cost: its calls, one by one, in tokens as we count them, and their price.

calls           the likely ones; longest_calls where memories and answers are as long as they may be
traffic         tokens that the models are likely to count for them
estimate_cost   dollars, likely and at most
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rules.conversation.memory_size import TOKENS_A_WORD, allowance, fold_words
from rules.money.price import Price, Usage, cost, prompt_bound, worst_case
from rules.plan.cache_order import count_cached
from rules.plan.chat_plan import MOST_OF_A_MEMORY, ChatPlan
from rules.plan.dialogues import EXTRACTED, HINDSIGHT, MEMORY, Step, answer_room, words_of
from rules.plan.work import CORE_WORDS, FACT_WORDS, HINDSIGHT_TOKENS, Layers, PlannedChunk

_QUESTION = 150
_QUOTES = 80
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
    """The questions about one chunk or fold."""

    asked: Sequence[Step]
    begun: int
    """The tokens that all of the agent's requests begin with."""
    read: int
    """The tokens of these that the first one finds in the cache."""
    turns: int
    alone: int
    """The tokens of what the context manager reads."""
    alone_turns: int
    words: int
    """The words that each open answer may have."""
    quotes: int = _QUOTES
    """The tokens of the quotes."""

    @property
    def afterwards(self) -> "_Dialogue":
        """Return it with all that its requests begin with in the cache: one of them was asked."""
        return replace(self, read=self.begun)

    def call(self, words: int, answered: int = 0, role: ModelRole = "agent") -> PlannedCall:
        """Plan a question after `answered` tokens of the dialogue, for an answer of `words`."""
        written = self.begun - self.read
        return _call(role, self.begun + answered, words, self.turns, self.read, written)

    def answered(self, step: Step, *, longest: bool) -> int:
        """Return the tokens of an answer as the next question has it before it."""
        if step == "quote":
            return self.quotes
        words = words_of(step, self.words)
        return answer_room(words) if longest else round(words * TOKENS_A_WORD)

    def calls(self, *, longest: bool) -> Iterator[PlannedCall]:
        """Yield the calls: each of the agent's has all answers before it in view."""
        dialogue, answered = self, 0
        for step in MEMORY:
            words = words_of(step, self.words)
            if step in self.asked and step == "analysis":
                yield _call("context manager", self.alone, words, self.alone_turns)
            elif step in self.asked:
                yield dialogue.call(words, answered)
                dialogue = self.afterwards
            answered += self.answered(step, longest=longest)


def _calls(plan: ChatPlan, *, longest: bool, one_slot: bool = False) -> Iterator[PlannedCall]:
    """Yield the calls of a plan; answers are as long as expected, or with `longest` as allowed.

    One slot is asked for the analysis before the agent's questions, which then find nothing there.
    """
    for place, (chunk, read) in enumerate(zip(plan.work, count_cached(plan), strict=True)):
        asked = plan.steps_at(place)
        dialogue = _dialogue(plan, chunk, asked, read)
        if asked == EXTRACTED:
            # The context manager sees what the agent would.
            yield dialogue.call(words_of("analysis", dialogue.words), role="context manager")
            continue
        if one_slot and asked == MEMORY:
            dialogue = replace(dialogue, read=0)
        yield from dialogue.calls(longest=longest)
    for members in plan.folds:
        yield from _fold(plan, members).calls(longest=longest)
    new = {chunk.number for chunk in plan.again + plan.chunks}
    for chunk in plan.layers.core:
        dialogue = _dialogue(plan, chunk, MEMORY, 0)
        # It follows its memory's dialogue, and finds it in the cache if that was held just now.
        if chunk.number in new:
            dialogue = dialogue.afterwards
        answered = sum(dialogue.answered(step, longest=longest) for step in MEMORY)
        yield _used(dialogue.call(CORE_WORDS, answered + plan.layers.core_tokens))
    for chunk in plan.layers.facts:
        yield from _fact_calls(plan.layers, chunk, longest=longest)


def _dialogue(plan: ChatPlan, chunk: PlannedChunk, asked: Sequence[Step], read: int) -> _Dialogue:
    """Return the dialogue about a chunk; the cache has `read` tokens of the first request."""
    begun = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens + chunk.tokens
    return _Dialogue(
        asked=asked,
        begun=begun + HINDSIGHT_TOKENS if asked == HINDSIGHT else begun,
        read=read,
        turns=2 * _TURNS + (chunk.stop - chunk.tail_start) + chunk.memories_before * _SIX,
        alone=chunk.tokens,
        alone_turns=chunk.stop - chunk.start + _TURNS,
        words=allowance(chunk.tokens, plan.questions_tokens),
    )


def _fold(plan: ChatPlan, members: int) -> _Dialogue:
    """Return the dialogue about a fold; its members have so many tokens."""
    quotes, turns = _SIX * _QUOTES, _SIX * _TURNS
    return _Dialogue(
        asked=plan.fold_steps,
        begun=plan.fixed_tokens + members + quotes,
        read=0,
        turns=turns,
        alone=members + quotes,
        alone_turns=turns + _TURNS,
        words=fold_words(members, plan.questions_tokens),
        quotes=quotes,
    )


def _fact_calls(layers: Layers, chunk: PlannedChunk, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the call about a chunk's facts, and the one that tells which of them are the same."""
    passage = chunk.tokens + layers.facts_tokens
    turns = chunk.stop - chunk.start + _TURNS
    call = _used(_call("context manager", passage, FACT_WORDS, turns))
    yield call
    if layers.embeds:
        new = call.room if longest else call.answer
        prompt = layers.shown_tokens + new
        yield PlannedCall("embedding", prompt, 0, 0, 0, 0, _TURNS)


def _used(call: PlannedCall) -> PlannedCall:
    """Return a call whose answer is an edit or a list of facts, shorter than it may be."""
    return replace(call, answer=call.answer // _USED)


def _call(
    role: ModelRole, begun: int, words: int, turns: int, read: int = 0, written: int = 0
) -> PlannedCall:
    """Plan a question after `begun` tokens, for an answer of about `words`."""
    answer, room = round(words * TOKENS_A_WORD), answer_room(words)
    return PlannedCall(role, begun + _QUESTION, read, written, answer, room, turns)


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
