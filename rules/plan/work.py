"""The work on a chat as data: its chunks, its rounds of hindsight, its layers.

A round is begun when new chunks are planned, and is over when the last of them has its memory. One
that was broken off goes on as it was begun, so that a kill changes nothing of what comes of it.

A chunk's requests must fit into what the model holds at its usual price:

    request    system message and primer | memories | tail | chunk | dialogue and answers
    limit      the model's window, or where its price rises if that comes first; with room to spare

Where one does not, its tail gives way, chunk by chunk, and memories come in its place. How far it does
depends on the raw messages alone, not on what the memories became: a request is the same on any day.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from rules.conversation.history import Entry
from rules.conversation.memory import WRITTEN, Memory
from rules.conversation.memory_size import expected_tokens
from rules.plan.chunks import Chunk, tails
from rules.plan.foresight import Coming, Foresight

CORE_WORDS = 150
"""The most words of the agent's answer: a few short edits."""
FACT_WORDS = 400
"""The most words of the context manager's answer: a dozen facts, as JSON."""
QUESTIONS = 600
"""Tokens of the questions and of the room that the last answer has beyond its own length."""
_MOST_OF_BUDGET = 2
"""Memories before a tail take less than so many times their budget, quotes and the newest among them."""
HINDSIGHT_TOKENS = 8_000
"""What a hindsight edition sees of what came afterwards."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was begun last."""

    upto: int = 0
    """Number of the memory that its last chunk becomes."""
    chosen: Collection[str] = ()
    """Ids of the memories that get a hindsight edition and have none yet."""
    had: Collection[str] = ()
    """Ids of those whose turn is over, with an edition or without."""
    numbers: Collection[int] = ()
    """Numbers of the chosen memories for which that can be done now."""


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
    """The number of memories, from the first on, that come before its tail."""
    memories_tokens: int
    """The expected tokens of these, folded."""
    memory_tokens: int
    """The expected tokens of its memory."""
    asks_agent: bool = True
    """Otherwise no model is asked for its memory, and the built-in engine makes it."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The chunks after whose memories each layer is updated, oldest first, one after the other."""

    core: tuple[PlannedChunk, ...] = ()
    """One call of the agent each, after the very dialogue that made the memory."""
    facts: tuple[PlannedChunk, ...] = ()
    """One call of the context manager each."""
    core_tokens: int = 0
    """The expected tokens of the question about the sections, with the sections in it."""
    facts_tokens: int = 0
    """The same for the question about facts, with as many of them as are shown."""
    shown_tokens: int = 0
    """The tokens of the facts themselves among these."""
    embeds: bool = False
    """One further call for each chunk tells which facts are the same in other words."""

    @property
    def calls(self) -> int:
        """Count the model calls, if every answer is good at once."""
        return len(self.core) + len(self.facts) * (2 if self.embeds else 1)


NO_LAYERS = Layers()
"""Both are switched off, or nothing is due."""


def hindsight_round(
    last: Round,
    memories: Sequence[Memory],
    new: int,
    most: int,
    again: Collection[int] = (),
    held: Collection[str] = (),
) -> Round:
    """Return the round to go on with, or the one that `new` chunks begin.

    `memories` are those of chunks, oldest first; `most` of them get hindsight, or none if it is 0;
    `again` are the numbers of those that are written again before it, `held` the ids of those that
    the export would go on showing as they are.
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
    """Return whether a model's memory will be there, untouched, with its raw messages known."""
    if not (memory.keys and memory.may_be_rewritten):
        return False
    return memory.number in again or (memory.in_prompts.made == WRITTEN and not memory.due)


def chunks_made(entries: Sequence[Entry], tokens: Sequence[int]) -> dict[int, Chunk]:
    """Return the chunks that have memories, by number; `tokens` are those of each message."""
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
    """Return the chunks, each with its tail and with the memories that cover what is before.

    `chunks` go by the numbers of their memories; `tokens` are those of each message, `keep` and
    `step` the settings of the tail. `room` has the tokens that a request may have for memories, tail,
    chunk and its memory; None where that is not known.
    """
    result: list[PlannedChunk] = []
    for row in _rows(chunks):
        firsts = [row[at] for at in tails([chunks[number].tokens for number in row], keep, step)]
        if room is not None:
            firsts = _shortened(row, firsts, chunks, memories, questions, room)
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


def _shortened(
    row: Sequence[int],
    firsts: Sequence[int],
    chunks: Mapping[int, Chunk],
    memories: Foresight,
    questions: int,
    room: int,
) -> list[int]:
    """Return with which chunk each tail begins so that its request fits; with its own: no tail."""
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
        # Only where memories of any size could be too many are they looked at.
        while begin < number and left < most and before(begin) > left:
            left += chunks[begin].tokens
            begin += 1
        begins.append(begin)
    return begins


def _rows(numbers: Iterable[int]) -> list[list[int]]:
    """Part the numbers of memories at gaps, which are memories with unknown raw messages."""
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
