"""The language of a conversation, and whether a sentence may be English."""

from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import islice

from rules.extract.languages import TONGUES, UNKNOWN, spoken
from rules.extract.words import terms

_MESSAGES = 16_384
"""Texts of which it is remembered what everyday words they have."""
_ENGLISH = 0
_OTHERS = (1, 2, 3, 4, 5, 8, 9)
"""The numbers in `TONGUES` of the other languages that are written in Latin letters."""
_LAST_LATIN = "ɏ"
_TERMS = 400
"""Words of a message by which its language is told."""
_SAMPLE = 60
"""Characters of a sentence by which its script is told."""


def language_of(texts: Iterable[str]) -> int:
    """Return the number of the language of most of the texts, by its place in `TONGUES`."""
    tongue = spoken((term for text in texts for term in terms(text)), TONGUES)
    return 0 if tongue is UNKNOWN else TONGUES.index(tongue)


def is_english(sentence: str, message: str) -> bool:
    """Return whether a sentence is English, as far as its letters, its words and those of its message tell."""
    sample = sentence[:_SAMPLE]
    if not sample.isascii():
        letters = sum(mark > _LAST_LATIN and mark.isalpha() for mark in sample)
        if 3 * letters > len(sample.replace(" ", "")):
            return False
    english, *others = heard(message)
    if english > 2 * max(others):
        return True
    own, *other = heard(sentence)
    return all(
        2 * own + english >= 2 * inside + around
        for inside, around in zip(other, others, strict=True)
    )


@lru_cache(_MESSAGES)
def heard(text: str) -> tuple[int, ...]:
    """Return how many everyday words of English, and of each other language in Latin letters, a text has."""
    everyday = _everyday()
    counts = Counter(
        number for term in islice(terms(text), _TERMS) for number in everyday.get(term, ())
    )
    return tuple(counts[number] for number in (_ENGLISH, *_OTHERS))


@cache
def _everyday() -> dict[str, list[int]]:
    """Return by everyday word the numbers of the languages, written in Latin letters, that have it."""
    numbers: dict[str, list[int]] = {}
    for number in (_ENGLISH, *_OTHERS):
        tongue = TONGUES[number]
        for word in tongue.common.whole | tongue.me.whole | tongue.you.whole:
            numbers.setdefault(word, []).append(number)
    return numbers
