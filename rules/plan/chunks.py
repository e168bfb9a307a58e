"""Cut the head of a history into chunks: every message in one, no turn split, no bound ever moved.

    begin                                                        newest message
      |--- chunk ---|-- chunk --|--- chunk ---|.. waits ..|------ live tail ------|
                    ^
                    |== window: the next 4 sizes, all of it final ==|
                    where a chunk ends is the first bound of the best partition of its window

The window may reach into the live tail, the chunk may not. So a bound depends on the messages alone,
and never on when the history was looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.plan.turns import Spoken, Unit, first_group, units

_WINDOW = 4


@dataclass(frozen=True, slots=True)
class Bound:
    """A chunk ends before unit `unit`, and holds `tokens`."""

    unit: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Wait:
    """No bound can be chosen yet: `reason` says why, `tokens` is what there is to choose from."""

    reason: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages from index `start` up to but not including `stop`."""

    start: int
    stop: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks that can be formed now, and what stays raw behind them."""

    chunks: tuple[Chunk, ...]
    waiting_from: int
    """Index of the first message behind the last chunk."""
    waiting_tokens: int
    """From there to the live tail: too little for a chunk as yet."""
    live_tokens: int
    reason: str
    """Why there is no further chunk, as a sentence for the person."""


def chunks(spoken: Sequence[Spoken], begin: int, size: int, tail: int) -> Chunking:
    """Form chunk after chunk of about `size` tokens, as long as `tail` tokens stay behind the last one.

    `spoken` is the whole history, `begin` the index where the last frozen chunk ended (0 for none).
    A frozen bound holds even where a turn was not cut then or would not be cut now (other sizes, an edited
    message): what is left of that turn is then the first unit. The live tail is the newest whole units that
    hold at least `tail` tokens.
    """
    rest = _units_from(spoken, begin, size)
    left = sum(unit.tokens for unit in rest)
    formed: list[Chunk] = []
    first = 0
    while isinstance(bound := next_bound(rest, first, size), Bound) and left - bound.tokens >= tail:
        formed.append(Chunk(rest[first].start, rest[bound.unit - 1].stop, bound.tokens))
        left -= bound.tokens
        first = bound.unit
    live = _live(rest[first:], tail)
    waiting_from = formed[-1].stop if formed else begin
    return Chunking(tuple(formed), waiting_from, left - live, live, _reason(bound, left - live))


def next_bound(units: Sequence[Unit], first: int, size: int) -> Bound | Wait:
    """Say where the chunk that starts at unit `first` ends, or why that cannot be said yet.

    It looks at the shortest run of units from `first` that holds four times `size` tokens. The last unit of
    a history may still grow, so a further unit must stand behind that run.
    """
    held, stop = 0, first
    while stop < len(units) and held < _WINDOW * size:
        held += units[stop].tokens
        stop += 1
    if held < _WINDOW * size:
        return Wait(
            f"A chunk's end is chosen in view of the next {_WINDOW * size:,} tokens, and only {held:,} are here.",
            held,
        )
    if stop == len(units):
        return Wait("The last turn may still grow.", held)
    window = [unit.tokens for unit in units[first:stop]]
    count = first_group(window, size)
    return Bound(first + count, sum(window[:count]))


def _units_from(spoken: Sequence[Spoken], begin: int, size: int) -> list[Unit]:
    """Turns are read from the first message on: the rest of an oversized turn is cut as its beginning was."""
    rest = [unit for unit in units(spoken, size) if unit.stop > begin]
    if rest and rest[0].start < begin:
        stop = rest[0].stop
        rest[0] = Unit(begin, stop, sum(message.tokens for message in spoken[begin:stop]))
    return rest


def _live(rest: Sequence[Unit], tail: int) -> int:
    held = 0
    for unit in reversed(rest):
        if held >= tail:
            break
        held += unit.tokens
    return held


def _reason(bound: Bound | Wait, waiting: int) -> str:
    if not waiting:
        return "Nothing waits: all that is left lies in the live tail."
    if isinstance(bound, Wait):
        return bound.reason
    return f"The next chunk will hold {bound.tokens:,} tokens, and only {waiting:,} stand before the live tail."


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
    begin = held = 0
    for chunk, tokens in enumerate(chunk_tokens):
        if held > keep + half:
            while held > keep - half and begin < chunk - 1:
                held -= chunk_tokens[begin]
                begin += 1
        begins.append(begin)
        held += tokens
    return tuple(begins)
