"""The languages of TONGUES that a sentence, a message or a conversation may be in, by their numbers there."""

import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from rules.extract.languages import TONGUES, UNKNOWN, spoken
from rules.extract.words import terms

_MESSAGES = 16_384
"""Messages whose languages are remembered."""
_SCRIPTS = (
    ("CYRILLIC", (6, 7)),
    ("HIRAGANA", (13,)),
    ("KATAKANA", (13,)),
    ("CJK", (12,)),
    ("ARABIC", (10,)),
    ("DEVANAGARI", (11,)),
)
"""The numbers of the languages of a script; all others are written in Latin letters."""
_LATIN = (0, 1, 2, 3, 4, 5, 8, 9)
_LAST_LATIN = "ɏ"
_TERMS = 400
"""Words of a message by which its language is told."""
_TELLING = 3
"""Fewer everyday words of a language do not tell it."""
_SAMPLE = 60
"""Characters of a sentence by which its script is told."""


def language_of(texts: Iterable[str]) -> int:
    """Return the number of the language of most of the texts, by its place in `TONGUES`."""
    tongue = spoken((term for text in texts for term in terms(text)), TONGUES)
    return 0 if tongue is UNKNOWN else TONGUES.index(tongue)


def languages_of(sentence: str, message: str) -> tuple[int, ...]:
    """Return the numbers of the languages that a sentence may be in, by its script and its message."""
    letters = [mark for mark in sentence[:_SAMPLE] if mark > _LAST_LATIN and mark.isalpha()]
    if 3 * len(letters) > len(sentence[:_SAMPLE].replace(" ", "")):
        names = {unicodedata.name(mark, "").partition(" ")[0] for mark in letters}
        return next((numbers for script, numbers in _SCRIPTS if script in names), _LATIN)
    return latin_languages(message)


@lru_cache(_MESSAGES)
def latin_languages(message: str) -> tuple[int, ...]:
    """Return the numbers of those, written in Latin letters, whose everyday words a message has; all where it has few."""
    heard = dict.fromkeys(_LATIN, 0)
    for term in islice(terms(message), _TERMS):
        for number in _everyday().get(term, ()):
            heard[number] += 1
    most = max(heard.values())
    return tuple(number for number in _LATIN if most < _TELLING or heard[number] * 2 >= most)


@cache
def _everyday() -> dict[str, list[int]]:
    """Return by everyday word the numbers of the languages, written in Latin letters, that have it."""
    numbers: dict[str, list[int]] = {}
    for number in _LATIN:
        tongue = TONGUES[number]
        for word in tongue.common.whole | tongue.me.whole | tongue.you.whole:
            numbers.setdefault(word, []).append(number)
    return numbers
