"""Handle brackets and quotation marks that open in one sentence and close in another.

Round brackets around several sentences are dropped, as each sentence has only one of the two:

    (I have kept it. It lies by the door.)    ->   I have kept it.   It lies by the door.

Emoticons such as ":)" do not count as brackets, nor do brackets in code.

A sentence that leaves a quotation or a bracket open is joined with the next one. A sentence that is
all quotation is joined with the one before it, which says whose words they are:

    There was a note: "For the box. Don't tell them."      Mum said that. "Not before the dal."
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from rules.extract.sentences import TextPiece
from rules.extract.voices import QUOTED, UNCLOSED
from rules.extract.words import length

_OPENING, _CLOSING = "(（", ")）"
_BRACKET = re.compile(r"[()（）]")
_OPENS_AFTER_WORDS = re.compile(r"\w\W*\s[\"“„«「『](?=\w)|\w[,:，：]?[「『](?=\w)")
_CLOSING_MARKS = {'"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "『": "』"}
_CACHED_TEXTS = 4
"""Texts whose quotations are cached: a text is read sentence by sentence."""
_MOST_JOINED = 60.0
"""The most words of two sentences that are joined."""
_EMOTICON_OR_CODE = re.compile(r"[:;=]['’]?-?[()]+|`[^`\n]*`")


def without_lone_brackets(text: str, piece: TextPiece) -> TextPiece:
    """Return the sentence without unpaired brackets at its ends.

    A bracket is unpaired if its partner is not in the sentence.
    """
    lone = find_lone_brackets(text[piece.start : piece.stop])
    inner, outer = 0, piece.stop - piece.start
    for at in lone:
        inner += at == inner
    for at in reversed(lone):
        outer -= at == outer - 1
    return replace(piece, start=piece.start + inner, stop=piece.start + max(inner, outer))


def is_left_open(sentence: str) -> bool:
    """Return whether a bracket opens in the sentence and does not close in it."""
    return any(sentence[at] in _OPENING for at in find_lone_brackets(sentence))


def find_lone_brackets(sentence: str) -> list[int]:
    """Return the indices of the brackets without a partner, in order."""
    if not _BRACKET.search(sentence):
        return []
    plain = _EMOTICON_OR_CODE.sub(lambda match: " " * len(match.group()), sentence)
    opened: list[int] = []
    lone: list[int] = []
    for at, mark in enumerate(plain):
        if mark in _OPENING:
            opened.append(at)
        elif mark in _CLOSING and opened:
            opened.pop()
        elif mark in _CLOSING:
            lone.append(at)
    return sorted(lone + opened)


@lru_cache(_CACHED_TEXTS)
def quotations_in(text: str) -> tuple[tuple[int, int], ...]:
    """Return the bounds of the quotations of a text, in order."""
    return tuple(match.span() for match in QUOTED.finditer(text))


def is_broken(text: str, start: int, stop: int) -> bool:
    """Return whether the sentence [start, stop) leaves a quotation or bracket open, or is quoted."""
    sentence = text[start:stop]
    if is_left_open(sentence) or last_quotation(text, stop - 1)[1] > stop:
        return True
    opens, closes = last_quotation(text, start)
    # It is within a quotation, or has no words outside of the one that it begins with.
    if closes > start and (opens < start or not any(map(str.isalnum, text[closes:stop]))):
        return True
    return UNCLOSED.search(QUOTED.sub("", sentence)) is not None


def whole_pieces(text: str, pieces: Sequence[TextPiece]) -> list[TextPiece]:
    """Return the pieces, with broken ones joined to their neighbours in the same line."""
    whole: list[TextPiece] = []
    for piece in pieces:
        if whole and (joined := _join(text, whole[-1], piece)):
            whole[-1] = joined
        else:
            whole.append(piece)
    return whole


def _join(text: str, before: TextPiece, piece: TextPiece) -> TextPiece | None:
    """Join two pieces of one line where either is broken; return None where they stay apart."""
    closes = text[piece.stop : piece.stop + 1] in (")", "）")
    both = replace(before, stop=piece.stop + closes)
    if (
        "\n" in text[before.stop : piece.start]
        or length(text[both.start : both.stop]) > _MOST_JOINED
    ):
        return None
    broken = (is_broken(text, each.start, each.stop) for each in (before, piece))
    return both if any(broken) else None


def closing_mark(sentence: str) -> str:
    """Return the mark that closes the quotation that a sentence leaves open; "" if there is none.

    It counts only where words of the sentence's own precede the quotation.
    """
    opening = UNCLOSED.findall(outside := QUOTED.sub("", sentence))
    if len(opening) != 1 or _OPENS_AFTER_WORDS.search(outside) is None:
        return ""
    return _CLOSING_MARKS.get(opening[0], "")


def last_quotation(text: str, at: int) -> tuple[int, int]:
    """Return the bounds of the last quotation that begins at or before an index; (0, 0) for none."""
    quotations = quotations_in(text)
    number = bisect_right(quotations, at, key=lambda quotation: quotation[0])
    return quotations[number - 1] if number else (0, 0)
