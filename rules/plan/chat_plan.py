"""What to compress now, what not yet, and why: a plan is data, printed or carried out (D4, requirement 3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.history.entries import Entry
from rules.history.recognise import Place
from rules.memory.memory import expected_tokens
from rules.plan.chunk import chunks
from rules.plan.estimate import Estimate, estimate
from rules.plan.tail import tails
from rules.plan.turn import Spoken

CALLS_A_MEMORY = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of memproc.toml that the rules obey, in tokens."""

    tail: int
    step: int
    chunk: int


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """A chunk that becomes memory `number`. `start`, `stop` and `tail_start` index the history's entries."""

    number: int
    start: int
    stop: int
    tokens: int
    tail_start: int
    tail_tokens: int
    memories_before: int
    """How many memories, from the first on, stand before its tail (requirement 10.2)."""


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """All that would happen to one chat. Sizes are tokens of the o200k encoding."""

    chat_id: str
    title: str
    messages: int
    tokens: int
    memories: int
    """Memories that the chat has already."""
    chunks: tuple[PlannedChunk, ...]
    waiting_tokens: int
    live_tokens: int
    reason: str
    """Why no more is compressed now."""
    left_out: Mapping[str, int]
    warnings: tuple[str, ...]
    estimate: Estimate
    """Tokens that the calls will send and receive, without caching."""

    @property
    def calls(self) -> int:
        """Model calls when every answer is good at once."""
        return len(self.chunks) * CALLS_A_MEMORY


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A chat on which there is nothing to do, and why."""

    chat_id: str
    title: str
    reason: str


def plan_chat(
    chat_id: str,
    title: str,
    entries: Sequence[Entry],
    tokens: Sequence[int],
    places: Sequence[Place],
    limits: Limits,
    warnings: tuple[str, ...],
    fixed_tokens: int,
) -> ChatPlan:
    """The plan for one chat. `tokens` are those of `entries`, one by one; `fixed_tokens` those of the primer."""
    begin = sum(entry.memory is not None for entry in entries)
    spoken = [Spoken(_role(entry), n, entry.message.calls_tools) for entry, n in zip(entries, tokens, strict=True)]
    chunking = chunks(spoken, begin, limits.chunk, limits.tail)
    starts = _frozen_starts(entries) + [chunk.start for chunk in chunking.chunks]
    sizes = [sum(tokens[start:stop]) for start, stop in zip(starts, [*starts[1:], begin], strict=False)]
    sizes[len(sizes) - len(chunking.chunks) :] = [chunk.tokens for chunk in chunking.chunks]
    firsts = tails(sizes, limits.tail, limits.step)
    frozen = len(starts) - len(chunking.chunks)
    planned = tuple(
        PlannedChunk(
            number=frozen + number,
            start=chunk.start,
            stop=chunk.stop,
            tokens=chunk.tokens,
            tail_start=starts[firsts[frozen + number - 1]],
            tail_tokens=sum(tokens[starts[firsts[frozen + number - 1]] : chunk.start]),
            memories_before=firsts[frozen + number - 1],
        )
        for number, chunk in enumerate(chunking.chunks, 1)
    )
    return ChatPlan(
        chat_id=chat_id,
        title=title,
        messages=len(entries),
        tokens=sum(tokens),
        memories=frozen,
        chunks=planned,
        waiting_tokens=chunking.waiting_tokens,
        live_tokens=chunking.live_tokens,
        reason=chunking.reason,
        left_out=dict(Counter(place.left_out for place in places if place.left_out)),
        warnings=warnings,
        estimate=_estimate(planned, sizes, fixed_tokens),
    )


def _estimate(planned: Sequence[PlannedChunk], sizes: Sequence[int], fixed: int) -> Estimate:
    made = [expected_tokens(size) for size in sizes]
    each = [estimate(fixed, made[: chunk.memories_before], chunk.tail_tokens, chunk.tokens) for chunk in planned]
    return Estimate(
        agent_in=sum(one.agent_in for one in each),
        context_manager_in=sum(one.context_manager_in for one in each),
        out=sum(one.out for one in each),
    )


def _role(entry: Entry) -> str:
    return entry.message.role or "user"


def _frozen_starts(entries: Sequence[Entry]) -> list[int]:
    numbers = [entry.memory for entry in entries]
    return [at for at, n in enumerate(numbers) if n is not None and (at == 0 or numbers[at - 1] != n)]
