"""What the core memory of a chat came to be by all that was written into it, and how one edit is taken back (D14)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rules.core.memory import CoreMemory
from rules.core.section import Section, Value

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


def core_after(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreMemory:
    """The sections with what was written into them last; those that nobody has touched have their first values.

    Raises OverLimit where a value that was written under a higher limit no longer fits.
    """
    newest = {event.section: event for event in events}
    return CoreMemory(tuple(_after(section, newest.get(section.name)) for section in sections))


def _after(section: Section, event: CoreEvent | None) -> Section:
    return section if event is None else replace(section, value=event.value, held=event.held)


def taken_back(sections: Sequence[Section], events: Sequence[CoreEvent]) -> CoreEvent | None:
    """The event that takes back the newest one that has not been taken back; None where there is none.

    What was written into sections that are not there any more stays as it is.
    """
    first = {section.name: section.value for section in sections}
    undone = {event.undoes for event in events}
    able = [one for one in events if one.section in first and not one.undoes and one.number not in undone]
    if not able:
        return None
    last = able[-1]
    before = [event for event in able[:-1] if event.section == last.section]
    value, held = (before[-1].value, before[-1].held) if before else (first[last.section], False)
    return CoreEvent(last.section, value, held, "person", "undo", undoes=last.number)
