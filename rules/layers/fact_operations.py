"""What a context manager wants done with the facts, judged one operation after the other.

    operations    ADD, UPDATE, DELETE, NONE of the answer, as mem0's prompt has them; nothing of them is believed
    carry_out     the events that come of them, and why the others are refused

Where mem0's prompt deletes a fact that is contradicted, ours asks for an UPDATE: the new statement supersedes the old.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rules.layers.fact_words import Source, normal, opposed, says_more, source_of, words
from rules.layers.facts import AskedEvent, Event, Fact, FactEvent, Operation

_LETTERS_THAT_TELL = 4
MOST_CHARACTERS = 500
"""The longest text of a fact: what is longer is none."""
_FEW = 2
_A_QUARTER = 4
_Judged = FactEvent | str | None
"""An event, or why the operation is not carried out, in a few words that can be counted; None: it changes nothing."""


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
        ForgottenFact(
            tuple(event.text for event in of_fact if event.event in ("ADD", "UPDATE")),
            frozenset(event.source for event in of_fact if event.source),
        )
        for _, of_fact in sorted(by_fact.items())
        if any(event.event == "FORGET" for event in of_fact)
    )


def is_forgotten(text: str, source: str, among: Sequence[ForgottenFact]) -> bool:
    """Whether a text from that message says what was forgotten: the same, or with half of the words of either."""
    return any(
        source in fact.sources and any(_same(text, earlier) for earlier in fact.texts)
        for fact in among
    )


def _same(text: str, earlier: str) -> bool:
    ours, theirs = words(text), words(earlier)
    shared = bool(ours and theirs) and 2 * len(ours & theirs) >= min(len(ours), len(theirs))
    return shared or normal(text) == normal(earlier)


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """The facts that are known when those of a chunk are asked for."""

    shown: Sequence[Fact]
    """The facts that the prompt shows: the id of each is its place here, from 0. All of them are live."""
    live: Sequence[Fact]
    forgotten: Sequence[ForgottenFact]
    sources: Sequence[Source]
    """The chunk's raw messages, as they are numbered in the prompt."""
    next_number: int
    """The number of the next fact that is added."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Texts of the answer, each with other texts of the answer or of known facts that say the same, nearest first."""

    def named(self, fact_id: str) -> Fact | None:
        """The fact that is shown under an id."""
        return next((fact for at, fact in enumerate(self.shown) if str(at) == fact_id), None)


@dataclass(frozen=True, slots=True)
class _SoFar:
    """The known facts, what the live ones say now, and the events of the operations that were judged before."""

    known: KnownFacts
    texts: dict[int, str]
    """The texts by the numbers of the facts."""
    events: list[FactEvent]

    def keep(self, event: FactEvent) -> None:
        """Add an event to the others."""
        self.events.append(event)
        if event.event == "DELETE":
            self.texts.pop(event.fact, None)
        elif event.text:
            self.texts[event.fact] = event.text

    def says(self, text: str) -> int | None:
        """The number of the live fact that says the same."""
        same = normal(text)
        return next((number for number, other in self.texts.items() if normal(other) == same), None)

    def has(self, number: int, *events: Event) -> bool:
        """Whether the answer has done one of these to a fact; where none is named, whether it has done anything."""
        return any(
            event.fact == number and (not events or event.event in events) for event in self.events
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The events that come of an answer, and the reasons of what was refused, both in the answer's order."""

    events: tuple[FactEvent, ...]
    refused: tuple[str, ...]


def carry_out(operations: Sequence[Operation], known: KnownFacts) -> Outcome:
    """The events of an answer's operations, and why the others are refused."""
    refused: list[str] = []
    standing = _SoFar(known, {fact.number: fact.text for fact in known.live}, [])
    deleted = {
        operation.id
        for operation in operations
        if operation.event == "DELETE" and known.named(operation.id)
    }
    # An answer that deletes more than two, and than a quarter, rather tries to erase.
    erases = len(deleted) > max(_FEW, len(known.shown) / _A_QUARTER)
    for operation in operations:
        if erases and operation.event == "DELETE":
            refused.append("too many deletions")
            continue
        judged = _JUDGES[operation.event](operation, standing)
        if isinstance(judged, FactEvent):
            standing.keep(judged)
        elif judged is not None:
            refused.append(judged)
    return Outcome(tuple(standing.events), tuple(refused))


def _addition(operation: Operation, standing: _SoFar) -> _Judged:
    if refusal := _unusable(operation, standing):
        return refusal
    same = standing.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, standing)
    others = (standing.says(other) for other in standing.known.alike.get(operation.text, ()))
    # The live fact that says the same in other words, and not the opposite.
    same = next(
        (
            number
            for number in others
            if number is not None and not opposed(operation.text, standing.texts[number])
        ),
        None,
    )
    if same is None:
        number = standing.known.next_number + sum(event.event == "ADD" for event in standing.events)
        return _event("ADD", number, operation, standing, text=operation.text)
    if says_more(standing.texts[same], operation.text):
        return _confirmation(same, operation, standing)
    return _event(
        "UPDATE", same, operation, standing, text=operation.text, why="merged with another wording"
    )


def _update(operation: Operation, standing: _SoFar) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, str):
        return fact
    if standing.has(fact.number, "UPDATE", "DELETE"):
        return "changed twice"
    if refusal := _unusable(operation, standing):
        return refusal
    if not operation.old and not _shares_words(operation.text, fact.text):
        return "another fact than its id says"
    same = standing.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, standing)
    why = f'in the place of "{fact.text}"'
    return _event("UPDATE", fact.number, operation, standing, text=operation.text, why=why)


def _deletion(operation: Operation, standing: _SoFar) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, str):
        return fact
    if standing.has(fact.number):
        return "changed twice"
    if normal(fact.text) not in {normal(operation.text), normal(operation.old)}:
        return "another fact than its id says"
    return _event("DELETE", fact.number, operation, standing, why="no longer so, by this message")


def _repetition(operation: Operation, standing: _SoFar) -> _Judged:
    """A list of all known facts with NONE, as mem0's prompt asks for, says of none of them that it was said again."""
    fact = standing.known.named(operation.id)
    says_where = operation.message is not None and 1 <= operation.message <= len(
        standing.known.sources
    )
    return (
        _confirmation(fact.number, operation, standing) if fact is not None and says_where else None
    )


_JUDGES: Mapping[AskedEvent, Callable[[Operation, _SoFar], _Judged]] = MappingProxyType(
    {"ADD": _addition, "UPDATE": _update, "DELETE": _deletion, "NONE": _repetition}
)


def _named(operation: Operation, known: KnownFacts) -> Fact | str:
    """The fact that is meant, unless the answer says that it reads otherwise than it does."""
    fact = known.named(operation.id)
    if fact is None:
        return "unknown id"
    if operation.old and normal(operation.old) != normal(fact.text):
        return "old_memory is not its text"
    return fact


def _shares_words(text: str, fact: str) -> bool:
    """Return whether half of the telling words of the shorter of two statements are in both.

    A small model often names a neighbour's id. Words of four letters and more tell what a statement is about; where
    one has none, as in some scripts, all of its words count.
    """
    ours, theirs = (_telling(words(statement)) for statement in (text, fact))
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _telling(all_words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in all_words if len(word) >= _LETTERS_THAT_TELL) or all_words


def _unusable(operation: Operation, standing: _SoFar) -> str | None:
    text, known = operation.text, standing.known
    if not normal(text):
        return "no text"
    if len(text) > MOST_CHARACTERS:
        return "too long"
    if is_forgotten(text, source_of(text, operation.message, known.sources).key, known.forgotten):
        return "forgotten before"
    same = normal(text)
    is_replaced = any(
        normal(fact.text) == same and standing.has(fact.number, "UPDATE") for fact in known.live
    )
    return "just replaced" if is_replaced else None


def _confirmation(number: int, operation: Operation, standing: _SoFar) -> _Judged:
    """Judge a fact's confirmation: an answer confirms it once, and not what it has just added or changed itself."""
    return None if standing.has(number) else _event("CONFIRM", number, operation, standing)


def _event(
    kind: Event,
    number: int,
    operation: Operation,
    standing: _SoFar,
    *,
    text: str = "",
    why: str = "",
) -> FactEvent:
    """The event, with the message that says so: the answer names it, or else the words tell."""
    words_of_it = text or operation.text or standing.texts[number]
    source = source_of(words_of_it, operation.message, standing.known.sources)
    return FactEvent(number, kind, text, source.said_at, source.key, why=why)
