"""Does an answer say its question back, or an earlier answer? A model that has lost the thread does so."""

import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from rules.extract.words import terms

_LITTLE_ELSE = 0.2
_BOUND = 12
_HELD = 0.75


def is_restated(answer: str, question: str) -> bool:
    """Whether the answer is the question, or its beginning or its end, and little else.

    A question may hold a text to be worked on: an answer that repeats much of that text alone restates nothing.
    """
    said, asked = list(terms(answer)), list(terms(question))
    if not said or len(said) - _in_order(said, asked) > _LITTLE_ELSE * len(said):
        return False
    begins = _in_order(said[: 2 * _BOUND], asked[:_BOUND]) >= _HELD * len(asked[:_BOUND])
    ends = _in_order(said[-2 * _BOUND :], asked[-_BOUND:]) >= _HELD * len(asked[-_BOUND:])
    return begins or ends


def is_repeated(answer: str, earlier: str) -> bool:
    """Whether both consist of the same words, whatever their case, white space, punctuation and Markdown."""
    words = _words(answer)
    return bool(words) and words == _words(earlier)


def _words(text: str) -> list[str]:
    shown = "".join(mark for mark in unicodedata.normalize("NFKC", text) if unicodedata.category(mark) != "Cf")
    return list(terms(shown.replace("_", " ")))


def _in_order(words: Sequence[str], among: Sequence[str]) -> int:
    """How many of the words stand among the others, in the same order."""
    return LCSseq.similarity(words, among)
