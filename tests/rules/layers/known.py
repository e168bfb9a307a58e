"""A small store of facts for tests, and what an answer may want done with it."""

from collections.abc import Mapping, Sequence

from rules.layers.fact_operations import KnownFacts, forgotten_facts
from rules.layers.facts import AskedEvent, Fact, FactEvent, Operation, Source, live_facts

SAID = (
    Source(
        "m1",
        "I moved from Lyon to Porto last week, and I play cricket with friends.",
        "2026-03-01T10:00:00.000Z",
    ),
    Source(
        "m2",
        "Then we both have a new home. I dislike cheese pizza, by the way.",
        "2026-03-02T10:00:00.000Z",
    ),
    Source("m3", "Ilse has two cats.", ""),
)


def added(
    number: int, text: str, source: str = "m0", said_at: str = "2026-01-01T00:00:00.000Z"
) -> FactEvent:
    """A fact that was added before."""
    return FactEvent(number, "ADD", text, said_at, source)


def knowing(*texts: str, alike: Mapping[str, Sequence[str]] | None = None) -> KnownFacts:
    """These facts are known, and all of them are shown; their numbers begin with 11."""
    return known_after([added(number, text) for number, text in enumerate(texts, 11)], alike)


def known_after(
    events: Sequence[FactEvent], alike: Mapping[str, Sequence[str]] | None = None
) -> KnownFacts:
    """What is known after these events, all of it shown."""
    facts = live_facts(events)
    next_number = max((event.fact for event in events), default=10) + 1
    return KnownFacts(facts, facts, forgotten_facts(events), SAID, next_number, alike or {})


def op(
    event: AskedEvent, fact_id: str = "", text: str = "", old: str = "", message: int | None = None
) -> Operation:
    """An operation of an answer."""
    return Operation(event, fact_id, text, old, message)


def after(known: KnownFacts, events: Sequence[FactEvent]) -> dict[int, str]:
    """What the facts say once these events have happened, too."""
    before = [FactEvent(one.number, "ADD", one.text, one.said_at, "") for one in known.live]
    return {fact.number: fact.text for fact in live_facts([*before, *events])}


def fact(number: int, text: str, said_at: str = "", confirmed: int = 0) -> Fact:
    """A fact as it stands."""
    return Fact(number, text, said_at, (), confirmed, "model")
