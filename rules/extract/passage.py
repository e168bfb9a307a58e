"""A passage of a conversation, and its sentences of prose in order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.extract.sentences import TextPiece, sentences
from rules.extract.words import length, terms

_PLACEHOLDER = re.compile(r"\[[^\]]*\]")
_LINKED = re.compile(r"\[[^\[\]\n]{3,}\](?!\()")

_AT_MOST = 10_000
_STOPS = frozenset(".!?…。！？｡।॥؟۔։።፧፨។៕။༎།⸮‼⁇⁈⁉")
_BEHIND_STOPS = "\"'”’»›“‘)]}】」』）》〉*_~` "


@dataclass(frozen=True, slots=True)
class Said:
    """One message: who said it ("user" or "assistant"), its text, and its day (ISO, or "" where unknown)."""

    role: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The characters [start, stop) of message number `message`; `terms` are its distinct words, `words` its length."""

    message: int
    role: str
    start: int
    stop: int
    text: str
    terms: tuple[str, ...]
    words: float


def prose(passage: Sequence[Said]) -> tuple[Sentence, ...]:
    """The sentences of prose in the passage; what is only a placeholder in square brackets is none.

    Of a passage of more than ten thousand sentences (a pasted book), evenly spread ones that many at most.
    """
    pieces = [
        (number, piece)
        for number, said in enumerate(passage)
        for piece in sentences(said.text)
        if piece.prose
        and not (said.text[piece.start] == "[" and _PLACEHOLDER.fullmatch(said.text, piece.start, piece.stop))
    ]
    return tuple(_sentence(number, passage[number], piece) for number, piece in pieces[:: 1 + len(pieces) // _AT_MOST])


def _sentence(number: int, said: Said, piece: TextPiece) -> Sentence:
    text = said.text[piece.start : piece.stop]
    words = tuple(dict.fromkeys(terms(text)))
    return Sentence(number, said.role, piece.start, piece.stop, text, words, length(text))


def has_placeholder(text: str) -> bool:
    """Whether something in square brackets stands in `text` that is neither a link nor a mark of a footnote."""
    return _LINKED.search(text) is not None


def between_placeholders(text: str) -> list[str]:
    """The parts of `text` before, between and behind its placeholders."""
    return _LINKED.split(text)


def is_finished(text: str) -> bool:
    """Whether the sentence ends with a stop, as headings and items of lists do not."""
    return text.rstrip(_BEHIND_STOPS)[-1:] in _STOPS
