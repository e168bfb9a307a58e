"""The engine's memory of one passage."""

from collections.abc import Sequence

from rules.extract.answers import in_paragraphs
from rules.extract.prose import Said


def refinement(
    passage: Sequence[Said], words: int, besides: Sequence[str] = (), before: Sequence[Said] = ()
) -> str:
    """What the engine keeps of a chunk: of a fold, it is one passage for each memory."""
    return in_paragraphs([passage], words, besides, before)
