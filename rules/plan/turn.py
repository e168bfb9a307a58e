"""Where a history may be cut at all: between turns, and in a turn that is too large for one chunk.

    user  user  assistant  user  assistant(calls)  tool  tool  assistant  assistant  user ...
    |---- a turn --------| |------------------ a turn --------------------------| |- ...
          ^                                                          ^
          a turn above `most` is also cut here: two messages of the same role in a row

A tool call, its results and the answer to them are never parted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_TOOL_ROLES = frozenset({"tool", "function"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message as chunking sees it."""

    role: str
    """`user`, `assistant`, `tool` or `function`."""
    tokens: int
    calls_tools: bool = False
    """The results of its calls are the messages right after it."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A run of messages, from index `start` up to but not including `stop`, that is never cut."""

    start: int
    stop: int
    tokens: int


def units(spoken: Sequence[Spoken], most: int) -> tuple[Unit, ...]:
    """Cut a whole history into the runs that chunks are made of.

    A unit is a turn: user messages and all that answers them. A turn begins at a user message that
    follows another role; what stands before the first user message is a turn by itself. A turn
    of more than `most` tokens is cut wherever two messages of the same role follow each other, except
    inside a tool call and its results; chunking joins the pieces again as it needs them.

    Messages that come later can change the last unit only: every other one is final.
    """
    found: list[Unit] = []
    for turn in _cut(spoken, 0, len(spoken), _begins_turn):
        found += _cut(spoken, turn.start, turn.stop, _may_part) if turn.tokens > most else [turn]
    return tuple(found)


def _cut(spoken: Sequence[Spoken], start: int, stop: int, between: Callable[[Spoken, Spoken], bool]) -> list[Unit]:
    inner = (index for index in range(start + 1, stop) if between(spoken[index - 1], spoken[index]))
    runs = pairwise((start, *inner, stop))
    return [Unit(a, b, sum(message.tokens for message in spoken[a:b])) for a, b in runs if a < b]


def _begins_turn(before: Spoken, after: Spoken) -> bool:
    return after.role == "user" != before.role


def _may_part(before: Spoken, after: Spoken) -> bool:
    return before.role == after.role and before.role not in _TOOL_ROLES and not before.calls_tools
