"""The splitters: where chunks end, by turns alone, or by topics and pauses.

Ours look ahead before they set a bound:

      |--- chunk ---|-- chunk --|
                    ^
                    |== window: the next 4 sizes, all of it final ==|
                    where a chunk ends is the first bound of the best partition of its window

The window may reach into the live tail, the chunk may not. So a bound depends on the messages
alone, and never on when the history was looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rules.plan.partition import first_group
from rules.plan.topics import STEPS, prices
from rules.plan.turns import Chunk, Spoken, tokens_of, units_from

_WINDOW = 4
_TOPIC = 4
_Texts = tuple[tuple[str, ...], ...]
_Minutes = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Split:
    """The ends of chunks."""

    bounds: tuple[int, ...]
    """The index of the first message after each chunk, in order."""
    reason: str
    """Why no further bound can be set yet, as a sentence for the person."""


Splitter = Callable[[Sequence[Spoken], int, int, int], Split]
"""Says where the chunks end: from the message with an index on, of a size in tokens, and up to a last index.

It is given the whole history, with texts and tokens. The live tail follows the last index: one bound there is
enough, since it tells what the next chunk waits for. A bound must be final: messages that come later never
change the bounds before them.
"""


def by_turns(spoken: Sequence[Spoken], begin: int, size: int, last: int) -> Split:
    """Split by size alone: chunks are whole turns, as near to `size` tokens as the turns allow."""
    return _split(spoken, begin, size, last, lambda _: ())


def by_likeness(price: Callable[[_Texts, _Minutes], Sequence[int]]) -> Splitter:
    """Return a splitter that avoids bounds between alike turns, by the likeness that `price` sees.

    Between fully alike turns a bound costs four squares of `size` more than at the best place in view.
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
    """Choose each bound in view of the shortest run of turns that holds four times `size` tokens.

    The last turn of a history may still grow, so a further one must follow that run.
    """
    rest = units_from(spoken, begin, size)
    bounds: list[int] = []
    first, end = 0, begin
    while end <= last:
        window = first_tokens(rest, first, _WINDOW * size)
        tokens = tokens_of(window)
        if tokens < _WINDOW * size:
            ahead = f"the next {_WINDOW * size:,} tokens, and only {tokens:,} are here."
            return Split(tuple(bounds), f"A chunk's end is chosen in view of {ahead}")
        if first + len(window) == len(rest):
            return Split(tuple(bounds), "The last turn may still grow.")
        first += first_group([unit.tokens for unit in window], size, price(window))
        end = rest[first - 1].stop
        bounds.append(end)
    return Split(tuple(bounds), "All that is left is in the live tail.")


def first_tokens(units: Sequence[Chunk], first: int, tokens: int) -> list[Chunk]:
    """Return the units from `first` on, until they hold `tokens` together; all if they hold fewer."""
    window: list[Chunk] = []
    gathered = 0
    for unit in units[first:]:
        if gathered >= tokens:
            break
        window.append(unit)
        gathered += unit.tokens
    return window
