"""Core memory: sections of bounded size, and the events that it is made of.

A section's edits are checked before they change its value. Events are only added: what each
changed, the memory after them, corrections and undo.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

Value = str | tuple[str, ...]
"""A text, or a list of texts."""

Kind = Literal[
    "unknown section",
    "kept by the person",
    "not found",
    "no content",
    "over the limit",
    "already there",
    "unknown function",
    "wrong arguments",
    "unreadable",
    "sections changed",
    "the person's name",
    "the person as I",
    "control mark",
    "other",
]
"""The ways in which an edit fails, as they are counted."""

By = Literal["agent", "person"]


class OverLimit(ValueError):
    """A value that is longer than its section may be; it never comes to be one."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section. Raises OverLimit where its value, as shown, has too many characters."""

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
            raise OverLimit(
                f'The section "{self.name}" would have {len(self.rendered)} of {self.limit} '
                "characters."
            )

    @property
    def rendered(self) -> str:
        """Return the value as it is shown; the limit is on its characters."""
        return rendered(self.value)

    def with_value(self, value: Value) -> Self:
        """Return the same section with another value. Raises OverLimit."""
        return replace(self, value=value)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an edit cannot be made, as a sentence that the agent reads; nothing has changed."""

    reason: str
    kind: Kind = "other"
    """Counted in place of the reason, which may hold what was said."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """The sections in the order shown. Raises ValueError where two have the same name."""

    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        if len({section.name for section in self.sections}) < len(self.sections):
            raise ValueError("two sections have the same name")

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def find(self, name: str) -> Section | None:
        """Return the section of that name, or None."""
        return next((section for section in self.sections if section.name == name), None)

    def with_value(self, name: str, value: Value) -> Self:
        """Return the memory with another value in one section. Raises OverLimit or KeyError."""
        if self.find(name) is None:
            raise KeyError(name)
        return type(self)(
            tuple(
                section.with_value(value) if section.name == name else section
                for section in self.sections
            )
        )


NO_CORE_MEMORY = CoreMemory(())


@dataclass(frozen=True, slots=True)
class CoreEvent:
    """Something written into a section. Events are only added: the newest of a section counts."""

    section: str
    value: Value
    held: bool
    """The person has set it: the agent does not edit it until they release it."""
    by: By
    function: str
    """The function that the agent called, or the person's: set, release, undo, edited there."""
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
    """Lines of the value that the person wrote: the agent may not change them until released."""


def rendered(value: Value) -> str:
    """Return a value as it is shown: the text itself, or a line for each entry of the list."""
    return value if isinstance(value, str) else "\n".join(f"- {entry}" for entry in value)


def lines_of(value: Value) -> tuple[str, ...]:
    """Return the lines of a text, or the entries of a list."""
    return tuple(value.split("\n")) if isinstance(value, str) else value


def editable(memory: CoreMemory, name: str) -> Section | Refusal:
    """Return the section of that name, or why the agent may not edit it."""
    section = memory.find(name)
    if section is None:
        names = ", ".join(f'"{known.name}"' for known in memory)
        return Refusal(
            f"There is no section of that name; the sections are {names}.", "unknown section"
        )
    if section.held:
        return Refusal(
            f'The person keeps the section "{name}" themselves; it cannot be edited until they '
            "release it.",
            "kept by the person",
        )
    return section


def written(memory: CoreMemory, name: str, value: Value) -> CoreMemory | Refusal:
    """Return the memory with this value in the section; one over the limit is refused."""
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    # Models are prone to repeat lines. Those that were there several times stay, and empty ones.
    had, seen, kept = Counter(lines_of(section.value)), Counter[str](), list[str]()
    for line in lines_of(value):
        seen[line] += 1
        if not line.strip() or seen[line] <= max(1, had[line]):
            kept.append(line)
    value = tuple(kept) if isinstance(value, tuple) else "\n".join(kept)
    if value == section.value:
        return Refusal(
            f'The section "{name}" says that already, so nothing was changed.', "already there"
        )
    would_have = len(rendered(value))
    if would_have > section.limit:
        return Refusal(
            f'The section "{name}" has {len(section.rendered)} characters, may have '
            f"{section.limit}, and would have {would_have}.",
            "over the limit",
        )
    return memory.with_value(name, value)


def core_after(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreMemory:
    """Return the sections as last written; untouched ones have their first values.

    Raises OverLimit where a value that was written under a higher limit no longer fits.
    """
    newest = {event.section: event for event in events}
    after: list[Section] = []
    for section in sections:
        event = newest.get(section.name)
        if event is not None:
            section = replace(
                section, value=event.value, held=event.held, held_lines=event.held_lines
            )
        after.append(section)
    return CoreMemory(tuple(after))


def corrected(section: Section, value: Value, function: str) -> CoreEvent:
    """Return the event of a section that the person edited: lines new in it are theirs now."""
    before = {line.rstrip() for line in lines_of(section.value)}
    lines = dict.fromkeys(line for line in lines_of(value) if line.strip())
    own = tuple(line for line in lines if line in section.held_lines or line.rstrip() not in before)
    return CoreEvent(section.name, value, section.held, "person", function, held_lines=own)


def taken_back(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreEvent | None:
    """Return the event that takes back the newest one not taken back yet; None without one.

    What was written into sections that are not there any more stays as it is.
    """
    first = {section.name: section.value for section in sections}
    undone = {event.undoes for event in events}
    able = [
        event
        for event in events
        if event.section in first and not event.undoes and event.number not in undone
    ]
    if not able:
        return None
    last = able[-1]
    begins = CoreEvent(last.section, first[last.section], held=False, by="person", function="undo")
    before = [begins, *(event for event in able[:-1] if event.section == last.section)][-1]
    return CoreEvent(
        before.section,
        before.value,
        before.held,
        "person",
        "undo",
        undoes=last.number,
        held_lines=before.held_lines,
    )
