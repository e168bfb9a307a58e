"""What a fact says: its words, whether it says more than another, or the opposite."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rules.extract.listed import listed
from rules.extract.words import terms

_KEPT_READY = 20_000
"""Texts whose words are kept in memory."""
_TELLING = "#%&@"
"""Characters that are punctuation by their category, and yet part of what is said: C#, 5 %."""
_NO = listed(
    """
    no not never none nobody nothing neither nor without cannot t dislike* hate* stop* quit
    former* anymore longer
    nicht nichts nie niemals kein* niemand ohne weder aufgehört
    ne pas jamais rien aucun* personne sans plus ni
    nunca jamás nada nadie ningun* ningún sin tampoco ya
    não nem nenhum* ninguém sem
    non mai niente nulla nessun* senza né
    не нет ни никогда никто ничего без нельзя больше
    ні немає ніколи ніхто нічого більше
    nie nigdy nikt nic bez żad* już
    değil yok hiç hayır asla artık kimse
    لا ليس ليست لم لن ما غير بدون أبدا
    नहीं न ना मत कभी बिना नही
    不* 没* 沒* 無* 无* 未* 非* 别* 別*
    ない なく なか せん ませ ずに 嫌い
    """
)


@lru_cache(maxsize=_KEPT_READY)
def normal(text: str) -> str:
    """Return the text without case, forms of characters (NFKC), punctuation and white space.

    Empty where nothing else is in it.
    """
    # Folding makes new forms.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    telling = (
        mark if mark in _TELLING or unicodedata.category(mark)[0] not in "PZC" else " "
        for mark in folded
    )
    return " ".join("".join(telling).split())


def words(text: str) -> frozenset[str]:
    """Return the words of a text, in any script, to compare it by."""
    return frozenset(terms(normal(text)))


def says_more(first: str, second: str) -> bool:
    """Return whether the first wording is the richer: more words, repeated ones counted."""
    return len(list(terms(normal(first)))) > len(list(terms(normal(second))))


def opposed(first: str, second: str) -> bool:
    """Return whether the two differ in their numbers, or in how often they say no."""
    numbers, denials = [], []
    for text in (normal(first), normal(second)):
        numbers.append(Counter("".join(mark if mark.isnumeric() else " " for mark in text).split()))
        denials.append(sum(term in _NO for term in terms(text)))
    return numbers[0] != numbers[1] or denials[0] != denials[1]


@dataclass(frozen=True, slots=True)
class Source:
    """A raw message: facts come from these alone, never from memories."""

    key: str
    text: str
    said_at: str
    """When it was written, as the export has it; empty where unknown."""


def source_of(text: str, named: int | None, sources: Sequence[Source]) -> Source:
    """Return the message of this number, from 1; else the one that shares most words, the earliest.

    There is at least one.
    """
    if named is not None and 1 <= named <= len(sources):
        return sources[named - 1]
    terms_of_text = words(text)
    return max(sources, key=lambda source: len(terms_of_text & words(source.text)))
