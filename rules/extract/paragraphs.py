"""Write an engine's fold: a paragraph for each memory, or with little room, for each stretch."""

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

from rules.extract.answers import NOTHING_MORE, account, fit, keep_of_both
from rules.extract.prose import Said
from rules.extract.weights import WeighedPassage, read

WORDS_OF_A_PARAGRAPH = 40
"""A paragraph of fewer words says nothing."""


def paragraphs_for(memories: int, words: float) -> int:
    """Return how many paragraphs a fold of this many memories has in `words`."""
    return max(1, min(memories, int(words) // WORDS_OF_A_PARAGRAPH))


def in_paragraphs(
    passages: Sequence[Sequence[Said]],
    words: int,
    besides: Sequence[str] = (),
    before: Sequence[Said] = (),
) -> str:
    """Return the engine's account of each passage, oldest first, in about `words` together.

    Each passage is what a memory was made of; neighbours share a paragraph if there are too many.
    What one paragraph says counts less in a later one.
    """
    reading = read(tuple(chain.from_iterable(passages)), tuple(before))
    number = paragraphs_for(len(passages), words)
    kept = keep_of_both(reading, words, besides)
    cuts = [len(passages) * at // number for at in range(number + 1)]
    ends = [0, *accumulate(map(len, passages))]
    paragraphs: list[str] = []
    day = ""
    for start, stop in pairwise(cuts):
        if told := _within(reading, kept, range(ends[start], ends[stop])):
            paragraphs.append(account(reading, told, day))
            day = reading.days[told[-1]]
    text = "\n\n".join(paragraphs)
    return fit(text, words) or (NOTHING_MORE if any(passages) else "")


def _within(reading: WeighedPassage, kept: Sequence[int], messages: range) -> list[int]:
    """Return those of the kept sentences that these messages say."""
    return [at for at in kept if reading.sentences[at].message in messages]
