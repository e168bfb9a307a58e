"""The raw messages that facts are taken from, and which of them a fact stands in."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.facts.wording import words


@dataclass(frozen=True, slots=True)
class Source:
    """A raw message: facts come from these alone, never from memories."""

    key: str
    text: str
    said_at: str
    """When it was written, as the export has it; empty where nobody knows."""


def source_of(text: str, named: int | None, sources: Sequence[Source]) -> Source:
    """The message that is named by its number, from 1 on; else the one that shares most words with the text.

    Of several that share as many it is the earliest. There is at least one.
    """
    if named is not None and 1 <= named <= len(sources):
        return sources[named - 1]
    wanted = words(text)
    return max(sources, key=lambda source: len(wanted & words(source.text)))
