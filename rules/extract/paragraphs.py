"""Write an engine's fold: a paragraph for each memory, or with little room, for each stretch."""

from collections.abc import Sequence
from itertools import chain, pairwise

from rules.extract.answers import NOTHING_MORE, refinement
from rules.extract.prose import Said

WORDS_OF_A_PARAGRAPH = 40
"""A paragraph of fewer words says nothing."""


def paragraphs_for(memories: int, words: float) -> int:
    """Return how many paragraphs a fold of so many memories has in so many words."""
    return max(1, min(memories, int(words) // WORDS_OF_A_PARAGRAPH))


def in_paragraphs(
    passages: Sequence[Sequence[Said]],
    words: int,
    besides: Sequence[str] = (),
    before: Sequence[Said] = (),
) -> str:
    """Return the engine's account of each passage, oldest first, in about so many words together.

    Each passage is what a memory was made of; neighbours share a paragraph if there are too many.
    """
    number = paragraphs_for(len(passages), words)
    cuts = [len(passages) * at // number for at in range(number + 1)]
    paragraphs: list[str] = []
    for start, stop in pairwise(cuts):
        earlier = tuple(chain.from_iterable(passages[max(0, start - 1) : start])) or tuple(before)
        passage = tuple(chain.from_iterable(passages[start:stop]))
        paragraphs.append(refinement(passage, words // number, besides, earlier))
    said = [paragraph for paragraph in paragraphs if paragraph not in ("", NOTHING_MORE)]
    return "\n\n".join(said or paragraphs[:1])
