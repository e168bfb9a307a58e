"""A fact, and the events that it is made of.

The archive keeps events and nothing else. What is true now is what they come to, so nothing is
ever lost, and each fact has one live version or none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Event = Literal["ADD", "UPDATE", "DELETE", "CONFIRM", "FORGET"]
"""CONFIRM: it was said again. FORGET: the person does not want it any more."""
By = Literal["model", "person"]
AskedEvent = Literal["ADD", "UPDATE", "DELETE", "NONE"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, as it was answered; nothing of it is believed yet."""

    event: AskedEvent
    id: str
    """The id of a known fact: its place among those shown, from 0; empty where none was given."""
    text: str
    old: str = ""
    """The fact's text so far, where the answer repeats it."""
    message: int | None = None
    """Number of the message that says so, from 1; None where none was named."""


@dataclass(frozen=True, slots=True)
class FactEvent:
    """Something that happened to a fact."""

    fact: int
    """The number of the fact within its chat, from 1 on; it never changes."""
    event: Event
    text: str
    """The fact's text from then on; empty where it is not ADD or UPDATE."""
    said_at: str
    """When the message that says so was written, as the export has it; empty where unknown."""
    source: str
    """Key of that raw message; empty where unknown."""
    by: By = "model"
    memory: int = 0
    """Number of the memory whose chunk it was taken from; 0: it was the person's doing."""
    edition: int = 0
    """The edition of that memory after which it was taken."""
    why: str = ""
    """Half a sentence for people: what has replaced it, or why it was merged."""
    at: str = ""
    """The time at which it was kept."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is now."""

    number: int
    text: str
    said_at: str
    sources: tuple[str, ...]
    """Keys of all raw messages that its versions came from."""
    confirmed: int
    """The number of times that it was said again."""
    by: By


def live(events: Iterable[FactEvent]) -> tuple[Fact, ...]:
    """Return the facts that are true after these events, by number; the events are in order."""
    facts: dict[int, Fact] = {}
    for event in events:
        known = facts.get(event.fact)
        match event.event:
            case "ADD" | "UPDATE":
                sources = (
                    *(known.sources if known else ()),
                    *([event.source] if event.source else []),
                )
                confirmed = known.confirmed if known else 0
                facts[event.fact] = Fact(
                    event.fact, event.text, event.said_at, sources, confirmed, event.by
                )
            case "CONFIRM" if known:
                facts[event.fact] = replace(known, confirmed=known.confirmed + 1)
            case "DELETE" | "FORGET":
                facts.pop(event.fact, None)
    return tuple(facts[number] for number in sorted(facts))
