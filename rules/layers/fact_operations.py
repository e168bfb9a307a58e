"""What a context manager wants done with the facts, judged one operation after the other.

    operations    ADD, UPDATE, DELETE, NONE of the answer, as mem0's prompt has them; nothing of them is believed
    carry_out     the events that come of them, and why the others are refused

Where mem0's prompt deletes a fact that is contradicted, ours asks for an UPDATE: the new statement supersedes the old.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rules.layers.facts import (
    AskedEvent,
    Event,
    Fact,
    FactEvent,
    Operation,
    Source,
    normal,
    opposed,
    says_more,
    source_of,
    words,
)

MOST_CHARACTERS = 500
"""Of a fact: what is longer is none."""


@dataclass(frozen=True, slots=True)
class ForgottenFact:
    """A fact that the person does not want any more."""

    texts: tuple[str, ...]
    """All that it has ever said."""
    sources: frozenset[str]
    """Keys of all raw messages that said so, also of those that said it again."""


def forgotten(events: Iterable[FactEvent]) -> tuple[ForgottenFact, ...]:
    """The facts that the person has forgotten, in order of their numbers."""
    by_fact: dict[int, list[FactEvent]] = {}
    for event in events:
        by_fact.setdefault(event.fact, []).append(event)
    return tuple(
        _gathered(by_fact[fact]) for fact in sorted(by_fact) if any(event.event == "FORGET" for event in by_fact[fact])
    )


def is_forgotten(text: str, source: str, among: Sequence[ForgottenFact]) -> bool:
    """Whether a text from that message says what was forgotten: the same, or with half of the words of either."""
    return any(source in fact.sources and any(_same(text, earlier) for earlier in fact.texts) for fact in among)


def _gathered(events: Sequence[FactEvent]) -> ForgottenFact:
    texts = tuple(event.text for event in events if event.event in ("ADD", "UPDATE"))
    return ForgottenFact(texts, frozenset(event.source for event in events if event.source))


def _same(text: str, said: str) -> bool:
    if normal(text) == normal(said):
        return True
    ours, theirs = words(text), words(said)
    return bool(ours and theirs) and 2 * len(ours & theirs) >= min(len(ours), len(theirs))


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """What is known when the facts of a chunk are asked for."""

    shown: Sequence[Fact]
    """Those that the prompt shows: the id of each is its place here, from 0. All of them are live."""
    live: Sequence[Fact]
    forgotten: Sequence[ForgottenFact]
    sources: Sequence[Source]
    """The chunk's raw messages, as they are numbered in the prompt."""
    next_number: int
    """Of the next fact that is added."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Texts of the answer, each with other texts of the answer or of known facts that say the same, nearest first."""

    def named(self, fact_id: str) -> Fact | None:
        """The fact that is shown under an id."""
        return next((fact for at, fact in enumerate(self.shown) if str(at) == fact_id), None)


@dataclass(frozen=True, slots=True)
class FactsSoFar:
    """What is known, and the events of the answer's operations that were judged before."""

    known: KnownFacts
    events: Sequence[FactEvent]

    @property
    def texts(self) -> dict[int, str]:
        """What the live facts say now, by their numbers."""
        texts = {fact.number: fact.text for fact in self.known.live}
        for event in self.events:
            if event.event == "DELETE":
                texts.pop(event.fact, None)
            elif event.text:
                texts[event.fact] = event.text
        return texts

    @property
    def next_number(self) -> int:
        """Of the next fact that is added."""
        return self.known.next_number + sum(event.event == "ADD" for event in self.events)

    def says(self, text: str) -> int | None:
        """The number of the live fact that says the same."""
        same = normal(text)
        return next((number for number, other in self.texts.items() if normal(other) == same), None)

    def has(self, number: int, *events: Event) -> bool:
        """Whether the answer has done one of these to a fact; where none is named, whether it has done anything."""
        return any(event.fact == number and (not events or event.event in events) for event in self.events)

    def has_replaced(self, text: str) -> bool:
        """Whether the answer has put something else in the place of this text."""
        same = normal(text)
        return any(normal(fact.text) == same and self.has(fact.number, "UPDATE") for fact in self.known.live)


_FEW = 2
_A_QUARTER = 4


@dataclass(frozen=True, slots=True)
class FactRefusal:
    """Why an operation is not carried out, in a few words that can be counted."""

    reason: str


_Judged = FactEvent | FactRefusal | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The events that come of an answer, and the reasons of what was refused, both in the answer's order."""

    events: tuple[FactEvent, ...]
    refused: tuple[str, ...]


def carry_out(operations: Sequence[Operation], known: KnownFacts) -> Outcome:
    """The events of an answer's operations, and why the others are refused."""
    events: list[FactEvent] = []
    refused: list[str] = []
    erases = _erases(operations, known)
    for operation in operations:
        judged = _judged(operation, FactsSoFar(known, events), erases)
        if isinstance(judged, FactEvent):
            events.append(judged)
        elif isinstance(judged, FactRefusal):
            refused.append(judged.reason)
    return Outcome(tuple(events), tuple(refused))


def _erases(operations: Sequence[Operation], known: KnownFacts) -> bool:
    """Whether so many are to be deleted that the answer rather tries to erase: more than two, and than a quarter."""
    deleted = {operation.id for operation in operations if operation.event == "DELETE" and known.named(operation.id)}
    return len(deleted) > max(_FEW, len(known.shown) / _A_QUARTER)


def _judged(operation: Operation, standing: FactsSoFar, erases: bool) -> _Judged:
    if operation.event == "DELETE" and erases:
        return FactRefusal("too many deletions")
    return _JUDGES[operation.event](operation, standing)


def _addition(operation: Operation, standing: FactsSoFar) -> _Judged:
    if refusal := _unusable(operation, standing):
        return refusal
    same = standing.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, standing)
    same = _alike(operation.text, standing)
    if same is None:
        return _event("ADD", standing.next_number, operation, standing, text=operation.text)
    if says_more(standing.texts[same], operation.text):
        return _confirmation(same, operation, standing)
    return _event("UPDATE", same, operation, standing, text=operation.text, why="merged with another wording")


def _alike(text: str, standing: FactsSoFar) -> int | None:
    """The live fact that says the same in other words, and not the opposite."""
    texts = standing.texts
    found = (standing.says(other) for other in standing.known.alike.get(text, ()))
    return next((number for number in found if number is not None and not opposed(text, texts[number])), None)


def _update(operation: Operation, standing: FactsSoFar) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, FactRefusal):
        return fact
    if standing.has(fact.number, "UPDATE", "DELETE"):
        return FactRefusal("changed twice")
    if refusal := _unusable(operation, standing):
        return refusal
    same = standing.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, standing)
    why = f'in the place of "{fact.text}"'
    return _event("UPDATE", fact.number, operation, standing, text=operation.text, why=why)


def _deletion(operation: Operation, standing: FactsSoFar) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, FactRefusal):
        return fact
    if standing.has(fact.number):
        return FactRefusal("changed twice")
    return _event("DELETE", fact.number, operation, standing, why="no longer so, by this message")


def _repetition(operation: Operation, standing: FactsSoFar) -> _Judged:
    """A list of all known facts with NONE, as mem0's prompt asks for, says of none of them that it was said again."""
    fact = standing.known.named(operation.id)
    says_where = operation.message is not None and 1 <= operation.message <= len(standing.known.sources)
    return _confirmation(fact.number, operation, standing) if fact is not None and says_where else None


_JUDGES: Mapping[AskedEvent, Callable[[Operation, FactsSoFar], _Judged]] = MappingProxyType(
    {"ADD": _addition, "UPDATE": _update, "DELETE": _deletion, "NONE": _repetition}
)


def _named(operation: Operation, known: KnownFacts) -> Fact | FactRefusal:
    """The fact that is meant, unless the answer says that it reads otherwise than it does."""
    fact = known.named(operation.id)
    if fact is None:
        return FactRefusal("unknown id")
    if operation.old and normal(operation.old) != normal(fact.text):
        return FactRefusal("old_memory is not its text")
    return fact


def _unusable(operation: Operation, standing: FactsSoFar) -> FactRefusal | None:
    text, known = operation.text, standing.known
    if not normal(text):
        return FactRefusal("no text")
    if len(text) > MOST_CHARACTERS:
        return FactRefusal("too long")
    if is_forgotten(text, source_of(text, operation.message, known.sources).key, known.forgotten):
        return FactRefusal("forgotten before")
    return FactRefusal("just replaced") if standing.has_replaced(text) else None


def _confirmation(number: int, operation: Operation, standing: FactsSoFar) -> _Judged:
    """It was said again; an answer says so once, and not of what it has just added or changed itself."""
    return None if standing.has(number) else _event("CONFIRM", number, operation, standing)


def _event(
    kind: Event, number: int, operation: Operation, standing: FactsSoFar, *, text: str = "", why: str = ""
) -> FactEvent:
    """The event, with the message that says so: the answer names it, or else the words tell."""
    words_of_it = text or operation.text or standing.texts[number]
    source = source_of(words_of_it, operation.message, standing.known.sources)
    return FactEvent(number, kind, text, source.said_at, source.key, why=why)
