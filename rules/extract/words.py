"""What a word is, in any script: words to compare texts by, and words to measure texts by.

Most scripts put spaces between words. Han, kana, Thai, Lao, Khmer, Burmese and Tibetan do not: their
texts are compared by pairs of neighbouring characters, and measured by characters a word.
"""

import re
from collections.abc import Iterator

CROWDED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0f0c\u0f18-\u0fff"  # Tibetan, without its stops
    "\u1000-\u1049\u104c-\u109f"  # Burmese, without its stops
    "\u1780-\u17d3\u17d7\u17dc-\u17ff"  # Khmer, without its stops
    "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U0003ffff"  # Han, kana
)
"""The inside of a character class: letters of the scripts that write without spaces."""

UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
"""Hangul fillers and the empty Braille pattern: by category letters and signs, to the eye nothing."""

# Python's \w knows no combining marks, so the vowels of Indic scripts and points are named here.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
# An apostrophe parts words ("I'll", "j'ai"), but stands inside a Ukrainian one; "i.e." is one word.
_TERM = re.compile(
    rf"[{CROWDED}]+|(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)"
    rf"|(?:(?![{CROWDED}])[\w{_MARKS}]|(?<=\w)['’ʼ](?=[яюєїЯЮЄЇ]))+"
)
_IS_CROWDED = re.compile(rf"[{CROWDED}]")
_MEASURE = re.compile(rf"[\u0e00-\u109f\u1780-\u17ff]|[{CROWDED}]|[^\s{CROWDED}]+")
_HAN_A_WORD = 1.7
_THAI_A_WORD = 4.0
_LONG_WORD = 24


def has_words(text: str) -> bool:
    """Whether a letter or a digit stands in it that a reader sees."""
    return any(mark.isalnum() and mark not in UNSEEN for mark in text)


def terms(text: str) -> Iterator[str]:
    """The words of `text`, casefolded, in order; pairs of characters where words have no spaces."""
    for match in _TERM.finditer(text):
        run = match.group()
        if not _IS_CROWDED.match(run):
            yield run.casefold().replace("’", "'").replace("ʼ", "'")
        elif len(run) == 1:
            yield run
        else:
            yield from (run[at : at + 2] for at in range(len(run) - 1))


def length(text: str) -> float:
    """How long `text` is, in words: what spaces part, or 1.7 characters of Han and kana, or 4 of Thai.

    An endless run without spaces (an address, encoded bytes) counts one more for every 24 characters.
    """
    return sum(_weigh(match.group()) for match in _MEASURE.finditer(text))


def shorten(text: str, words: float) -> str:
    """The longest beginning of `text` of at most `words` words; cuts between words where it can."""
    spent = 0.0
    for match in _MEASURE.finditer(text):
        spent += _weigh(match.group())
        if spent > words:
            return text[: match.start()].rstrip() or match.group()[: max(1, int(words * _LONG_WORD) - 1)]
    return text.rstrip()


def _weigh(run: str) -> float:
    if not _IS_CROWDED.match(run):
        return 1 + len(run) // _LONG_WORD
    return 1 / (_THAI_A_WORD if run < "\u3000" else _HAN_A_WORD)
