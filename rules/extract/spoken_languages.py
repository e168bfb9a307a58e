"""The language of a conversation, the languages that a sentence may be in, by their numbers in `TONGUES`."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from rules.extract.languages import TONGUES, UNKNOWN, spoken
from rules.extract.words import terms

_MESSAGES = 16_384
"""Texts of which it is remembered what everyday words they have."""
_ENGLISH = 0
_SCRIPTS = (
    ("CYRILLIC", (6, 7)),
    ("HIRAGANA", (13,)),
    ("KATAKANA", (13,)),
    ("CJK", (12,)),
    ("ARABIC", (10,)),
    ("DEVANAGARI", (11,)),
)
"""The numbers of the languages of a script; all others are written in Latin letters."""
_LATIN = (_ENGLISH, 1, 2, 3, 4, 5, 8, 9)
_LAST_LATIN = "ɏ"
_TELLING = 3
"""Fewer everyday words of a language do not tell it."""
_TERMS = 400
"""Words of a message by which its language is told."""
_SAMPLE = 60
"""Characters of a sentence by which its script is told."""


def language_of(texts: Iterable[str]) -> int:
    """Return the number of the language of most of the texts, by its place in `TONGUES`."""
    tongue = spoken((term for text in texts for term in terms(text)), TONGUES)
    return 0 if tongue is UNKNOWN else TONGUES.index(tongue)


def languages_of(sentence: str, message: str) -> tuple[int, ...]:
    """Return the numbers of the languages that a sentence may be in, by its script and its message."""
    sample = sentence[:_SAMPLE]
    letters = (
        []
        if sample.isascii()
        else [mark for mark in sample if mark > _LAST_LATIN and mark.isalpha()]
    )
    if 3 * len(letters) > len(sample.replace(" ", "")):
        names = {unicodedata.name(mark, "").partition(" ")[0] for mark in letters}
        return next((numbers for script, numbers in _SCRIPTS if script in names), _LATIN)
    counts = heard(message)
    most = max(counts)
    return tuple(
        number
        for number, count in zip(_LATIN, counts, strict=True)
        if most < _TELLING or count * 2 >= most
    )


def is_english(sentence: str, message: str, among: tuple[int, ...]) -> bool:
    """Return whether a sentence, which may be in these languages, is English: by its words, then by its message's."""
    if among[0] != _ENGLISH or len(among) == 1:
        return among[0] == _ENGLISH
    english, *others = (
        2 * own + around for own, around in zip(heard(sentence), heard(message), strict=True)
    )
    return english >= max(others)


@lru_cache(_MESSAGES)
def heard(text: str) -> tuple[int, ...]:
    """Return how many everyday words of each language of `_LATIN` a text has."""
    everyday = _everyday()
    counts = Counter(
        number for term in islice(terms(text), _TERMS) for number in everyday.get(term, ())
    )
    return tuple(counts[number] for number in _LATIN)


@cache
def _everyday() -> dict[str, list[int]]:
    """Return by everyday word the numbers of the languages, written in Latin letters, that have it."""
    numbers: dict[str, list[int]] = {}
    for number in _LATIN:
        tongue = TONGUES[number]
        for word in tongue.common.whole | tongue.me.whole | tongue.you.whole:
            numbers.setdefault(word, []).append(number)
    return numbers
