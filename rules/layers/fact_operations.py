"""What a context manager wants done with the facts, judged one operation after the other.

    operations    ADD, UPDATE, DELETE, NONE of the answer, as mem0's prompt has them; not believed
    carry_out     the events that come of them, and why the others are refused

Where mem0's prompt deletes a contradicted fact, ours asks for an UPDATE: the new statement
supersedes the old.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rules.layers.facts import (
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

_LETTERS_THAT_TELL = 4
MOST_CHARACTERS = 500
"""The longest text of a fact: what is longer is none."""
_COPIED = 25
"""So many words in a row of a message are no fact of their own."""
_FEW = 2
_A_QUARTER = 4
_Judged = FactEvent | str | None
"""An event, or a short reason for refusing, which is counted; None: it changes nothing."""


@dataclass(frozen=True, slots=True)
class ForgottenFact:
    """A fact that the person does not want any more."""

    texts: tuple[str, ...]
    """All that it has ever said."""
    sources: frozenset[str]
    """Keys of all raw messages that said so, also of those that said it again."""


def forgotten(events: Iterable[FactEvent]) -> tuple[ForgottenFact, ...]:
    """Return the facts that the person has forgotten, in order of their numbers."""
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
    """Return whether a text from that message says what was forgotten, or half of its words."""
    return any(
        source in fact.sources and any(_same(text, earlier) for earlier in fact.texts)
        for fact in among
    )


def _same(text: str, earlier: str) -> bool:
    """Return whether two texts have the same words, or half of the words of the shorter one."""
    ours = words(text)
    theirs = words(earlier)
    if normal(text) == normal(earlier):
        return True
    return bool(ours and theirs) and _share_half(ours, theirs)


def _share_half(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether half of the words of the shorter of two texts are in both."""
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """The facts that are known when those of a chunk are asked for."""

    shown: Sequence[Fact]
    """The facts that the prompt shows, all live: the id of each is its place here, from 0."""
    live: Sequence[Fact]
    forgotten: Sequence[ForgottenFact]
    sources: Sequence[Source]
    """The chunk's raw messages, as they are numbered in the prompt."""
    next_number: int
    """The number of the next fact that is added."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Texts of the answer, each with other new or known texts that say the same, nearest first."""

    def named(self, fact_id: str) -> Fact | None:
        """Return the fact that is shown under an id, or None."""
        for at, fact in enumerate(self.shown):
            if str(at) == fact_id:
                return fact
        return None


@dataclass(frozen=True, slots=True)
class _SoFar:
    """The known facts, the texts of the live ones now, and the events judged so far."""

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
        """Return the number of the live fact that says the same, or None."""
        same = normal(text)
        for number, other in self.texts.items():
            if normal(other) == same:
                return number
        return None

    def has(self, number: int, *events: Event) -> bool:
        """Return whether the answer has done one of these to a fact, or anything at all."""
        done = [event.event for event in self.events if event.fact == number]
        return not set(done).isdisjoint(events) if events else bool(done)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer's events, and the reasons of what was refused, both in the answer's order."""

    events: tuple[FactEvent, ...]
    refused: tuple[str, ...]


def carry_out(operations: Sequence[Operation], known: KnownFacts) -> Outcome:
    """Return the events of an answer's operations, and why the others are refused."""
    refused: list[str] = []
    so_far = _SoFar(known, {fact.number: fact.text for fact in known.live}, [])
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
        judged = _judge(operation, so_far)
        if isinstance(judged, FactEvent):
            so_far.keep(judged)
        elif judged is not None:
            refused.append(judged)
    return Outcome(tuple(so_far.events), tuple(refused))


def _judge(operation: Operation, so_far: _SoFar) -> _Judged:
    match operation.event:
        case "ADD":
            return _addition(operation, so_far)
        case "UPDATE":
            return _update(operation, so_far)
        case "DELETE":
            return _deletion(operation, so_far)
        case "NONE":
            return _repetition(operation, so_far)


def _addition(operation: Operation, so_far: _SoFar) -> _Judged:
    if refusal := _unusable(operation, so_far):
        return refusal
    same = so_far.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, so_far)
    # It may be said in other words, which are not the opposite.
    for other in so_far.known.alike.get(operation.text, ()):
        number = so_far.says(other)
        if number is not None and not opposed(operation.text, so_far.texts[number]):
            same = number
            break
    if same is None:
        added = sum(event.event == "ADD" for event in so_far.events)
        number = so_far.known.next_number + added
        return _event("ADD", number, operation, so_far, text=operation.text)
    if says_more(so_far.texts[same], operation.text):
        return _confirmation(same, operation, so_far)
    why = "merged with another wording"
    return _event("UPDATE", same, operation, so_far, text=operation.text, why=why)


def _update(operation: Operation, so_far: _SoFar) -> _Judged:
    fact = _named(operation, so_far.known)
    if isinstance(fact, str):
        return fact
    if so_far.has(fact.number, "UPDATE", "DELETE"):
        return "changed twice"
    if refusal := _unusable(operation, so_far):
        return refusal
    # A small model often names a neighbour's id. Words of four letters and more tell what a statement
    # is about; where one has none, as in some scripts, all of its words count.
    telling, known = _telling(words(operation.text)), _telling(words(fact.text))
    if not operation.old and not _share_half(telling, known):
        return "another fact than its id says"
    same = so_far.says(operation.text)
    if same is not None:
        return _confirmation(same, operation, so_far)
    why = f'in the place of "{fact.text}"'
    return _event("UPDATE", fact.number, operation, so_far, text=operation.text, why=why)


def _deletion(operation: Operation, so_far: _SoFar) -> _Judged:
    fact = _named(operation, so_far.known)
    if isinstance(fact, str):
        return fact
    if so_far.has(fact.number):
        return "changed twice"
    if normal(fact.text) not in {normal(operation.text), normal(operation.old)}:
        return "another fact than its id says"
    return _event("DELETE", fact.number, operation, so_far, why="no longer so, by this message")


def _repetition(operation: Operation, so_far: _SoFar) -> _Judged:
    """Confirm a fact if the answer names a message: mem0's prompt lists others as NONE, too."""
    fact, last = so_far.known.named(operation.id), len(so_far.known.sources)
    if fact is None or operation.message is None or not 1 <= operation.message <= last:
        return None
    return _confirmation(fact.number, operation, so_far)


def _named(operation: Operation, known: KnownFacts) -> Fact | str:
    """Return the fact that is meant, unless the answer quotes another text than it has."""
    fact = known.named(operation.id)
    if fact is None:
        return "unknown id"
    if operation.old and normal(operation.old) != normal(fact.text):
        return "old_memory is not its text"
    return fact


def _telling(all_words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in all_words if len(word) >= _LETTERS_THAT_TELL) or all_words


def _unusable(operation: Operation, so_far: _SoFar) -> str | None:
    text, known = operation.text, so_far.known
    same = normal(text)
    if not same:
        return "no text"
    if len(text) > MOST_CHARACTERS:
        return "too long"
    if is_forgotten(text, source_of(text, operation.message, known.sources).key, known.forgotten):
        return "forgotten before"
    own = same.split()
    runs = [" ".join(own[at : at + _COPIED]) for at in range(len(own) - _COPIED + 1)]
    if any(run in normal(source.text) for run in runs for source in known.sources):
        return "copied from the passage"
    is_replaced = any(
        normal(fact.text) == same and so_far.has(fact.number, "UPDATE") for fact in known.live
    )
    return "just replaced" if is_replaced else None


def _confirmation(number: int, operation: Operation, so_far: _SoFar) -> _Judged:
    """Confirm a fact once, and not one that the answer has just added or changed."""
    return None if so_far.has(number) else _event("CONFIRM", number, operation, so_far)


def _event(
    kind: Event,
    number: int,
    operation: Operation,
    so_far: _SoFar,
    *,
    text: str = "",
    why: str = "",
) -> FactEvent:
    """Return the event, with its source: the message that is named, or else the likeliest."""
    words_of_it = text or operation.text or so_far.texts[number]
    source = source_of(words_of_it, operation.message, so_far.known.sources)
    return FactEvent(number, kind, text, source.said_at, source.key, why=why)
