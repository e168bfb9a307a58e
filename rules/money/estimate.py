"""Estimate what a plan will cost: its calls one by one, in tokens as we count them, and prices.

planned_calls   the likely calls
longest_calls   the calls where memories and answers are as long as they may be
traffic         the tokens that the models are likely to count for calls
estimate_cost   what calls cost, likely and at most
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rules.conversation.memory_size import TOKENS_A_WORD, allowance, fold_words
from rules.money.price import Price, Usage, cost, prompt_bound, worst_case
from rules.plan.cache_order import count_cached
from rules.plan.chat_plan import MOST_OF_A_MEMORY, ChatPlan
from rules.plan.dialogues import EXTRACTED, HINDSIGHT, MEMORY, Step, answer_room, words_of
from rules.plan.work import CORE_WORDS, FACT_WORDS, HINDSIGHT_TOKENS, Layers, PlannedChunk

_QUESTION_TOKENS = 150
_QUOTE_TOKENS = 80
_TAG_TOKENS = 30
"""The tokens of the tag around each message to remember, which has the message's date."""
_DIALOGUE_TURNS = 12
_MEMORY_MESSAGES, _FOLD_MEMBERS = 6, 6
_USED_PART = 3
"""An edit or a list of facts is about a third as long as it may be."""
NO_TRAFFIC = Usage(0, 0, 0, 0)
ModelRole = Literal["agent", "context manager", "embedding"]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call; sizes are in our tokens."""

    role: ModelRole
    prompt: int
    read: int
    """The beginning of the prompt that is read from the cache, if all is asked in the plan's order
    and nothing expires."""
    written: int
    """What is written to the cache after that, up to the last breakpoint."""
    answer: int
    """The expected length of the answer."""
    room: int
    """The most that the answer may have (max_tokens), without room for thinking."""
    turns: int
    """The number of messages of the prompt."""


@dataclass(frozen=True, slots=True)
class PricedModel:
    """The model of a call, with its price."""

    price: Price | None
    """None where it is unknown."""
    factor: float
    """How many tokens it is expected to count for one of ours."""
    most: float
    """How many it may count for one of ours at most, before the margin of every reservation."""
    thinking_room: int
    thinking: int = 0
    """The tokens that it is expected to think before an answer, though it is not asked to."""
    has_one_slot: bool = False
    """Whether it is on a server of the person's own that keeps only the last call: a common
    beginning is not read again."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What calls cost, in picodollars."""

    likely: int
    at_most: int

    def plus(self, other: "CostEstimate") -> "CostEstimate":
        """Return the sum of both."""
        return CostEstimate(self.likely + other.likely, self.at_most + other.at_most)


NO_COST = CostEstimate(0, 0)


def planned_calls(plan: ChatPlan, *, one_slot: bool = False) -> tuple[PlannedCall, ...]:
    """Return all calls of a plan, provided that every answer is accepted at once.

    With `one_slot`, agent and context manager share a server that keeps only the last call.
    """
    return tuple(_calls(plan, longest=False, one_slot=one_slot))


def longest_calls(plan: ChatPlan, fold_budget: int) -> tuple[PlannedCall, ...]:
    """Return the calls where memories and answers are as large as they may be.

    They include the calls of further folds.
    """
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
    """Return the chunks with larger memories before them, which are folded beyond the budget."""
    larger: list[PlannedChunk] = []
    for chunk in chunks:
        size = min(MOST_OF_A_MEMORY * chunk.memories_tokens, fold_budget)
        larger.append(replace(chunk, memories_tokens=max(chunk.memories_tokens, size)))
    return tuple(larger)


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """The questions about one chunk or fold."""

    asked: Sequence[Step]
    beginning: int
    """The tokens that all of the agent's requests begin with."""
    read: int
    """How many of these the first request finds in the cache."""
    turns: int
    passage: int
    """The tokens of what the context manager reads."""
    passage_turns: int
    words: int
    """The words that each open answer may have."""
    quotes: int = _QUOTE_TOKENS
    """The tokens of the quotes."""

    @property
    def with_full_cache(self) -> "_Dialogue":
        """Return the dialogue after its first request, when the cache has all of its beginning."""
        return replace(self, read=self.beginning)

    def call(self, words: int, answered: int = 0, role: ModelRole = "agent") -> PlannedCall:
        """Plan a question after `answered` tokens of dialogue, for an answer of `words` words."""
        written = self.beginning - self.read
        return _call(role, self.beginning + answered, words, self.turns, self.read, written)

    def answer_tokens(self, step: Step, *, longest: bool) -> int:
        """Return the tokens of an answer in the prompt of the next question."""
        if step == "quote":
            return self.quotes
        words = words_of(step, self.words)
        return answer_room(words) if longest else round(words * TOKENS_A_WORD)

    def calls(self, *, longest: bool) -> Iterator[PlannedCall]:
        """Yield the calls; the agent's prompts have all answers so far."""
        dialogue, answered = self, 0
        for step in MEMORY:
            words = words_of(step, self.words)
            if step in self.asked and step == "analysis":
                yield _call("context manager", self.passage, words, self.passage_turns)
            elif step in self.asked:
                yield dialogue.call(words, answered)
                dialogue = self.with_full_cache
            answered += self.answer_tokens(step, longest=longest)


def _calls(plan: ChatPlan, *, longest: bool, one_slot: bool = False) -> Iterator[PlannedCall]:
    """Yield the calls of a plan; answers are as long as expected or, if `longest`, as allowed.

    A server with one slot is asked for the analysis before the agent's questions, which then find
    nothing cached.
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
        yield from _fold_dialogue(plan, members).calls(longest=longest)
    new = {chunk.number for chunk in plan.again + plan.chunks}
    for chunk in plan.layers.core:
        dialogue = _dialogue(plan, chunk, MEMORY, 0)
        # It follows its memory's dialogue, which is still cached if it was part of this plan.
        if chunk.number in new:
            dialogue = dialogue.with_full_cache
        answered = sum(dialogue.answer_tokens(step, longest=longest) for step in MEMORY)
        yield _with_short_answer(dialogue.call(CORE_WORDS, answered + plan.layers.core_tokens))
    for chunk in plan.layers.facts:
        yield from _fact_calls(plan.layers, chunk, longest=longest)


def _dialogue(plan: ChatPlan, chunk: PlannedChunk, asked: Sequence[Step], read: int) -> _Dialogue:
    """Return the dialogue about a chunk; the cache has `read` tokens of the first request."""
    passage = _passage_tokens(chunk)
    beginning = plan.fixed_tokens + chunk.memories_tokens + chunk.tail_tokens + passage
    memory_turns = chunk.memories_before * _MEMORY_MESSAGES
    return _Dialogue(
        asked=asked,
        beginning=beginning + HINDSIGHT_TOKENS if asked == HINDSIGHT else beginning,
        read=read,
        turns=2 * _DIALOGUE_TURNS + (chunk.stop - chunk.tail_start) + memory_turns,
        passage=passage,
        passage_turns=chunk.stop - chunk.start + _DIALOGUE_TURNS,
        words=allowance(chunk.tokens, plan.questions_tokens),
    )


def _passage_tokens(chunk: PlannedChunk) -> int:
    """Return the tokens of a chunk as models read it, each message in a tag."""
    return chunk.tokens + _TAG_TOKENS * (chunk.stop - chunk.start)


def _fold_dialogue(plan: ChatPlan, members: int) -> _Dialogue:
    """Return the dialogue about a fold, whose members have `members` tokens."""
    quotes, turns = _FOLD_MEMBERS * _QUOTE_TOKENS, _FOLD_MEMBERS * _DIALOGUE_TURNS
    return _Dialogue(
        asked=plan.fold_steps,
        beginning=plan.fixed_tokens + members + quotes,
        read=0,
        turns=turns,
        passage=members + quotes,
        passage_turns=turns + _DIALOGUE_TURNS,
        words=fold_words(members, plan.questions_tokens),
        quotes=quotes,
    )


def _fact_calls(layers: Layers, chunk: PlannedChunk, *, longest: bool) -> Iterator[PlannedCall]:
    """Yield the call about a chunk's facts, and the one that finds facts that say the same."""
    passage = _passage_tokens(chunk) + layers.facts_tokens
    turns = chunk.stop - chunk.start + _DIALOGUE_TURNS
    call = _with_short_answer(_call("context manager", passage, FACT_WORDS, turns))
    yield call
    if layers.embeds:
        new = call.room if longest else call.answer
        prompt = layers.shown_tokens + new
        yield PlannedCall("embedding", prompt, 0, 0, 0, 0, _DIALOGUE_TURNS)


def _with_short_answer(call: PlannedCall) -> PlannedCall:
    """Return a call whose answer, an edit or facts, is expected to be shorter than it may be."""
    return replace(call, answer=call.answer // _USED_PART)


def _call(
    role: ModelRole, before: int, words: int, turns: int, read: int = 0, written: int = 0
) -> PlannedCall:
    """Plan a question after `before` tokens, for an answer of about `words` words."""
    answer, room = round(words * TOKENS_A_WORD), answer_room(words)
    return PlannedCall(role, before + _QUESTION_TOKENS, read, written, answer, room, turns)


def sum_traffic(planned: Iterable[PlannedCall], models: Mapping[str, PricedModel]) -> Usage:
    """Return the sum of the tokens that the models are likely to count for these calls.

    Where cached tokens cost no less than others, the model counts as one without a cache,
    unless it is on a server of the person's own, where a cache saves time.
    """
    total = NO_TRAFFIC
    for call in planned:
        model = models[call.role]
        usage = _likely(call, model)
        rates = model.price.rates if model.price and not model.has_one_slot else None
        if rates and rates.cache_read >= rates.input:
            usage = replace(usage, cached=0, cache_written=0)
        total = total.plus(usage)
    return total


def estimate_cost(
    planned: Iterable[PlannedCall],
    longest: Iterable[PlannedCall],
    models: Mapping[str, PricedModel],
) -> CostEstimate | None:
    """Return what `planned` likely costs, and `longest` at most; None for an unknown price.

    `models` has the model of each role.
    """
    likely = at_most = 0
    for call in planned:
        model = models[call.role]
        if model.price is None:
            return None
        likely += cost(model.price, _likely(call, model))
    for call in longest:
        model = models[call.role]
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
