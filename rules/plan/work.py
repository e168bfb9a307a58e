"""The work on a chat as data: its chunks, its rounds of hindsight, its layers.

A round begins when new chunks are planned, and ends when the last of them has its memory. A round
that was interrupted goes on as it was begun, so that a kill does not change its results.

A chunk's requests must fit into what the model holds at its usual price:

    request    system message and primer | memories | tail | chunk | dialogue and answers
    limit      the model's window, or where its price rises if that comes first; with room to spare

Where one does not fit, its tail is shortened, chunk by chunk, and memories take the place of these
chunks. How far depends only on the raw messages, not on how the memories turned out, so a request
is the same on any day.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from rules.conversation.history import Entry
from rules.conversation.memory import WRITTEN, Memory
from rules.conversation.memory_size import expected_tokens
from rules.plan.chunks import Chunk, find_tails
from rules.plan.foresight import Coming, Foresight

CORE_WORDS = 150
"""The most words of the agent's answer about core memory: a few short edits."""
FACT_WORDS = 400
"""The most words of the context manager's answer about facts: a dozen, as JSON."""
QUESTIONS = 600
"""The tokens of a dialogue's questions, and of the last answer's room beyond its own length."""
_MOST_OF_BUDGET = 2
"""The memories before a tail take less than this many times their budget.

Quotes and the newest memory are included.
"""
HINDSIGHT_TOKENS = 8_000
"""The most tokens of what came afterwards that a hindsight edition sees."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of hindsight."""

    upto: int = 0
    """The number of the memory that its last chunk becomes."""
    chosen: Collection[str] = ()
    """The ids of the memories that are to get a hindsight edition."""
    had: Collection[str] = ()
    """The ids of the memories that had their turn, whether or not an edition came of it."""
    numbers: Collection[int] = ()
    """The numbers of the chosen memories that can get their edition now."""


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """A chunk that becomes memory `number`. `start`, `stop` and `tail_start` index the history."""

    number: int
    start: int
    stop: int
    tokens: int
    tail_start: int
    tail_tokens: int
    memories_before: int
    """How many memories, from the first on, come before its tail."""
    memories_tokens: int
    """The expected tokens of these memories, folded."""
    memory_tokens: int
    """The expected tokens of its memory."""
    asks_agent: bool = True
    """Whether the agent is asked for its memory; otherwise the built-in engine makes it."""


@dataclass(frozen=True, slots=True)
class Layers:
    """For each layer, the chunks after whose memories it is updated, oldest first."""

    core: tuple[PlannedChunk, ...] = ()
    """Each takes one call of the agent, at the end of the dialogue that made the memory."""
    facts: tuple[PlannedChunk, ...] = ()
    """Each takes one call of the context manager."""
    core_tokens: int = 0
    """The expected tokens of the question about the sections, including the sections."""
    facts_tokens: int = 0
    """The expected tokens of the question about facts, including the facts that it shows."""
    shown_tokens: int = 0
    """The tokens of these facts alone."""
    embeds: bool = False
    """Whether a further call for each chunk finds facts that say the same in other words."""

    @property
    def calls(self) -> int:
        """Count the model calls, provided that every answer is accepted at once."""
        return len(self.core) + len(self.facts) * (2 if self.embeds else 1)


NO_LAYERS = Layers()
"""Both layers are switched off, or nothing is due."""


def hindsight_round(
    last: Round,
    memories: Sequence[Memory],
    new: int,
    most: int,
    again: Collection[int] = (),
    held: Collection[str] = (),
) -> Round:
    """Return the round to go on with, or the round that `new` chunks begin.

    `memories` are those of chunks, oldest first; the newest `most` of them get hindsight. `again`
    are the numbers of those that are written again first, `held` the ids of those that the export
    would go on showing unchanged.
    """
    chosen, upto = set(last.chosen), last.upto
    if new and len(memories) >= last.upto:
        upto = len(memories) + new
        newest = memories[max(0, len(memories) - most) :]
        chosen |= {memory.memory_id for memory in newest}.difference(last.had)
    open_now = chosen.difference(held) if most else ()
    numbers = tuple(
        memory.number
        for memory in memories
        if memory.memory_id in open_now and _may_look_back(memory, again)
    )
    return Round(upto, frozenset(chosen), last.had, numbers)


def _may_look_back(memory: Memory, again: Collection[int]) -> bool:
    """Return whether a memory can get hindsight.

    It must be written by a model and not edited, and its raw messages must be known.
    """
    if not (memory.keys and memory.may_be_rewritten):
        return False
    return memory.number in again or (memory.in_prompts.made == WRITTEN and not memory.due)


def chunks_made(entries: Sequence[Entry], tokens: Sequence[int]) -> dict[int, Chunk]:
    """Return by number the chunks that have memories; `tokens` are those of each message."""
    chunks: dict[int, Chunk] = {}
    start = 0
    for number, row in groupby(entries, key=lambda entry: entry.memory):
        stop = start + sum(1 for _ in row)
        if number is not None:
            chunks[number] = Chunk(start, stop, sum(tokens[start:stop]))
        start = stop
    return chunks


def plan_chunks(
    chunks: Mapping[int, Chunk],
    tokens: Sequence[int],
    keep: int,
    step: int,
    memories: Foresight,
    questions: int,
    room: int | None = None,
) -> list[PlannedChunk]:
    """Return the chunks, each with its tail and with the memories that cover what precedes it.

    `chunks` are by the numbers of their memories; `tokens` are those of each message, `keep` and
    `step` the settings of the tail. `room` is how many tokens a request may have for memories,
    tail, chunk and the chunk's memory; None where unknown.
    """
    result: list[PlannedChunk] = []
    for row in _rows(chunks):
        firsts = [
            row[at] for at in find_tails([chunks[number].tokens for number in row], keep, step)
        ]
        if room is not None:
            firsts = _shorten_tails(row, firsts, chunks, memories, questions, room)
        before = {first: memories.before(first - 1) for first in set(firsts)}
        for number, first in zip(row, firsts, strict=True):
            chunk, tail_start = chunks[number], chunks[first].start
            result.append(
                PlannedChunk(
                    number=number,
                    start=chunk.start,
                    stop=chunk.stop,
                    tokens=chunk.tokens,
                    tail_start=tail_start,
                    tail_tokens=sum(tokens[tail_start : chunk.start]),
                    memories_before=first - 1,
                    memories_tokens=before[first],
                    memory_tokens=expected_tokens(chunk.tokens, questions),
                )
            )
    return result


def _shorten_tails(
    row: Sequence[int],
    firsts: Sequence[int],
    chunks: Mapping[int, Chunk],
    memories: Foresight,
    questions: int,
    room: int,
) -> list[int]:
    """Return the number of the chunk that each tail begins with so that its request fits.

    Its own number means no tail.
    """
    expected = {
        number: Coming(expected_tokens(chunk.tokens, questions), chunk.tokens)
        for number, chunk in chunks.items()
    }
    foreseen = replace(memories, memories=(), coming=tuple(expected.values()))
    before = cache(lambda number: foreseen.before(list(chunks).index(number)))
    most = _MOST_OF_BUDGET * memories.bounds.at(foreseen.raw_tokens)
    begins: list[int] = []
    begin = row[0]
    for number, first in zip(row, firsts, strict=True):
        begin = max(begin, first)
        left = room - chunks[number].tokens - expected[number].tokens
        left -= sum(chunks[earlier].tokens for earlier in range(begin, number))
        # Estimating the memories takes time, so it is done only where they may not fit.
        while begin < number and left < most and before(begin) > left:
            left += chunks[begin].tokens
            begin += 1
        begins.append(begin)
    return begins


def _rows(numbers: Iterable[int]) -> list[list[int]]:
    """Split the numbers of memories at gaps, which are memories with unknown raw messages."""
    rows: list[list[int]] = []
    for number in numbers:
        if rows and rows[-1][-1] == number - 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    return rows


def choose_chunks(
    rows: Sequence[PlannedChunk], numbers: Collection[int]
) -> tuple[PlannedChunk, ...]:
    """Return the planned chunks with these numbers, in order."""
    return tuple(
        sorted((chunk for chunk in rows if chunk.number in numbers), key=lambda chunk: chunk.number)
    )
