"""The pieces of a message that can be kept by themselves: its sentences, with broken ones made whole.

One in which a quotation or a bracket stays open is one with the next, and one that is all quoted
with the one before it, which says whose words they are:

    There was a note: "For the box. Don't tell them."      Mum said that. "Not before the dal."
"""

from collections.abc import Sequence
from dataclasses import replace

from rules.extract.brackets import is_broken
from rules.extract.sentences import TextPiece
from rules.extract.words import length

_MOST_JOINED = 60.0


def whole_pieces(
    text: str, pieces: Sequence[TextPiece], quotations: Sequence[tuple[int, int]]
) -> list[TextPiece]:
    """Return the pieces, broken ones with their neighbours in the same line.

    `quotations` are those in `text`.
    """
    whole: list[TextPiece] = []
    for piece in pieces:
        if whole and (joined := _joined(text, whole[-1], piece, quotations)):
            whole[-1] = joined
        else:
            whole.append(piece)
    return whole


def _joined(
    text: str, before: TextPiece, piece: TextPiece, quotations: Sequence[tuple[int, int]]
) -> TextPiece | None:
    """Return two pieces of one line as one where either is broken; None where both stay as they are."""
    closes = text[piece.stop : piece.stop + 1] in (")", "）")
    both = replace(before, stop=piece.stop + closes)
    if (
        "\n" in text[before.stop : piece.start]
        or length(text[both.start : both.stop]) > _MOST_JOINED
    ):
        return None
    broken = (is_broken(text, quotations, each.start, each.stop) for each in (before, piece))
    return both if any(broken) else None
