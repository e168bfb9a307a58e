"""The chunks of a plan, each with its tail and what stands before it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.conversation.memory import expected_tokens
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


CORE_WORDS = 150
"""How long the agent's answer may be: a few short edits."""
FACT_WORDS = 400
"""How long the context manager's answer may be: a dozen facts, as JSON."""


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
