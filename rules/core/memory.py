"""The core memory of a chat: its sections, each under its one name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

from rules.core.section import Section, Value

Kind = Literal[
    "unknown section",
    "kept by the person",
    "not found",
    "no content",
    "over the limit",
    "unknown function",
    "wrong arguments",
    "unreadable",
    "sections changed",
    "other",
]
"""The ways in which an edit fails, as they are counted."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an edit cannot be made, as a sentence that the agent reads; nothing has changed."""

    reason: str
    kind: Kind = "other"
    """Counted in the place of the reason, which may hold what was said."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """The sections, in the order in which they are shown. Raises ValueError where two have the same name."""

    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        if len({section.name for section in self.sections}) < len(self.sections):
            raise ValueError("two sections have the same name")

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def find(self, name: str) -> Section | None:
        """The section of that name, or None."""
        return next((section for section in self.sections if section.name == name), None)

    def with_value(self, name: str, value: Value) -> Self:
        """The same memory with another value in one section. Raises OverLimit, and KeyError for an unknown name."""
        if self.find(name) is None:
            raise KeyError(name)
        return type(self)(tuple(one.with_value(value) if one.name == name else one for one in self.sections))
