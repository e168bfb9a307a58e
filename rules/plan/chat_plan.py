"""Plan a chat: what becomes a memory now, what waits, and why."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from rules.conversation.history import Entry
from rules.conversation.memory_size import (
    SHIPPED_QUESTIONS,
    expected_tokens,
    is_enough_for_a_model,
    least_for_a_model,
    most_tokens,
)
from rules.conversation.quote import can_be_quoted
from rules.errors import ChatSkipped
from rules.plan.chunks import Chunking, Splitter, Spoken, by_topics, form_chunks
from rules.plan.dialogues import EXTRACTED, FOLD, HINDSIGHT, MEMORY, Step
from rules.plan.fold_budget import Bounds
from rules.plan.foresight import Coming, Foresight
from rules.plan.work import (
    NO_LAYERS,
    QUESTIONS,
    Layers,
    PlannedChunk,
    choose_chunks,
    chunks_made,
    plan_chunks,
)
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.dates import parse_date
from rules.typingmind.originals import with_attachments
from rules.wording import counted

MOST_OF_A_MEMORY = 2
"""A memory is expected to have a quarter of its chunk's tokens, and may have up to twice that."""
_LAYER_PART = 20
"""Core memory and facts grow by about one token for this many tokens of chunks."""


def refuse_doubled(chat: Chat, doubled: frozenset[str]) -> None:
    """Raise ChatSkipped where two chats of the export have this id, as either may be meant."""
    if chat.chat_id in doubled:
        raise ChatSkipped(
            f"This export has two chats with the id {chat.chat_id}; TypingMind would keep only "
            "one.",
            "Export the chat that you mean by itself.",
        )


def doubled_ids(chat_ids: Iterable[str]) -> frozenset[str]:
    """Return the ids that several chats of an export share; TypingMind would keep only the last."""
    return frozenset(chat_id for chat_id, times in Counter(chat_ids).items() if times > 1)


@dataclass(frozen=True, slots=True)
class Limits:
    """The settings of memproc.toml that a plan depends on; sizes are in tokens."""

    tail: int
    step: int
    chunk: int
    fold: Bounds
    split: Splitter = by_topics
    """Decides where chunks end."""
    request: int | None = None
    """The most tokens of a request to the agent, as we count them; None where unknown."""


@dataclass(frozen=True, slots=True)
class Overhead:
    """The tokens that a chat takes besides its messages, and what writes its memories."""

    canned: int = 0
    """Tokens of the opening and the closing."""
    fixed: int = 0
    """Tokens at the beginning of each of the agent's calls: tools, system message and primer."""
    questions: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory."""
    has_layers: bool = False
    """Whether core memory or facts are added to the opening."""
    by_model: bool = False
    """Whether a model writes, and not the built-in engine."""


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """Everything that would happen to one chat. Sizes are tokens of the o200k encoding."""

    chat_id: str
    title: str
    messages: int
    tokens: int
    memories: int
    """How many memories the chat has already."""
    made: tuple[PlannedChunk, ...]
    """The chunks of the memories that the chat has, as they would be planned again."""
    chunks: tuple[PlannedChunk, ...]
    """The chunks that become memories now."""
    again: tuple[PlannedChunk, ...]
    """The chunks whose memories are written again, without those of `hindsight`:
    daemon/chat/work_due.py says why."""
    hindsight: tuple[PlannedChunk, ...]
    """The chunks whose memories get a hindsight edition."""
    folds: tuple[int, ...]
    """The tokens that each fold to come will read, approximately."""
    most_folds: tuple[int, ...]
    """The same if the memories to come are twice as large as expected, the most they may be."""
    section_tokens: int
    """The expected size of the memory section, without opening and closing."""
    section_before: int
    """The present size of that section, approximately."""
    waiting_tokens: int
    live_tokens: int
    reason: str
    """Why no more is compressed now."""
    left_out: Mapping[str, int]
    warnings: tuple[str, ...]
    fixed_tokens: int
    """Tokens at the beginning of each of the agent's calls: tools, system message and primer."""
    questions_tokens: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory."""
    attached: int = 0
    """How many messages under memories stay, since they or their tool call refer to a file."""
    over_budget: str = ""
    """Why the memory section stays larger than its budget, as a clause; else empty."""
    largest_section: int = 0
    """The tokens that the memory section may finally take, without quotes and wishes."""
    canned_tokens: int = 0
    """Tokens of the opening and the closing around the memories."""
    layers: Layers = NO_LAYERS
    """The work on core memory and facts after the memories."""
    kept: tuple[str, ...] = ()
    """Clauses on the passages that the person keeps word for word."""
    extracts: bool = False
    """Whether the built-in engine writes, and a model is asked only for the analysis."""

    @property
    def calls(self) -> int:
        """Count the model calls, provided that every answer is accepted at once."""
        about_chunks = sum(len(self.steps_at(place)) for place in range(len(self.work)))
        return about_chunks + len(self.folds) * len(self.fold_steps) + self.layers.calls

    def steps_at(self, place: int) -> tuple[Step, ...]:
        """Return the questions that are asked about the chunk at an index of `work`."""
        if place in self.hindsight_places:
            return HINDSIGHT
        if not self.work[place].asks_agent:
            return ()
        return EXTRACTED if self.extracts else MEMORY

    @property
    def fold_steps(self) -> tuple[Step, ...]:
        """Return the questions that are asked about each fold."""
        return EXTRACTED if self.extracts else FOLD

    @property
    def work(self) -> tuple[PlannedChunk, ...]:
        """Return all chunks to work on, in the order of the work."""
        return self.again + self.hindsight + self.chunks

    @property
    def hindsight_places(self) -> range:
        """Return the indices in `work` of the chunks whose memories get a hindsight edition."""
        return range(len(self.again), len(self.again) + len(self.hindsight))

    def with_more(self, again: Collection[int], hindsight: Collection[int]) -> Self:
        """Return the plan with the memories of these numbers written again, and given hindsight."""
        return replace(
            self,
            again=choose_chunks(self.made, again),
            hindsight=choose_chunks(self.made, hindsight),
        )


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A chat with nothing to do, and the reason."""

    chat_id: str
    title: str
    reason: str
    path: str = field(default="", kw_only=True)
    """The updated export that was made of this state of the chat; empty where there is none."""
    next_step: str = field(default="", kw_only=True)
    """How to bring more of it from another program's export; else empty."""


def plan_chat(
    chat_id: str,
    title: str,
    reading: ChatReading,
    tokens: Sequence[int],
    limits: Limits,
    overhead: Overhead,
) -> ChatPlan:
    """Plan a chat without rework, which `with_more` adds; `tokens` are those of its entries."""
    chunking, memories, planned = _look_ahead(chat_id, reading, tokens, limits, overhead)
    had, new = len(reading.chunk_memories), len(chunking.chunks)
    return ChatPlan(
        chat_id=chat_id,
        title=title,
        messages=len(reading.entries),
        tokens=sum(tokens),
        memories=had,
        made=tuple(chunk for chunk in planned if chunk.number <= had),
        chunks=tuple(chunk for chunk in planned if chunk.number > had),
        again=(),
        hindsight=(),
        folds=memories.folds_to_make(),
        most_folds=replace(memories, longest=MOST_OF_A_MEMORY).folds_to_make(),
        section_tokens=memories.before(had + new),
        section_before=memories.before(had),
        waiting_tokens=chunking.waiting_tokens,
        live_tokens=chunking.live_tokens,
        reason=_why_no_more(chunking, reading, sum(tokens), limits.tail),
        left_out=_left_out(reading),
        warnings=tuple(_warnings(reading, memories, overhead)),
        fixed_tokens=overhead.fixed,
        questions_tokens=overhead.questions,
        attached=_count_attached(reading, planned),
        over_budget=memories.over_budget(),
        largest_section=limits.fold.at(memories.raw_tokens),
        canned_tokens=overhead.canned if reading.memories or new else 0,
    )


def _look_ahead(
    chat_id: str,
    reading: ChatReading,
    tokens: Sequence[int],
    limits: Limits,
    overhead: Overhead,
) -> tuple[Chunking, Foresight, list[PlannedChunk]]:
    """Return the chunks to come, the memory section as it will be, and all chunks as planned.

    Chunks with memories come first.
    """
    made = chunks_made(reading.entries, tokens)
    chunking = _form_chunks(reading, tokens, limits, overhead)
    new = dict(enumerate(chunking.chunks, 1 + len(reading.chunk_memories)))
    to_come = [
        Coming(expected_tokens(chunk.tokens, overhead.questions), chunk.tokens)
        for chunk in new.values()
    ]
    memories = Foresight(chat_id, reading.memories, to_come, limits.fold)
    room = limits.request and limits.request - overhead.fixed - QUESTIONS
    all_chunks, questions = made | new, overhead.questions
    rows = plan_chunks(all_chunks, tokens, limits.tail, limits.step, memories, questions, room)
    planned: list[PlannedChunk] = []
    for chunk in rows:
        inside = reading.entries[chunk.start : chunk.stop]
        by_model = overhead.by_model
        asks = asks_agent(inside, chunk.tokens, questions, by_model=by_model)
        planned.append(replace(chunk, asks_agent=asks))
    return chunking, memories, planned


def _why_no_more(chunking: Chunking, reading: ChatReading, tokens: int, tail: int) -> str:
    if reading.chunk_memories or tokens > tail:
        return chunking.reason
    begins = f"memproc begins where a chat is longer than its live tail of {tail:,}."
    return f"It has {tokens:,} tokens; {begins}"


def _left_out(reading: ChatReading) -> dict[str, int]:
    return dict(
        Counter(
            place.left_out
            for place in reading.places
            if place.left_out and not place.original and not place.is_copy
        )
    )


def _warnings(reading: ChatReading, memories: Foresight, overhead: Overhead) -> Iterator[str]:
    """Yield warnings on messages that occur repeatedly, and on folds that are made from folds."""
    if copies := sum(place.is_copy for place in reading.places):
        what = counted(
            copies, "message is a copy of another one", "messages are copies of other ones"
        )
        yield f"{what} in the same chat: each is counted once, and a copy leaves with its message"
    if overhead.by_model and (beyond := memories.folds_beyond()):
        folds = counted(beyond, "fold is made", "folds are made")
        yield (
            f"{folds} from folds and not from the memories under them, which would be too much to "
            "read: a larger fold.budget keeps more"
        )


def _form_chunks(
    reading: ChatReading, tokens: Sequence[int], limits: Limits, overhead: Overhead
) -> Chunking:
    """Form the chunks after those with memories; none if memories of them would not be worth it."""
    spoken = []
    for entry, count in zip(reading.entries, tokens, strict=True):
        message = entry.message
        date = parse_date(message.created_at)
        minute = int(date.timestamp()) // 60 if date else 0
        role = message.role or "user"
        spoken.append(Spoken(role, count, message.calls_tools, message.text, minute))
    begin = sum(entry.memory is not None for entry in reading.entries)
    chunking = form_chunks(spoken, begin, limits.chunk, limits.tail, limits.split)
    formed = [chunk.tokens for chunk in chunking.chunks]
    why = why_not_worthwhile(formed, overhead, has_memories=bool(reading.memories))
    if not why:
        return chunking
    return Chunking((), chunking.waiting_tokens + sum(formed), chunking.live_tokens, why)


def why_not_worthwhile(chunks: Sequence[int], overhead: Overhead, *, has_memories: bool) -> str:
    """Return why no memories should be made of chunks of these sizes; "" where they should.

    The reason is a sentence.

    Memories and what surrounds them must not take more than what they replace, and a chunk must
    have enough for what a model writes about it: nothing is paid for that would be refused, or
    would make the chat longer.
    """
    replaced = sum(chunks)
    if not replaced:
        return ""
    average = replaced // len(chunks)
    if overhead.by_model and not is_enough_for_a_model(average, overhead.questions):
        return (
            f"Its chunks of about {average:,} tokens are too small for what a model writes about "
            "them. They wait until there is more to cut, or until chunk.tokens in memproc.toml is "
            "larger, "
            f"{least_for_a_model(overhead.questions)} or more."
        )
    canned = 0 if has_memories else overhead.canned
    layers = replaced // _LAYER_PART if overhead.has_layers else 0
    needed = sum(most_tokens(chunk, overhead.questions) for chunk in chunks) + canned + layers
    if needed <= replaced:
        return ""
    return (
        f"Nothing would be saved: {replaced:,} tokens could become memories, which may take "
        f"{needed:,} with their opening. They wait until there is more."
    )


def asks_agent(chunk: Sequence[Entry], tokens: int, questions: int, *, by_model: bool) -> bool:
    """Return whether the agent is asked for the memory of a chunk; otherwise the engine makes it.

    Something must have been said in words. A model (`by_model`) is asked only where the chunk has
    enough for what it writes: else its answers would be paid for and refused.
    """
    return can_be_quoted(chunk) and (not by_model or is_enough_for_a_model(tokens, questions))


def _count_attached(reading: ChatReading, under_memories: Sequence[PlannedChunk]) -> int:
    """Count these chunks' messages that stay for their attachments, and are not marked so yet."""
    staying = 0
    for chunk in under_memories:
        entries = reading.entries[chunk.start : chunk.stop]
        places = [reading.places[entry.at] for entry in entries if entry.at is not None]
        attached = with_attachments([place.message for place in places])
        staying += sum(not places[index].original for index in attached)
    return staying
