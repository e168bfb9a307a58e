"""Turns: user messages and all that answers them, and the runs that chunks are made of.

    user  user  assistant  user  assistant(calls)  tool  tool  assistant  assistant  user ...
    |---- a turn --------| |------------------ a turn --------------------------| |- ...
          ^                                                          ^
          a turn above `most` is also cut here: two messages of the same role in a row

A tool call, its results and the answer to them are never parted.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_TOOL_ROLES = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message as a splitter sees it."""

    role: str
    """`user`, `assistant`, `tool` or `function`."""
    tokens: int
    calls_tools: bool = False
    """The results of its calls are the messages right after it."""
    text: str = ""
    minute: int = 0
    """When it was written, in minutes since any moment; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages [start, stop): a chunk, or a unit of one, which is never cut."""

    start: int
    stop: int
    tokens: int


def units(spoken: Sequence[Spoken], most: int) -> tuple[Chunk, ...]:
    """Cut a whole history into the runs that chunks are made of.

    A unit is a turn: user messages and all that answers them. A turn begins at a user message that
    follows another role; what is before the first user message is a turn by itself. A turn of more
    than `most` tokens is cut where two messages of the same role follow each other, except
    inside a tool call and its results; chunking joins the pieces again as it needs them.

    Messages that come later can change the last unit only: every other one is final.
    """
    cut: list[Chunk] = []
    for turn in _cut(spoken, 0, len(spoken), _begins_turn):
        cut += _cut(spoken, turn.start, turn.stop, _may_part) if turn.tokens > most else [turn]
    return tuple(cut)


def units_from(spoken: Sequence[Spoken], begin: int, most: int) -> list[Chunk]:
    """Return the units after the message at index `begin`.

    Turns are read from the first message on: an oversized one's rest is cut as its beginning was.
    """
    rest = [unit for unit in units(spoken, most) if unit.stop > begin]
    if rest and rest[0].start < begin:
        stop = rest[0].stop
        rest[0] = Chunk(begin, stop, tokens_of(spoken[begin:stop]))
    return rest


def _cut(
    spoken: Sequence[Spoken], start: int, stop: int, between: Callable[[Spoken, Spoken], bool]
) -> list[Chunk]:
    inner = (index for index in range(start + 1, stop) if between(spoken[index - 1], spoken[index]))
    runs = pairwise((start, *inner, stop))
    return [Chunk(a, b, tokens_of(spoken[a:b])) for a, b in runs if a < b]


def _begins_turn(before: Spoken, after: Spoken) -> bool:
    return after.role == "user" != before.role


def _may_part(before: Spoken, after: Spoken) -> bool:
    return before.role == after.role and before.role not in _TOOL_ROLES and not before.calls_tools


def tokens_of(parts: Iterable[Spoken | Chunk]) -> int:
    """Return the tokens of all parts together."""
    return sum(part.tokens for part in parts)
