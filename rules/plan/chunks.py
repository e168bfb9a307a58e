"""Split a history into chunks: turns, splitters that choose bounds, and the live tail after them.

    user  user  assistant  user  assistant(calls)  tool  tool  assistant  assistant  user ...
    |---- a turn --------| |------------------ a turn --------------------------| |- ...
          ^                                                          ^
          a turn above `most` is also cut here: two messages of the same role in a row

A turn is user messages and all that answers them. A tool call, its results and the answer to them
are never separated. A splitter is given the messages and returns the bounds of chunks; ours look
ahead before they set one:

      |--- chunk ---|-- chunk --|
                    ^
                    |== window: the next 4 sizes, all of it final ==|
                    where a chunk ends is the first bound of the best partition of its window

The window may reach into the live tail, the chunk may not. So a bound depends only on the messages,
never on when memproc ran.

    begin                                                        newest message
      |--- chunk ---|-- chunk --|--- chunk ---|.. waits ..|------ live tail ------|

The beginning of a chunk's tail moves seldom and far, so that the tail's length swings around
`keep`: each move means that all of the tail is written to the provider's cache again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from rules.plan.partition import find_first_group
from rules.plan.topics import STEPS, Price, prices

_TOOL_ROLES = frozenset({"tool", "function"})

_WINDOW_SIZES = 4
_MOST_TOPIC_PRICE = 4
"""The price of a bound between fully alike turns, in squares of a chunk's size."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message as a splitter sees it."""

    role: str
    """`user`, `assistant`, `tool` or `function`."""
    tokens: int
    calls_tools: bool = False
    """Whether it calls tools; the results are then the messages right after it."""
    text: str = ""
    minute: int = 0
    """When it was written, in minutes since any moment; 0 where unknown."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages [start, stop): a chunk, or one of the units that chunks are made of."""

    start: int
    stop: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Split:
    """The ends of chunks."""

    bounds: tuple[int, ...]
    """The index of the first message after each chunk, in order."""
    reason: str
    """Why no further bound can be set yet, as a sentence for the person."""


Splitter = Callable[[Sequence[Spoken], int, int, int], Split]
"""Splits a history into chunks.

It takes the history, the index where chunks begin, their size in tokens, and the last index where
one may end. It returns the bounds of the chunks. The live tail follows the last index; at most one
bound is set beyond it, which says how much the next chunk needs. A bound must be final: messages
that come later never change it.
"""


def cut_units(spoken: Sequence[Spoken], most: int) -> tuple[Chunk, ...]:
    """Cut a whole history into the units that chunks are made of.

    A unit is a turn: user messages and all that answers them. A turn begins at a user message that
    follows another role; what is before the first user message is a turn by itself. A turn of more
    than `most` tokens is cut between two messages of the same role, except
    within a tool call and its results; a chunk may still hold all of the pieces.

    Messages that come later can change only the last unit.
    """
    cut: list[Chunk] = []
    for turn in _cut(spoken, 0, len(spoken), _begins_turn):
        cut += _cut(spoken, turn.start, turn.stop, _may_part) if turn.tokens > most else [turn]
    return tuple(cut)


def units_from(spoken: Sequence[Spoken], begin: int, most: int) -> list[Chunk]:
    """Return the units from the message at index `begin` on.

    Turns are read from the first message on, so that the rest of an oversized turn is cut as its
    beginning was.
    """
    rest = [unit for unit in cut_units(spoken, most) if unit.stop > begin]
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
    """Return the sum of the parts' tokens."""
    return sum(part.tokens for part in parts)


def by_turns(spoken: Sequence[Spoken], begin: int, size: int, last: int) -> Split:
    """Split only by size: chunks are whole turns, as near to `size` tokens as the turns allow."""
    return _split(spoken, begin, size, last, lambda _: ())


def by_likeness(price: Price) -> Splitter:
    """Return a splitter that avoids bounds between alike turns, at the prices of `price`.

    A bound between fully alike turns costs four squares of `size` more than one at the best place
    in the window.
    """

    def split(spoken: Sequence[Spoken], begin: int, size: int, last: int) -> Split:
        def price_bounds(window: Sequence[Chunk]) -> list[int]:
            turns = [spoken[unit.start : unit.stop] for unit in window]
            texts = tuple(tuple(message.text for message in turn) for turn in turns)
            minutes = tuple((turn[0].minute, turn[-1].minute) for turn in turns)
            most = _MOST_TOPIC_PRICE * size**2
            return [most * steps // STEPS for steps in price(texts, minutes)]

        return _split(spoken, begin, size, last, price_bounds)

    return split


by_topics = by_likeness(prices)
"""The splitter that memproc uses by default: by words and pauses."""
SPLITTERS: Mapping[str, Splitter] = MappingProxyType({"topics": by_topics, "size": by_turns})
"""The splitters that need no model, by their names in the setting `chunk.bounds`."""


def _split(
    spoken: Sequence[Spoken],
    begin: int,
    size: int,
    last: int,
    price: Callable[[Sequence[Chunk]], Sequence[int]],
) -> Split:
    """Choose each bound by the shortest run of turns ahead that holds four times `size` tokens.

    A further turn must follow that run, since the last turn of a history may still grow.
    """
    rest = units_from(spoken, begin, size)
    bounds: list[int] = []
    first, end = 0, begin
    while end <= last:
        window = first_tokens(rest, first, _WINDOW_SIZES * size)
        tokens = tokens_of(window)
        if tokens < _WINDOW_SIZES * size:
            ahead = f"the next {_WINDOW_SIZES * size:,} tokens, and only {tokens:,} are here."
            return Split(tuple(bounds), f"A chunk's end is chosen in view of {ahead}")
        if first + len(window) == len(rest):
            return Split(tuple(bounds), "The last turn may still grow.")
        first += find_first_group([unit.tokens for unit in window], size, price(window))
        end = rest[first - 1].stop
        bounds.append(end)
    return Split(tuple(bounds), "All that is left is in the live tail.")


def first_tokens(units: Sequence[Chunk], first: int, tokens: int) -> list[Chunk]:
    """Return the units from index `first` on until they hold at least `tokens` together, or all."""
    window: list[Chunk] = []
    gathered = 0
    for unit in units[first:]:
        if gathered >= tokens:
            break
        window.append(unit)
        gathered += unit.tokens
    return window


def _last_end(spoken: Sequence[Spoken], begin: int, tail: int) -> int:
    """Return the last index where a chunk may end with `tail` tokens or more after it.

    It is below `begin` where none may.
    """
    after, at = 0, len(spoken)
    while at >= begin and after < tail:
        at -= 1
        after += spoken[at].tokens if at >= begin else 0
    return at


def find_tails(chunk_tokens: Sequence[int], keep: int, step: int) -> tuple[int, ...]:
    """Return for each chunk the index of the chunk that its tail begins with.

    The tail ends where the chunk begins.

    `chunk_tokens` are those of all chunks of the history in order; `keep` and `step` are tokens,
    too. The tail begins at chunk 0. When it exceeds `keep` by more than half a step, its beginning
    moves on to the first chunk from which at most `keep` less half a step is left, but never past
    the chunk right before: a chunk always has something raw before it, however large that is. Chunk
    0 has an empty tail.

    It depends only on the chunks, so that many small runs and one large run send the same prompts.
    """
    half = step // 2
    begins: list[int] = []
    begin = tail_tokens = 0
    for chunk, tokens in enumerate(chunk_tokens):
        if tail_tokens > keep + half:
            while tail_tokens > keep - half and begin < chunk - 1:
                tail_tokens -= chunk_tokens[begin]
                begin += 1
        begins.append(begin)
        tail_tokens += tokens
    return tuple(begins)


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks that can be formed now, and what stays raw after them."""

    chunks: tuple[Chunk, ...]
    waiting_tokens: int
    """The tokens between the last chunk and the live tail: too few for a chunk yet."""
    live_tokens: int
    reason: str
    """Why there is no further chunk, as a sentence for the person."""


def count_live_tokens(spoken: Sequence[Spoken], begin: int, size: int, tail: int) -> int:
    """Return the tokens of the live tail: the newest whole turns that hold at least `tail` tokens.

    It does not reach before `begin`.
    """
    return tokens_of(first_tokens(units_from(spoken, begin, size)[::-1], 0, tail))


def form_chunks(
    spoken: Sequence[Spoken], begin: int, size: int, tail: int, split: Splitter = by_topics
) -> Chunking:
    """Form chunks of about `size` tokens while at least `tail` tokens stay after the last one.

    `spoken` is the whole history, `begin` the index where the last frozen chunk ended (0 for none).
    A frozen bound holds even where turns would now be cut otherwise (other sizes, an edited
    message). The live tail is the newest whole turns that hold at least `tail` tokens.
    """
    offered = split(spoken, begin, size, _last_end(spoken, begin, tail))
    left = tokens_of(spoken[begin:])
    formed: list[Chunk] = []
    start, next_tokens = begin, 0
    for stop in offered.bounds:
        next_tokens = tokens_of(spoken[start:stop])
        if left - next_tokens < tail:
            break
        formed.append(Chunk(start, stop, next_tokens))
        start, left, next_tokens = stop, left - next_tokens, 0
    live = count_live_tokens(spoken, start, size, tail)
    waiting = left - live
    if not waiting:
        also = "else " if formed else ""
        reason = f"Nothing {also}waits: the rest is the live tail, which stays word for word."
    elif next_tokens:
        reason = (
            f"The next memory takes {next_tokens:,} tokens, "
            f"of which {waiting:,} have left the live tail so far."
        )
    else:
        reason = offered.reason
    return Chunking(tuple(formed), waiting, live, reason)
