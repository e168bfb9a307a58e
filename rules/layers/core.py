"""Core memory: sections of bounded size, and the events that add up to their present values.

An edit is checked before it changes a section. Events are only ever added, also to correct or undo
an earlier one.
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
"""Why an edit fails; these are counted, since a reason in words may hold what was said."""

By = Literal["agent", "person"]


class OverLimit(ValueError):
    """A value is longer than its section may be."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section. Raises OverLimit where its value, as shown, has more characters than its limit."""

    name: str
    description: str
    limit: int
    """Characters of the rendered value."""
    value: Value = ""
    held: bool = False
    """Whether the person has set it by hand: the agent may not edit it until they release it."""
    held_lines: tuple[str, ...] = ()
    """Lines that the person has written: the agent may not change or remove them."""

    def __post_init__(self) -> None:
        if len(self.rendered) > self.limit:
            raise OverLimit(
                f'The section "{self.name}" would have {len(self.rendered)} of {self.limit} '
                "characters."
            )

    @property
    def rendered(self) -> str:
        """Return the value as it is shown; its characters count against the limit."""
        return render_value(self.value)

    def with_value(self, value: Value) -> Self:
        """Return the section with another value. Raises OverLimit."""
        return replace(self, value=value)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edit was not made; the reason is a sentence that the agent reads."""

    reason: str
    kind: Kind = "other"
    """What is counted, as the reason may hold what was said."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """The sections, in the order shown. Raises ValueError where two have the same name."""

    sections: tuple[Section, ...]

    def __post_init__(self) -> None:
        if len({section.name for section in self.sections}) < len(self.sections):
            raise ValueError("two sections have the same name")

    def __iter__(self) -> Iterator[Section]:
        return iter(self.sections)

    def find(self, name: str) -> Section | None:
        """Return the section with this name, or None."""
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
    """Something written into a section. Events are only added; a section's newest one counts."""

    section: str
    value: Value
    held: bool
    """Whether the person has set it: the agent may not edit it until they release it."""
    by: By
    function: str
    """The function that the agent called, or the person's: set, release, undo, edited there."""
    memory: int = 0
    """The number of the memory after which the agent did it; 0 where the person did it."""
    edition: int = 0
    """The edition of that memory."""
    number: int = 0
    """Its own number, in the order of events; 0 until it is stored."""
    undoes: int = 0
    """The number of the event that this one undoes; 0 for none."""
    at: str = ""
    held_lines: tuple[str, ...] = ()
    """Lines of the value that the person wrote.

    The agent may not change them until the person releases them.
    """


def render_value(value: Value) -> str:
    """Return a value as it is shown: a text as it is, and a list with a line for each entry."""
    return value if isinstance(value, str) else "\n".join(f"- {entry}" for entry in value)


def lines_of(value: Value) -> tuple[str, ...]:
    """Return the lines of a text, or the entries of a list."""
    return tuple(value.split("\n")) if isinstance(value, str) else value


def editable(memory: CoreMemory, name: str) -> Section | Refusal:
    """Return the section with this name, or a refusal where the agent may not edit it."""
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
    """Return the memory with the section's new value; refuse one over the limit, or already there.

    A line that the value repeats is dropped, except as often as the section had it before.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    # Models tend to repeat lines.
    before, seen, kept = Counter(lines_of(section.value)), Counter[str](), list[str]()
    for line in lines_of(value):
        seen[line] += 1
        if not line.strip() or seen[line] <= max(1, before[line]):
            kept.append(line)
    value = tuple(kept) if isinstance(value, tuple) else "\n".join(kept)
    if value == section.value:
        return Refusal(
            f'The section "{name}" says that already, so nothing was changed.', "already there"
        )
    would_have = len(render_value(value))
    if would_have > section.limit:
        return Refusal(
            f'The section "{name}" has {len(section.rendered)} characters, may have '
            f"{section.limit}, and would have {would_have}.",
            "over the limit",
        )
    return memory.with_value(name, value)


def core_after(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreMemory:
    """Return the sections as last written; those without an event have their first values.

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


def edit_by_person(section: Section, value: Value, function: str) -> CoreEvent:
    """Return the event of a section that the person edited.

    Lines that are new in it are held as theirs.
    """
    before = {line.rstrip() for line in lines_of(section.value)}
    lines = dict.fromkeys(line for line in lines_of(value) if line.strip())
    own = tuple(line for line in lines if line in section.held_lines or line.rstrip() not in before)
    return CoreEvent(section.name, value, section.held, "person", function, held_lines=own)


def undo_newest(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreEvent | None:
    """Return the event that undoes the newest one that is not undone yet; None where there is none.

    Events of sections that no longer exist are passed over.
    """
    first_values = {section.name: section.value for section in sections}
    undone = {event.undoes for event in events}
    undoable = [
        event
        for event in events
        if event.section in first_values and not event.undoes and event.number not in undone
    ]
    if not undoable:
        return None
    last = undoable[-1]
    first = CoreEvent(
        last.section, first_values[last.section], held=False, by="person", function="undo"
    )
    before = [first, *(event for event in undoable[:-1] if event.section == last.section)][-1]
    return CoreEvent(
        before.section,
        before.value,
        before.held,
        "person",
        "undo",
        undoes=last.number,
        held_lines=before.held_lines,
    )
