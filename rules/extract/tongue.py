"""A language, as far as the extractive engine knows it, and how to tell which one is spoken."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rules.extract.listed import Listed, listed

_SAMPLE = 4000
_TELLING_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class Tongue:
    """One language, by everyday words.

    `common` tell it from others; `me` are the first person and verbs that carry it; `states` are feeling,
    noticing, doubting, wishing; `threads` are promises, plans and corrections; `service` are the
    courtesies of an assistant, which tell little about a mind.
    """

    common: Listed
    me: Listed
    states: Listed
    threads: Listed
    service: Listed


UNKNOWN: Final = Tongue(listed(""), listed(""), listed(""), listed(""), listed(""))
"""A language that is not in the table."""


def spoken(terms: Iterable[str], among: Sequence[Tongue]) -> Tongue:
    """The language in which `terms` are spoken, by everyday words; UNKNOWN where those tell nothing."""
    heard = Counter(islice(terms, _SAMPLE))
    scores = [sum(count for term, count in heard.items() if term in tongue.common) for tongue in among]
    best = max(scores)
    return among[scores.index(best)] if best > _TELLING_SHARE * heard.total() else UNKNOWN
