"""When two wordings of a fact are the same, which words they share, and which of them says more."""

import unicodedata
from functools import lru_cache

from rules.extract.words import terms

_TELLING = "#%&@"
"""By category punctuation, and yet part of what is said: C#, 5 %."""
_KEPT_READY = 20_000


@lru_cache(maxsize=_KEPT_READY)
def normal(text: str) -> str:
    """The text without what makes no difference: case, forms of characters (NFKC), punctuation, white space.

    Empty where nothing else is in it.
    """
    folded = _folded(_folded(text).casefold())  # what is folded can have other forms again
    return " ".join("".join(character if _counts(character) else " " for character in folded).split())


def words(text: str) -> frozenset[str]:
    """The words of a text, in any script, to compare it by."""
    return frozenset(terms(normal(text)))


def says_more(one: str, other: str) -> bool:
    """Whether the first wording is the richer: more words, each time counted."""
    return len(list(terms(normal(one)))) > len(list(terms(normal(other))))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _counts(character: str) -> bool:
    return character in _TELLING or unicodedata.category(character)[0] not in "PZC"
