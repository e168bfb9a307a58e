"""A section of the core memory: a name, what it is for, how long it may be, and what stands in it."""

from dataclasses import dataclass, replace
from typing import Self

Value = str | tuple[str, ...]
"""A text, or a list of texts."""


def rendered(value: Value) -> str:
    """A value as it is shown: the text itself, or a line for each entry of the list."""
    return value if isinstance(value, str) else "\n".join(f"- {entry}" for entry in value)


def lines_of(value: Value) -> tuple[str, ...]:
    """The lines of a text, or the entries of a list."""
    return tuple(value.split("\n")) if isinstance(value, str) else value


class OverLimit(ValueError):
    """A value that is longer than its section may be; it never comes to be one."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section. Raises OverLimit where its value, as it is shown, has more characters than its limit."""

    name: str
    description: str
    limit: int
    """Characters of the rendered value."""
    value: Value = ""
    held: bool = False
    """The person has set it by hand: the agent may not edit it until they release it."""
    held_lines: tuple[str, ...] = ()
    """Lines that the person has written in it: no edit of the agent's may change or remove them."""

    def __post_init__(self) -> None:
        if len(self.rendered) > self.limit:
            raise OverLimit(f'The section "{self.name}" would have {len(self.rendered)} of {self.limit} characters.')

    @property
    def rendered(self) -> str:
        """The value as it is shown; the limit is on its characters."""
        return rendered(self.value)

    def with_value(self, value: Value) -> Self:
        """The same section with another value. Raises OverLimit."""
        return replace(self, value=value)
