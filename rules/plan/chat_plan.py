"""What to compress now, what not yet, and why: a plan is data, printed or carried out (D4, requirement 3)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

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
    memories_tokens: int
    """About how many tokens these are."""


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
    """Those whose memories the built-in engine made, and which a model can be asked for now (D8)."""
    waiting_tokens: int
    live_tokens: int
    reason: str
    """Why no more is compressed now."""
    left_out: Mapping[str, int]
    warnings: tuple[str, ...]
    estimate: Estimate
    """Tokens that the calls will send and receive, without caching."""
    fixed_tokens: int
    """Tokens that each of the agent's calls begins with: the chat's system message and the primer."""

    @property
    def calls(self) -> int:
        """Model calls when every answer is good at once."""
        return len(self.work) * CALLS_A_MEMORY

    @property
    def work(self) -> tuple[PlannedChunk, ...]:
        """All chunks that models are asked about, in the order of the work."""
        return self.again + self.chunks

    def with_again(self, numbers: Collection[int]) -> Self:
        """The same plan, in which these memories are written again."""
        again = tuple(chunk for chunk in self.made if chunk.number in numbers)
        return replace(self, again=again, estimate=total(again + self.chunks, self.fixed_tokens))


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
    stops = [*starts[1:], chunking.waiting_from][: len(starts)]
    expected = [expected_tokens(size) for size in sizes]
    planned = tuple(
        PlannedChunk(
            number=number,
            start=start,
            stop=stop,
            tokens=size,
            tail_start=starts[first],
            tail_tokens=sum(tokens[starts[first] : start]),
            memories_before=first,
            memories_tokens=sum(expected[:first]),
        )
        for number, (start, stop, size, first) in enumerate(zip(starts, stops, sizes, firsts, strict=True), 1)
    )
    return ChatPlan(
        chat_id=chat_id,
        title=title,
        messages=len(entries),
        tokens=sum(tokens),
        memories=frozen,
        made=planned[:frozen],
        chunks=planned[frozen:],
        again=(),
        waiting_tokens=chunking.waiting_tokens,
        live_tokens=chunking.live_tokens,
        reason=chunking.reason,
        left_out=dict(Counter(place.left_out for place in places if place.left_out)),
        warnings=warnings,
        estimate=total(planned[frozen:], fixed_tokens),
        fixed_tokens=fixed_tokens,
    )


def total(planned: Sequence[PlannedChunk], fixed: int) -> Estimate:
    """Tokens of all calls for these chunks; `fixed` are those of system message and primer."""
    each = [estimate(fixed, chunk.memories_tokens, chunk.tail_tokens, chunk.tokens) for chunk in planned]
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
