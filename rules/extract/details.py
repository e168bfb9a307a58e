"""What a summary must not lose: the names, dates and numbers of each sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rules.extract.months import MONTHS
from rules.extract.passage import Sentence

_WORD = re.compile(r"[^\W\d_]{2,}")
_SINGLE_DIGIT = 0.3
_MANY_CAPITALS = 0.08
_AT_MOST = 5.0


def details(sentences: Sequence[Sentence]) -> list[float]:
    """For each sentence, its names, months and numbers, counted up to five; a lone digit counts little.

    A name is a word with a capital inside a sentence that the passage never writes small. Where
    capitals are common (German nouns) each tells less.
    """
    names, weight = _names(sentences)
    return [min(_AT_MOST, sum(_weigh(term, names, weight) for term in one.terms)) for one in sentences]


def _weigh(term: str, names: frozenset[str], name_weight: float) -> float:
    if term in names:
        return max(name_weight, float(term in MONTHS))
    if any(map(str.isdecimal, term)):
        return 1.0 if len(term) > 1 else _SINGLE_DIGIT
    return 0.0


def _names(sentences: Sequence[Sentence]) -> tuple[frozenset[str], float]:
    """The casefolded names of the passage, and how much each tells, 0 to 1."""
    inside = Counter(word for one in sentences for word in _inner_words(one.text))
    small = {word for word in inside if word.islower()}
    names = {word.casefold(): count for word, count in inside.items() if word[0].isupper()}
    for word in small:
        names.pop(word, None)
    share = sum(names.values()) / (inside.total() or 1)
    return frozenset(names), min(1.0, _MANY_CAPITALS / share) if share else 1.0


def _inner_words(text: str) -> Iterator[str]:
    """The words of a sentence but its first; of a title, where most begin with capitals, only the small ones."""
    words = _WORD.findall(text)[1:]
    capitals = sum(word[0].isupper() for word in words)
    return iter(words) if 2 * capitals <= len(words) or len(words) < 3 else filter(str.islower, words)
