"""A passage as the extractive engine reads it: its sentences, and what is known of each before a question is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rules.extract.passage import Said, Sentence, prose
from rules.extract.salience import centrality, inwardness, occurrences, rarity
from rules.extract.tongue import Tongue, spoken
from rules.extract.tongues import TONGUES

_LAST_ONES = 4  # all the questions about a chunk are about one passage
PERSONA: Final = "assistant"
_ANNOUNCEMENT = 0.3
_FULL = 8.0
_TWO = 1.9


@dataclass(frozen=True, slots=True)
class Reading:
    """Parallel to `sentences`: how `central` each is, and how densely it holds the persona's own states (`inward`)."""

    sentences: tuple[Sentence, ...]
    rare: dict[str, float]
    central: list[float]
    inward: list[float]
    tongues: dict[str, Tongue]


def read(passage: Sequence[Said]) -> Reading:
    """Reads the prose of the passage; each side may speak a language of its own."""
    return _read(tuple(passage))


@lru_cache(_LAST_ONES)
def _read(passage: tuple[Said, ...]) -> Reading:
    sentences = prose(passage)
    rare = rarity(sentences)
    roles = dict.fromkeys(one.role for one in sentences)
    tongues = {
        role: spoken((term for one in sentences if one.role == role for term in one.terms), TONGUES) for role in roles
    }
    inward = inwardness(sentences, tongues[PERSONA]) if PERSONA in tongues else [0.0] * len(sentences)
    own = [weight if one.role == PERSONA else 0.0 for weight, one in zip(inward, sentences, strict=True)]
    return Reading(sentences, rare, centrality(sentences, rare), own, tongues)


def plain(reading: Reading) -> list[float]:
    """What each sentence is worth in a summary: half for being central, half for being there at all.

    Else a promise made in passing would be lost among forty sentences about bread. Headings and
    exclamations of a few words say less, one word nothing; what only announces a list says little.
    """
    mean = sum(reading.central) / max(1, len(reading.central))
    return [
        (weight + mean)
        * (min(1.0, one.words / _FULL) if one.words >= _TWO else 0.0)
        * (_ANNOUNCEMENT if one.text.rstrip("*_ ").endswith((":", "：")) else 1.0)
        for one, weight in zip(reading.sentences, reading.central, strict=True)
    ]


def threads(reading: Reading) -> list[int]:
    """For each sentence, how many of its words speak of promises, plans or corrections; three at most."""
    found = {role: occurrences(reading.sentences, tongue.threads) for role, tongue in reading.tongues.items()}
    return [min(3, found[one.role][at]) for at, one in enumerate(reading.sentences)]
