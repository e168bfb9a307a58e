"""All that an answer about facts is judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rules.facts.fact import Fact
from rules.facts.forgotten import Forgotten
from rules.facts.source import Source


@dataclass(frozen=True, slots=True)
class Known:
    """What is known when the facts of a chunk are asked for."""

    shown: Sequence[Fact]
    """Those that the prompt shows: the id of each is its place here, from 0. All of them are live."""
    live: Sequence[Fact]
    forgotten: Sequence[Forgotten]
    sources: Sequence[Source]
    """The chunk's raw messages, as they are numbered in the prompt."""
    next_number: int
    """Of the next fact that is added."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Texts of the answer, each with other texts of the answer or of known facts that say the same, nearest first."""

    def named(self, fact_id: str) -> Fact | None:
        """The fact that is shown under an id."""
        return next((fact for at, fact in enumerate(self.shown) if str(at) == fact_id), None)
