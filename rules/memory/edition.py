"""Editions of a memory: written as-of, with hindsight, by the person, or as a fold. None is ever overwritten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

EXTRACTED, WRITTEN = "extracted", "model"

Kind = Literal["as-of", "hindsight", "person"]
Preferred = Literal["as-of", "hindsight"]
Six = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Quote:
    """The permanent part of a memory: characters of one raw message, and which message that is."""

    text: str
    source: str
    """Key of the raw message within its chat; empty where nobody knows it any more."""
    chosen: str
    """`agent`, `aligned` (the nearest passage), or `engine` where the agent's quote was not verbatim."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a memory."""

    number: int
    kind: Kind
    """`as-of`: nothing later was in sight. `hindsight`: what came after was. `person`: edited in TypingMind."""
    texts: Six
    """The six messages' texts: user, assistant, user, assistant, user, assistant."""
    quotes: tuple[Quote, ...]
    """One in a chunk's memory; a fold carries those of its members, word for word."""
    made: str
    """`model`, or `extracted` by the built-in engine."""
    agent: str
    context_manager: str
    requests: tuple[str, ...]
    """Hashes of the requests that it was made from: where it comes from, to the byte."""
    tokens: int
    written_at: str


def shown(editions: Sequence[Edition], chosen: int | None, preferred: Preferred) -> Edition:
    """The edition that stands in the export: the person's choice, else the newest of the preferred kind.

    Where there is none of that kind it is the newest as-of edition. Raises ValueError without any edition.
    """
    if chosen is not None:
        return next(edition for edition in editions if edition.number == chosen)
    return _newest(editions, preferred) or told(editions, chosen)


def told(editions: Sequence[Edition], chosen: int | None) -> Edition:
    """The edition that later prompts see, whenever rounds happened: the person's own text, else as-of."""
    for edition in editions:
        if edition.number == chosen and edition.kind == "person":
            return edition
    if found := _newest(editions, "as-of"):
        return found
    raise ValueError("a memory has an as-of edition")


def _newest(editions: Sequence[Edition], kind: Kind) -> Edition | None:
    return next((edition for edition in reversed(editions) if edition.kind == kind), None)
