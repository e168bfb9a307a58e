"""A fact, and the events that it is made of: added, updated, deleted, confirmed, forgotten.

The archive keeps events and nothing else. What is true now is what they come to, so nothing is ever lost, and each
fact has one live version or none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Event = Literal["ADD", "UPDATE", "DELETE", "CONFIRM", "FORGET"]
"""CONFIRM: it was said again. FORGET: the person does not want it any more."""
By = Literal["model", "person"]


@dataclass(frozen=True, slots=True)
class FactEvent:
    """Something that happened to a fact."""

    fact: int
    """The number of the fact within its chat, from 1 on; it never changes."""
    event: Event
    text: str
    """What it says from then on; empty where it is not ADD or UPDATE."""
    said_at: str
    """When the message was written that says so, as the export has it; empty where nobody knows."""
    source: str
    """Key of that raw message; empty where nobody knows."""
    by: By = "model"
    memory: int = 0
    """Number of the memory whose chunk it was taken from; 0: it was the person's doing."""
    edition: int = 0
    """The edition of that memory after which it was taken."""
    why: str = ""
    """Half a sentence for people: what has replaced it, or why it was merged."""
    at: str = ""
    """When it was kept."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it stands now."""

    number: int
    text: str
    said_at: str
    sources: tuple[str, ...]
    """Keys of all raw messages that its versions came from."""
    confirmed: int
    """How often it was said again."""
    by: By


def live(events: Iterable[FactEvent]) -> tuple[Fact, ...]:
    """The facts that are true after these events, which stand in the order in which they happened; by number."""
    found: dict[int, Fact] = {}
    for event in events:
        known = found.get(event.fact)
        match event.event:
            case "ADD" | "UPDATE":
                sources = (*(known.sources if known else ()), *([event.source] if event.source else []))
                confirmed = known.confirmed if known else 0
                found[event.fact] = Fact(event.fact, event.text, event.said_at, sources, confirmed, event.by)
            case "CONFIRM" if known:
                found[event.fact] = replace(known, confirmed=known.confirmed + 1)
            case "DELETE" | "FORGET":
                found.pop(event.fact, None)
            case _:
                pass
    return tuple(found[number] for number in sorted(found))
