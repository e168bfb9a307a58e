"""Tell the language of a conversation, and those a sentence may be in.

A language's number is its index in `TONGUES`.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from rules.extract.languages import TONGUES, UNKNOWN, find_tongue_of
from rules.extract.words import split_terms

_CACHED_TEXTS = 16_384
"""Texts whose counts of everyday words are cached."""
_ENGLISH = 0
_SCRIPTS = (
    ("CYRILLIC", (6, 7)),
    ("HIRAGANA", (13,)),
    ("KATAKANA", (13,)),
    ("CJK", (12,)),
    ("ARABIC", (10,)),
    ("DEVANAGARI", (11,)),
)
"""The languages that are written in a script, by the first word of its characters' Unicode names;
all others are in Latin letters."""
_LATIN = (_ENGLISH, 1, 2, 3, 4, 5, 8, 9)
_LAST_LATIN = "ɏ"
_FEWEST_EVERYDAY = 3
"""A message with fewer everyday words of any language may be in all of them."""
_WORDS_READ = 400
"""The first words of a text, in which everyday words are counted."""
_CHARACTERS_READ = 60
"""The first characters of a sentence, which tell its script."""


def language_of(texts: Iterable[str]) -> int:
    """Return the number of the language that most texts are in; English if none is recognized."""
    tongue = find_tongue_of(texts)
    return _ENGLISH if tongue is UNKNOWN else TONGUES.index(tongue)


def languages_of(sentence: str, message: str) -> tuple[int, ...]:
    """Return the numbers of the languages that a sentence may be in.

    Its script tells; for Latin letters, the everyday words of its message: each language counts
    that has at least half as many of them as the one with most.
    """
    sample = sentence[:_CHARACTERS_READ]
    foreign = [letter for letter in sample if letter > _LAST_LATIN and letter.isalpha()]
    if 3 * len(foreign) > len(sample.replace(" ", "")):
        names = {unicodedata.name(letter, "").partition(" ")[0] for letter in foreign}
        return next((numbers for script, numbers in _SCRIPTS if script in names), _LATIN)
    counts = count_everyday_words(message)
    most = max(counts)
    return tuple(
        number
        for number, count in zip(_LATIN, counts, strict=True)
        if most < _FEWEST_EVERYDAY or count * 2 >= most
    )


def is_english(sentence: str, message: str, among: tuple[int, ...]) -> bool:
    """Return whether a sentence that may be in the languages `among` is English.

    Its everyday words tell, each counted twice, and those of its message, each counted once.
    """
    if among[0] != _ENGLISH or len(among) == 1:
        return among[0] == _ENGLISH
    english, *others = (
        2 * own + around
        for own, around in zip(
            count_everyday_words(sentence), count_everyday_words(message), strict=True
        )
    )
    return english >= max(others)


@lru_cache(_CACHED_TEXTS)
def count_everyday_words(text: str) -> tuple[int, ...]:
    """Return how many everyday words of each language of `_LATIN` a text has."""
    everyday = _everyday()
    counts = Counter(
        number
        for term in islice(split_terms(text), _WORDS_READ)
        for number in everyday.get(term, ())
    )
    return tuple(counts[number] for number in _LATIN)


@cache
def _everyday() -> dict[str, list[int]]:
    """Return by everyday word the numbers of the languages in Latin letters that have it."""
    numbers: dict[str, list[int]] = {}
    for number in _LATIN:
        tongue = TONGUES[number]
        for word in tongue.common.whole | tongue.me.whole | tongue.you.whole:
            numbers.setdefault(word, []).append(number)
    return numbers
