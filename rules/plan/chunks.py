"""Cut the head of a history into chunks: every message in one, no turn split, no bound ever moved.

    begin                                                        newest message
      |--- chunk ---|-- chunk --|--- chunk ---|.. waits ..|------ live tail ------|

Where chunks end is for a Splitter to say. `by_turns` looks ahead before it sets a bound:

      |--- chunk ---|-- chunk --|
                    ^
                    |== window: the next 4 sizes, all of it final ==|
                    where a chunk ends is the first bound of the best partition of its window

The window may reach into the live tail, the chunk may not. So a bound depends on the messages alone,
and never on when the history was looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rules.plan.turns import Spoken, Unit, first_group, units_from

_WINDOW = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages from index `start` up to but not including `stop`."""

    start: int
    stop: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Split:
    """Where chunks end."""

    bounds: tuple[int, ...]
    """For each chunk the index of the first message behind it, in order."""
    reason: str
    """Why no further bound can be set yet, as a sentence for the person."""


Splitter = Callable[[Sequence[Spoken], int, int], Split]
"""Says where the chunks of about so many tokens end (the last parameter), from the message with that index on.

It is given the whole history, with texts and tokens, and may set bounds in the live tail too. A bound must be final:
whatever messages come later, the same history up to them has the same bounds.
"""


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks that can be formed now, and what stays raw behind them."""

    chunks: tuple[Chunk, ...]
    waiting_tokens: int
    """From the last chunk to the live tail: too little for a chunk as yet."""
    live_tokens: int
    reason: str
    """Why there is no further chunk, as a sentence for the person."""


def by_turns(spoken: Sequence[Spoken], begin: int, size: int) -> Split:
    """The splitter that memproc uses: chunks are whole turns, as near to `size` tokens as the turns allow.

    Each bound is chosen in view of the shortest run of turns that holds four times `size` tokens. The last turn of a
    history may still grow, so a further one must stand behind that run.
    """
    rest = units_from(spoken, begin, size)
    bounds: list[int] = []
    first = 0
    while True:
        window = _window(rest, first, _WINDOW * size)
        held = sum(window)
        if held < _WINDOW * size:
            ahead = f"the next {_WINDOW * size:,} tokens, and only {held:,} are here."
            return Split(tuple(bounds), f"A chunk's end is chosen in view of {ahead}")
        if first + len(window) == len(rest):
            return Split(tuple(bounds), "The last turn may still grow.")
        first += first_group(window, size)
        bounds.append(rest[first - 1].stop)


def _window(units: Sequence[Unit], first: int, tokens: int) -> list[int]:
    """The tokens of the units from `first` on, until they hold so many together; of all where they hold fewer."""
    window: list[int] = []
    held = 0
    for unit in units[first:]:
        if held >= tokens:
            break
        window.append(unit.tokens)
        held += unit.tokens
    return window


def chunks(spoken: Sequence[Spoken], begin: int, size: int, tail: int, split: Splitter = by_turns) -> Chunking:
    """Form chunk after chunk of about `size` tokens, as long as `tail` tokens stay behind the last one.

    `spoken` is the whole history, `begin` the index where the last frozen chunk ended (0 for none).
    A frozen bound holds even where a turn was not cut then or would not be cut now (other sizes, an edited
    message). The live tail is the newest whole turns that hold at least `tail` tokens.
    """
    found = split(spoken, begin, size)
    left = _tokens(spoken[begin:])
    formed: list[Chunk] = []
    start, coming = begin, 0
    for stop in found.bounds:
        coming = _tokens(spoken[start:stop])
        if left - coming < tail:
            break
        formed.append(Chunk(start, stop, coming))
        start, left, coming = stop, left - coming, 0
    live = _live(units_from(spoken, start, size), tail)
    waiting = left - live
    if not waiting:
        reason = "Nothing waits: all that is left lies in the live tail."
    elif coming:
        reason = f"The next chunk will hold {coming:,} tokens, and only {waiting:,} stand before the live tail."
    else:
        reason = found.reason
    return Chunking(tuple(formed), waiting, live, reason)


def _tokens(spoken: Sequence[Spoken]) -> int:
    return sum(message.tokens for message in spoken)


def _live(units: Sequence[Unit], tail: int) -> int:
    """The tokens of the newest units that hold at least `tail`."""
    held = 0
    for unit in reversed(units):
        if held >= tail:
            break
        held += unit.tokens
    return held


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
