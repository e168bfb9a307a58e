"""Core memory: sections of bounded size, and the events that their values are made of. Events are only added."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

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
        return type(self)(
            tuple(section.with_value(value) if section.name == name else section for section in self.sections)
        )


def editable(memory: CoreMemory, name: str) -> Section | Refusal:
    """The section of that name, or why the agent may not edit it."""
    section = memory.find(name)
    if section is None:
        names = ", ".join(f'"{known.name}"' for known in memory)
        return Refusal(f"There is no section of that name; the sections are {names}.", "unknown section")
    if section.held:
        return Refusal(
            f'The person keeps the section "{name}" themselves; it cannot be edited until they release it.',
            "kept by the person",
        )
    return section


def written(memory: CoreMemory, name: str, value: Value) -> CoreMemory | Refusal:
    """The memory with this value in the section; it is not shortened where it is over the limit, but refused."""
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    would_have = len(rendered(value))
    if would_have > section.limit:
        return Refusal(
            f'The section "{name}" has {len(section.rendered)} characters, may have {section.limit}, and would have '
            f"{would_have}.",
            "over the limit",
        )
    return memory.with_value(name, value)


By = Literal["agent", "person"]


@dataclass(frozen=True, slots=True)
class CoreEvent:
    """Something that was written into a section. Events are only added: the newest of a section is its value."""

    section: str
    value: Value
    held: bool
    """The person has set it: the agent does not edit it until they release it."""
    by: By
    function: str
    """What the agent called, or what the person did: set, release, undo, edited in TypingMind."""
    memory: int = 0
    """Number of the memory after which the agent did it; 0: it was the person."""
    edition: int = 0
    """The edition of that memory."""
    number: int = 0
    """Its own, in the order in which they happened; 0: it is not kept yet."""
    undoes: int = 0
    """Number of the event that this one takes back; 0: none."""
    at: str = ""
    held_lines: tuple[str, ...] = ()
    """Lines of the value that the person has written, and the agent leaves as they are until they release them."""


def core_after(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreMemory:
    """The sections with what was written into them last; those that nobody has touched have their first values.

    Raises OverLimit where a value that was written under a higher limit no longer fits.
    """
    newest = {event.section: event for event in events}
    return CoreMemory(tuple(_after(section, newest.get(section.name)) for section in sections))


def _after(section: Section, event: CoreEvent | None) -> Section:
    if event is None:
        return section
    return replace(section, value=event.value, held=event.held, held_lines=event.held_lines)


def corrected(section: Section, value: Value, function: str) -> CoreEvent:
    """What comes of a section in which the person has edited lines: those that are new are theirs from now on."""
    before = {line.rstrip() for line in lines_of(section.value)}
    lines = dict.fromkeys(line for line in lines_of(value) if line.strip())
    own = tuple(line for line in lines if line in section.held_lines or line.rstrip() not in before)
    return CoreEvent(section.name, value, section.held, "person", function, held_lines=own)


def taken_back(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreEvent | None:
    """The event that takes back the newest one that has not been taken back; None where there is none.

    What was written into sections that are not there any more stays as it is.
    """
    first = {section.name: section.value for section in sections}
    undone = {event.undoes for event in events}
    able = [event for event in events if event.section in first and not event.undoes and event.number not in undone]
    if not able:
        return None
    last = able[-1]
    before = [event for event in able[:-1] if event.section == last.section]
    if not before:
        return CoreEvent(
            last.section, first[last.section], held=False, by="person", function="undo", undoes=last.number
        )
    return replace(before[-1], by="person", function="undo", memory=0, edition=0, number=0, undoes=last.number, at="")
