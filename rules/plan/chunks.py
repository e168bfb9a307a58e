"""The Splitter: turns and their tokens in, the bounds of chunks out, and the live tail that stays word for word.

    user  user  assistant  user  assistant(calls)  tool  tool  assistant  assistant  user ...
    |---- a turn --------| |------------------ a turn --------------------------| |- ...
          ^                                                          ^
          a turn above `most` is also cut here: two messages of the same role in a row

A tool call, its results and the answer to them are never parted.

    begin                                                        newest message
      |--- chunk ---|-- chunk --|--- chunk ---|.. waits ..|------ live tail ------|

Where chunks end is for a Splitter to say. Ours look ahead before they set a bound:

      |--- chunk ---|-- chunk --|
                    ^
                    |== window: the next 4 sizes, all of it final ==|
                    where a chunk ends is the first bound of the best partition of its window

The window may reach into the live tail, the chunk may not. So a bound depends on the messages alone,
and never on when the history was looked at.

In a partition, a group costs the square of its distance from `size`. A turn above `size` cannot be cut, so what it has
too much costs nothing: it is a group by itself, and only a scrap too small for a memory of its own (less than a quarter
of `size`) may go with it, at the square of the scrap. So one long turn does not ruin its neighbours. The tail of a
chunk moves far at a time, as much below `keep` as above it, since each move writes all of it to the provider's cache.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from rules.plan.topics import STEPS, prices

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
    """The time of its writing, in minutes since whenever; 0 where nobody knows."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages from index `start` up to but not including `stop`: a chunk, or a unit of one, which is never cut."""

    start: int
    stop: int
    tokens: int


def units(spoken: Sequence[Spoken], most: int) -> tuple[Chunk, ...]:
    """Cut a whole history into the runs that chunks are made of.

    A unit is a turn: user messages and all that answers them. A turn begins at a user message that
    follows another role; what stands before the first user message is a turn by itself. A turn
    of more than `most` tokens is cut wherever two messages of the same role follow each other, except
    inside a tool call and its results; chunking joins the pieces again as it needs them.

    Messages that come later can change the last unit only: every other one is final.
    """
    cut: list[Chunk] = []
    for turn in _cut(spoken, 0, len(spoken), _begins_turn):
        cut += _cut(spoken, turn.start, turn.stop, _may_part) if turn.tokens > most else [turn]
    return tuple(cut)


def units_from(spoken: Sequence[Spoken], begin: int, most: int) -> list[Chunk]:
    """The units behind the message at index `begin`.

    Turns are read from the first message on: the rest of an oversized turn is cut as its beginning was.
    """
    rest = [unit for unit in units(spoken, most) if unit.stop > begin]
    if rest and rest[0].start < begin:
        stop = rest[0].stop
        rest[0] = Chunk(begin, stop, _tokens(spoken[begin:stop]))
    return rest


def _cut(
    spoken: Sequence[Spoken], start: int, stop: int, between: Callable[[Spoken, Spoken], bool]
) -> list[Chunk]:
    inner = (index for index in range(start + 1, stop) if between(spoken[index - 1], spoken[index]))
    runs = pairwise((start, *inner, stop))
    return [Chunk(a, b, _tokens(spoken[a:b])) for a, b in runs if a < b]


def _begins_turn(before: Spoken, after: Spoken) -> bool:
    return after.role == "user" != before.role


def _may_part(before: Spoken, after: Spoken) -> bool:
    return before.role == after.role and before.role not in _TOOL_ROLES and not before.calls_tools


_GRAINS_A_SIZE = 32
_SCRAPS_A_SIZE = 4
_STEEP = 4
"""The extra cost of a group that is a whole size too large, in squares of `size`, where bounds have prices."""


@dataclass(frozen=True, slots=True)
class _Grain:
    """Units between which no bound is looked for: together they are too small to matter."""

    stop: int
    tokens: int
    giant: int
    """The tokens of the one unit above `size` in it, or 0."""
    price: int = 0
    """The price of a bound behind it."""


@dataclass(frozen=True, slots=True)
class _Partition:
    cost: int
    first: int
    """The number of units that its first group takes; 0 where there is no group yet."""


def first_group(tokens: Sequence[int], size: int, prices: Sequence[int] = ()) -> int:
    """Say how many units the first group of the best partition takes.

    `tokens` are those of the units, at least one of them not 0; `size` is above 0. `prices` are those of bounds
    behind the units, none below 0; where there are any, groups far too large or too small are dearer. Among partitions
    that cost the same, the one with the longest first group wins. Bounds are looked for only at every 1/32 of `size`
    or more, so thousands of tiny units cost no more work than a few large ones.
    """
    grains = _grains(tokens, size, prices)
    best = [_Partition(0, 0)]
    for stop in range(1, len(grains) + 1):
        best.append(_best(grains[:stop], best, size, _STEEP if prices else 0))
    return best[-1].first


def _best(
    grains: Sequence[_Grain], before: Sequence[_Partition], size: int, steep: int
) -> _Partition:
    """The best partition of `grains`, where `before[n]` is the best one of the first n of them.

    A group costs d², and where `steep` is not 0, d² + steep · d⁴: `d` is its distance from `size`, in sizes. So near
    the size a bound is free to move to where the topic changes; the farther away, the harder it is pulled back.
    """
    least = first = -1
    tokens = giant = 0
    price = grains[-1].price
    for start in range(len(grains) - 1, -1, -1):
        tokens += grains[start].tokens
        giant = giant or grains[start].giant
        scrap = tokens - giant
        square = (scrap if giant else tokens - size) ** 2
        own = square if giant else square + steep * square**2 // size**2
        if (giant and scrap * _SCRAPS_A_SIZE >= size) or (first > 0 and own + price > least):
            break  # a larger group is not allowed either, or costs even more
        cost = before[start].cost + own + price
        group = before[start].first or grains[-1].stop
        if first < 0 or cost < least or (cost == least and group > first):
            least, first = cost, group
    return _Partition(least, first)


def _grains(tokens: Iterable[int], size: int, prices: Sequence[int]) -> list[_Grain]:
    """A unit without tokens stays with what stands before it; one above `size` begins a grain of its own."""
    grains: list[_Grain] = []
    grain_tokens = giant = stop = 0
    for unit in tokens:
        if stop and unit and (unit > size or grain_tokens * _GRAINS_A_SIZE >= size):
            grains.append(_Grain(stop, grain_tokens, giant, prices[stop - 1] if prices else 0))
            grain_tokens = giant = 0
        grain_tokens += unit
        giant = giant or (unit if unit > size else 0)
        stop += 1
    grains.append(_Grain(stop, grain_tokens, giant))
    return grains


_WINDOW = 4
_TOPIC = 4


@dataclass(frozen=True, slots=True)
class Split:
    """The ends of chunks."""

    bounds: tuple[int, ...]
    """The index of the first message behind each chunk, in order."""
    reason: str
    """Why no further bound can be set yet, as a sentence for the person."""


Splitter = Callable[[Sequence[Spoken], int, int, int], Split]
"""Says where the chunks end: from the message with an index on, of about so many tokens, and up to a last index.

It is given the whole history, with texts and tokens. Behind the last index stands the live tail: one bound there is
enough, since it tells what the next chunk waits for. A bound must be final: whatever messages come later, the same
history up to them has the same bounds.
"""


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks that can be formed now, and what stays raw behind them."""

    chunks: tuple[Chunk, ...]
    waiting_tokens: int
    """The tokens from the last chunk to the live tail: too little for a chunk as yet."""
    live_tokens: int
    reason: str
    """Why there is no further chunk, as a sentence for the person."""


def by_turns(spoken: Sequence[Spoken], begin: int, size: int, last: int) -> Split:
    """The splitter by size alone: chunks are whole turns, as near to `size` tokens as the turns allow."""
    return _split(spoken, begin, size, last, lambda window: ())


_Texts = tuple[tuple[str, ...], ...]
_Minutes = tuple[tuple[int, int], ...]


def by_likeness(price: Callable[[_Texts, _Minutes], Sequence[int]]) -> Splitter:
    """The same, but a bound where the talk goes on as it was is dear, by the likeness that `price` sees.

    Where turns are as like as can be, it costs four squares of `size` more than at the best place in view.
    """

    def split(spoken: Sequence[Spoken], begin: int, size: int, last: int) -> Split:
        def priced(window: Sequence[Chunk]) -> list[int]:
            messages = [spoken[unit.start : unit.stop] for unit in window]
            minutes = tuple((unit[0].minute, unit[-1].minute) for unit in messages)
            prices = price(
                tuple(tuple(message.text for message in unit) for unit in messages), minutes
            )
            return [_TOPIC * size**2 * price // STEPS for price in prices]

        return _split(spoken, begin, size, last, priced)

    return split


by_topics = by_likeness(prices)
"""The splitter that memproc uses: by words, and by pauses."""

SPLITTERS: Mapping[str, Splitter] = MappingProxyType({"topics": by_topics, "size": by_turns})
"""The splitters that need nothing else, by their names in `chunk.bounds`."""


def _split(
    spoken: Sequence[Spoken],
    begin: int,
    size: int,
    last: int,
    price: Callable[[Sequence[Chunk]], Sequence[int]],
) -> Split:
    """Each bound is chosen in view of the shortest run of turns that holds four times `size` tokens.

    The last turn of a history may still grow, so a further one must stand behind that run.
    """
    rest = units_from(spoken, begin, size)
    bounds: list[int] = []
    first, end = 0, begin
    while end <= last:
        window = _window(rest, first, _WINDOW * size)
        tokens = _tokens(window)
        if tokens < _WINDOW * size:
            ahead = f"the next {_WINDOW * size:,} tokens, and only {tokens:,} are here."
            return Split(tuple(bounds), f"A chunk's end is chosen in view of {ahead}")
        if first + len(window) == len(rest):
            return Split(tuple(bounds), "The last turn may still grow.")
        first += first_group([unit.tokens for unit in window], size, price(window))
        end = rest[first - 1].stop
        bounds.append(end)
    return Split(tuple(bounds), "All that is left lies in the live tail.")


def _window(units: Sequence[Chunk], first: int, tokens: int) -> list[Chunk]:
    """The units from `first` on, until they hold so many tokens together; all where they hold fewer."""
    window: list[Chunk] = []
    gathered = 0
    for unit in units[first:]:
        if gathered >= tokens:
            break
        window.append(unit)
        gathered += unit.tokens
    return window


def chunks(
    spoken: Sequence[Spoken], begin: int, size: int, tail: int, split: Splitter = by_topics
) -> Chunking:
    """Form chunk after chunk of about `size` tokens, as long as `tail` tokens stay behind the last one.

    `spoken` is the whole history, `begin` the index where the last frozen chunk ended (0 for none).
    A frozen bound holds even where a turn was not cut then or would not be cut now (other sizes, an edited
    message). The live tail is the newest whole turns that hold at least `tail` tokens.
    """
    offered = split(spoken, begin, size, _last_end(spoken, begin, tail))
    left = _tokens(spoken[begin:])
    formed: list[Chunk] = []
    start, coming = begin, 0
    for stop in offered.bounds:
        coming = _tokens(spoken[start:stop])
        if left - coming < tail:
            break
        formed.append(Chunk(start, stop, coming))
        start, left, coming = stop, left - coming, 0
    live = _tokens(_window(units_from(spoken, start, size)[::-1], 0, tail))
    waiting = left - live
    if not waiting:
        reason = "Nothing waits: all that is left lies in the live tail."
    elif coming:
        reason = f"The next chunk will hold {coming:,} tokens, and only {waiting:,} stand before the live tail."
    else:
        reason = offered.reason
    return Chunking(tuple(formed), waiting, live, reason)


def _last_end(spoken: Sequence[Spoken], begin: int, tail: int) -> int:
    """The last index from `begin` on at which a chunk may end with `tail` tokens behind it; before `begin` for none."""
    behind, at = 0, len(spoken)
    while at >= begin and behind < tail:
        at -= 1
        behind += spoken[at].tokens if at >= begin else 0
    return at


def _tokens(parts: Iterable[Spoken | Chunk]) -> int:
    return sum(part.tokens for part in parts)


def tails(chunk_tokens: Sequence[int], keep: int, step: int) -> tuple[int, ...]:
    """Say for each chunk with which chunk its tail begins; the tail ends where the chunk begins.

    `chunk_tokens` holds the tokens of all chunks of the history in order, `keep` (N) and `step` are
    tokens too. The tail begins at chunk 0. When it would exceed `keep` by more than half a step, its beginning
    moves on to the first chunk from which at most `keep` less half a step is left, but never past the one chunk
    right before: a chunk has something raw before it, however large that is. Chunk 0 has an empty tail.

    It depends on the chunks alone, so many small runs and one large run give the same prompts.
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
