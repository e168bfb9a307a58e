"""What to compress now, what not yet, and why: a plan is data, printed or carried out."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from rules.conversation.history import Entry
from rules.conversation.memory import SHIPPED_QUESTIONS, expected_tokens
from rules.plan.chunks import Chunking, chunks
from rules.plan.folds import Bounds, Foresight
from rules.plan.turns import Spoken
from rules.plan.work import (
    NO_LAYERS,
    Layers,
    PlannedChunk,
    Run,
    frozen,
    planned,
    unbroken,
)
from rules.plan.worth import Around, asks_agent, why_not_worth
from rules.recognize.reading import Reading
from rules.typingmind.originals import with_attachments

CALLS_A_MEMORY = 4
CALLS_A_HINDSIGHT = 2
"""Its quote is that of the memory, and its analysis is in the journal."""
CALLS_A_FOLD = 3
MOST_OF_A_MEMORY = 2
"""A memory is expected at a quarter of its chunk, and accepted at half of it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of memproc.toml that the rules obey, in tokens."""

    tail: int
    step: int
    chunk: int
    fold: Bounds


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """All that would happen to one chat. Sizes are tokens of the o200k encoding."""

    chat_id: str
    title: str
    messages: int
    tokens: int
    memories: int
    """Memories that the chat has already."""
    made: tuple[PlannedChunk, ...]
    """The chunks of the memories that the chat has, as they would be planned again."""
    chunks: tuple[PlannedChunk, ...]
    """Those that become memories now."""
    again: tuple[PlannedChunk, ...]
    """Those whose memories the built-in engine made, and which a model can be asked for now, and those whose
    raw messages have changed since."""
    hindsight: tuple[PlannedChunk, ...]
    """Those whose memories get a hindsight edition."""
    folds: tuple[int, ...]
    """The folds that will be made, about: each with the tokens of its members."""
    most_folds: tuple[int, ...]
    """The same where the memories to come are twice as large as expected, which is as large as they may be."""
    section_tokens: int
    """About how large the memory section will be, without opening and closing."""
    section_before: int
    """About how large it is for the memories that the chat has already."""
    waiting_tokens: int
    live_tokens: int
    reason: str
    """Why no more is compressed now."""
    left_out: Mapping[str, int]
    warnings: tuple[str, ...]
    fixed_tokens: int
    """Tokens that each of the agent's calls begins with: its tools, the chat's system message and the primer."""
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory."""
    attached: int = 0
    """Messages under memories that stay in the chat: they name a file, or belong to a tool call of which one does."""
    over_budget: str = ""
    """That the memory section stays larger than its budget, and why, as half a sentence; empty where it does not."""
    canned_tokens: int = 0
    """Tokens of the opening and the closing around the memories."""
    layers: Layers = NO_LAYERS
    """What is done after the memories for core memory and facts."""

    @property
    def calls(self) -> int:
        """Model calls when every answer is good at once."""
        memories = sum(chunk.asks_agent for chunk in self.again + self.chunks)
        others = len(self.hindsight) * CALLS_A_HINDSIGHT + len(self.folds) * CALLS_A_FOLD
        return memories * CALLS_A_MEMORY + others + self.layers.calls

    @property
    def work(self) -> tuple[PlannedChunk, ...]:
        """All chunks that models are asked about, in the order of the work."""
        return self.again + self.hindsight + self.chunks

    @property
    def looking_back(self) -> range:
        """The places in `work` of those that get a hindsight edition."""
        return range(len(self.again), len(self.again) + len(self.hindsight))

    def with_more(self, again: Collection[int], hindsight: Collection[int]) -> Self:
        """The same plan, in which these memories are written again, and these with hindsight."""
        return replace(
            self,
            again=tuple(chunk for chunk in self.made if chunk.number in again),
            hindsight=tuple(chunk for chunk in self.made if chunk.number in hindsight),
        )


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A chat on which there is nothing to do, and why."""

    chat_id: str
    title: str
    reason: str


def plan_chat(
    chat_id: str,
    title: str,
    reading: Reading,
    tokens: Sequence[int],
    limits: Limits,
    warnings: tuple[str, ...],
    fixed_tokens: int,
    around: Around | None = None,
) -> ChatPlan:
    """The plan for one chat. `tokens` are those of its entries, one by one; `fixed_tokens` those of the primer.

    Without `around` memories are planned whether or not they are worth it.
    """
    entries = reading.entries
    begin = sum(entry.memory is not None for entry in entries)
    spoken = [Spoken(_role(entry), n, entry.message.calls_tools) for entry, n in zip(entries, tokens, strict=True)]
    has_memories = bool(reading.memories)
    by_model = around is not None and around.by_model
    questions = around.questions if around else SHIPPED_QUESTIONS
    chunking = chunks(spoken, begin, limits.chunk, limits.tail)
    formed = [chunk.tokens for chunk in chunking.chunks]
    if around and (why := why_not_worth(formed, around, has_memories=has_memories)):
        chunking = _all_waiting(chunking, begin, why)
    made = frozen(entries, tokens)
    first = 1 + len(reading.chunk_memories)
    new = [Run(number, one.start, one.stop, one.tokens) for number, one in enumerate(chunking.chunks, first)]
    sizes = Foresight(chat_id, reading.memories, [expected_tokens(run.tokens, questions) for run in new], limits.fold)
    rows = tuple(
        replace(
            chunk, asks_agent=asks_agent(entries[chunk.start : chunk.stop], chunk.tokens, questions, by_model=by_model)
        )
        for row in unbroken(made + new)
        for chunk in planned(row, tokens, limits.tail, limits.step, sizes, questions)
    )
    return ChatPlan(
        chat_id=chat_id,
        title=title,
        messages=len(entries),
        tokens=sum(tokens),
        memories=len(reading.chunk_memories),
        made=rows[: len(made)],
        chunks=rows[len(made) :],
        again=(),
        hindsight=(),
        folds=sizes.folds_to_make(),
        most_folds=replace(sizes, longest=MOST_OF_A_MEMORY).folds_to_make(),
        section_tokens=sizes.before(len(reading.chunk_memories) + len(new)),
        section_before=sizes.before(len(reading.chunk_memories)),
        waiting_tokens=chunking.waiting_tokens,
        live_tokens=chunking.live_tokens,
        reason=chunking.reason,
        left_out=dict(Counter(place.left_out for place in reading.places if place.left_out and not place.original)),
        warnings=warnings,
        fixed_tokens=fixed_tokens,
        questions_tokens=questions,
        attached=_attached(reading, made + new),
        over_budget=sizes.over_budget(),
        canned_tokens=around.canned if around and (has_memories or new) else 0,
    )


def _attached(reading: Reading, runs: Sequence[Run]) -> int:
    """How many messages of these chunks stay in the export for their attachments, and are not kept there already."""
    staying = 0
    for run in runs:
        places = [reading.places[entry.at] for entry in reading.entries[run.start : run.stop] if entry.at is not None]
        kept = with_attachments([place.message for place in places])
        staying += sum(not places[index].original for index in kept)
    return staying


def _all_waiting(chunking: Chunking, begin: int, why: str) -> Chunking:
    """The same, where nothing becomes a memory now."""
    waiting = chunking.waiting_tokens + sum(chunk.tokens for chunk in chunking.chunks)
    return Chunking((), begin, waiting, chunking.live_tokens, why)


def _role(entry: Entry) -> str:
    return entry.message.role or "user"
