"""The chunks of a plan, each with its tail and what stands before it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.conversation.memory import expected_fold_tokens, expected_tokens
from rules.plan.chunks import tails
from rules.plan.folds import Foresight


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
    """How many memories, from the first on, are of what comes before its tail."""
    memories_tokens: int
    """About how many tokens these are, folded."""
    memory_tokens: int
    """About how many tokens its memory will have."""
    asks_agent: bool = True
    """Otherwise no model is asked for its memory, and the built-in engine says what was there."""


@dataclass(frozen=True, slots=True)
class Run:
    """A chunk, made or to be made: entries from `start` up to but not including `stop`."""

    number: int
    start: int
    stop: int
    tokens: int


def planned(
    row: Sequence[Run], tokens: Sequence[int], keep: int, step: int, sizes: Foresight, questions: int
) -> list[PlannedChunk]:
    """The chunks of an unbroken row, each with its tail; what stands before a tail stands there as memories."""
    starts = tails([run.tokens for run in row], keep, step)
    before = {first: sizes.before(row[first].number - 1) for first in set(starts)}
    return [
        PlannedChunk(
            number=run.number,
            start=run.start,
            stop=run.stop,
            tokens=run.tokens,
            tail_start=row[first].start,
            tail_tokens=sum(tokens[row[first].start : run.start]),
            memories_before=row[first].number - 1,
            memories_tokens=before[first],
            memory_tokens=expected_tokens(run.tokens, questions),
        )
        for run, first in zip(row, starts, strict=True)
    ]


def unbroken(runs: Sequence[Run]) -> list[list[Run]]:
    """The chunks in rows: where memories stand between two of them whose raw messages nobody knows, a row ends."""
    rows: list[list[Run]] = []
    for run in runs:
        if rows and rows[-1][-1].number == run.number - 1:
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def frozen(entries: Sequence[Entry], tokens: Sequence[int]) -> list[Run]:
    """The chunks that have memories, of which `tokens` are those of each message."""
    numbers = [entry.memory for entry in entries]
    starts = [at for at, n in enumerate(numbers) if n is not None and (at == 0 or numbers[at - 1] != n)]
    stops = [*starts[1:], sum(n is not None for n in numbers)]
    return [
        Run(numbers[start] or 0, start, stop, sum(tokens[start:stop]))
        for start, stop in zip(starts, stops, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens of all requests and of all answers of a plan. Caching is not taken into account."""

    agent_in: int
    context_manager_in: int
    out: int

    def plus(self, other: "Estimate") -> "Estimate":
        """Both together."""
        return Estimate(
            self.agent_in + other.agent_in,
            self.context_manager_in + other.context_manager_in,
            self.out + other.out,
        )


def estimate(fixed: int, memories: int, tail: int, chunk: int, memory: int) -> Estimate:
    """The four calls of one chunk: three on the agent's whole context, one on the chunk alone.

    `fixed` is system message and primer, `memories` are those before the tail. The dialogue
    grows by half a memory until the last question.
    """
    context = fixed + memories + tail + chunk
    return Estimate(agent_in=3 * context + memory, context_manager_in=chunk, out=memory)


def estimate_hindsight(before: int, chunk: int, after: int, memory: int) -> Estimate:
    """The two calls of a hindsight edition, on the whole context `before` the chunk and what came `after` it."""
    return Estimate(agent_in=2 * (before + chunk + after) + memory, context_manager_in=0, out=memory * 2 // 3)


def estimate_fold(fixed: int, members: int) -> Estimate:
    """The three calls of a fold whose members have so many tokens."""
    fold = expected_fold_tokens(members)
    return Estimate(agent_in=2 * (fixed + members) + fold // 2, context_manager_in=members, out=fold)


CORE_WORDS = 150
"""How long the agent's answer may be: a few short edits."""
FACT_WORDS = 400
"""How long the context manager's answer may be: a dozen facts, as JSON."""
_ANSWERED = 3
"""About the share of such an answer that is used: one in so many tokens."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The chunks after whose memories each layer is looked after, oldest first; one after the other."""

    core: tuple[PlannedChunk, ...] = ()
    """One call of the agent each, behind the very dialogue that made the memory."""
    facts: tuple[PlannedChunk, ...] = ()
    """One call of the context manager each."""
    core_tokens: int = 0
    """About how many tokens the question about the sections has, with the sections in it."""
    facts_tokens: int = 0
    """The same for the question about facts, with as many of them as are shown."""
    shown_tokens: int = 0
    """Of these, the facts themselves."""
    embeds: bool = False
    """One further call for each chunk tells which facts are the same in other words."""

    @property
    def calls(self) -> int:
        """Model calls when every answer is good at once."""
        return len(self.core) + len(self.facts) * (2 if self.embeds else 1)


NO_LAYERS = Layers()
"""Both are switched off, or nothing is due."""


def chosen(rows: Sequence[PlannedChunk], numbers: Collection[int]) -> tuple[PlannedChunk, ...]:
    """Those chunks, in the order of their numbers."""
    return tuple(sorted((chunk for chunk in rows if chunk.number in numbers), key=lambda chunk: chunk.number))


def estimate_layers(layers: Layers, fixed: int) -> Estimate:
    """Tokens of all these calls, without caching; `fixed` are those of system message and primer."""
    context = [fixed + one.memories_tokens + one.tail_tokens + one.tokens + one.memory_tokens for one in layers.core]
    return Estimate(
        agent_in=sum(context) + len(context) * layers.core_tokens,
        context_manager_in=sum(one.tokens + layers.facts_tokens for one in layers.facts),
        out=len(layers.core) * CORE_WORDS // _ANSWERED + len(layers.facts) * FACT_WORDS // _ANSWERED,
    )
