"""The events of core memory: what each changed, the memory after them, corrections and undo."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rules.layers.core import CoreMemory, Section, Value, lines_of

By = Literal["agent", "person"]


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
