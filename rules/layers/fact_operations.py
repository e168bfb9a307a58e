"""Judge what a context manager wants done with the facts, one operation after the other.

    operations    ADD, UPDATE, DELETE and NONE, as mem0's prompt has them; the answer may be wrong
    carry_out     turns them into events, and says why it refuses others

Where mem0's prompt deletes a contradicted fact, ours asks for an UPDATE: the new statement
supersedes the old one.
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
    are_opposed,
    normalize,
    says_more,
    source_of,
    split_words,
)

_SHORTEST_SUBJECT_WORD = 4
"""Letters from which on a word says what a statement is about."""
MOST_CHARACTERS = 500
"""A longer text is no fact, and is refused."""
_MOST_COPIED_WORDS = 25
"""This many words in a row from a message make a text a copy and no fact; it is refused."""
_MOST_DELETIONS, _MOST_DELETED_PART = 2, 4
"""An answer that deletes more than two facts, and over a fourth of those shown, has gone wrong."""
_Judged = FactEvent | str | None
"""An event; or a short reason for refusing, which is counted; or None, where nothing changes."""


@dataclass(frozen=True, slots=True)
class ForgottenFact:
    """A fact that the person had memproc forget."""

    texts: tuple[str, ...]
    """All texts that it has ever had."""
    sources: frozenset[str]
    """Keys of all raw messages that it came from, including those that confirmed it."""


def forgotten_facts(events: Iterable[FactEvent]) -> tuple[ForgottenFact, ...]:
    """Return the facts that the person had memproc forget, by number."""
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
    """Return whether a text from the message `source`, a key, says again what was forgotten."""
    return any(
        source in fact.sources and any(_says_same(text, earlier) for earlier in fact.texts)
        for fact in among
    )


def _says_same(text: str, earlier: str) -> bool:
    """Return whether two texts are equal once normalized, or share many words.

    Many are half of the words of the text that has fewer.
    """
    if normalize(text) == normalize(earlier):
        return True
    new_words, earlier_words = split_words(text), split_words(earlier)
    return bool(new_words and earlier_words) and _share_half(new_words, earlier_words)


def _share_half(first: frozenset[str], second: frozenset[str]) -> bool:
    """Return whether both sets share at least half of the words of the smaller one."""
    return 2 * len(first & second) >= min(len(first), len(second))


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """What is known when a model is asked for the facts of a chunk."""

    shown: Sequence[Fact]
    """The facts that the prompt shows, all live; a fact's id in the answer is its index here."""
    live: Sequence[Fact]
    forgotten: Sequence[ForgottenFact]
    sources: Sequence[Source]
    """The chunk's raw messages, as they are numbered in the prompt."""
    next_number: int
    """The number of the next fact that is added."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """For texts of the answer, other new or known texts that say the same, nearest first."""

    def find(self, fact_id: str) -> Fact | None:
        """Return the fact that is shown with an id, or None."""
        return next((fact for at, fact in enumerate(self.shown) if str(at) == fact_id), None)


@dataclass(frozen=True, slots=True)
class _SoFar:
    """What an answer's operations have come to so far."""

    known: KnownFacts
    texts: dict[int, str]
    """The texts of the facts that are live now, by number."""
    events: list[FactEvent]

    def add(self, event: FactEvent) -> None:
        """Add an event, and apply it to the texts."""
        self.events.append(event)
        if event.event == "DELETE":
            self.texts.pop(event.fact, None)
        elif event.text:
            self.texts[event.fact] = event.text

    def find_text(self, text: str) -> int | None:
        """Return the number of the live fact with the same normalized text, or None."""
        same = (at for at, other in self.texts.items() if normalize(other) == normalize(text))
        return next(same, None)

    def has(self, number: int, *events: Event) -> bool:
        """Return whether the answer has already done one of `events` to a fact.

        Without any events, anything that was done to it counts.
        """
        done = [event.event for event in self.events if event.fact == number]
        return not set(done).isdisjoint(events) if events else bool(done)


@dataclass(frozen=True, slots=True)
class Outcome:
    """An answer's events, and why operations were refused; both in the answer's order."""

    events: tuple[FactEvent, ...]
    refused: tuple[str, ...]


def carry_out(operations: Sequence[Operation], known: KnownFacts) -> Outcome:
    """Return the events of an answer's operations, and why others are refused."""
    refused: list[str] = []
    so_far = _SoFar(known, {fact.number: fact.text for fact in known.live}, [])
    deleted = {
        operation.id
        for operation in operations
        if operation.event == "DELETE" and known.find(operation.id)
    }
    deletes_too_many = len(deleted) > max(_MOST_DELETIONS, len(known.shown) / _MOST_DELETED_PART)
    for operation in operations:
        if deletes_too_many and operation.event == "DELETE":
            refused.append("too many deletions")
            continue
        judged = _judge(operation, so_far)
        if isinstance(judged, FactEvent):
            so_far.add(judged)
        elif judged is not None:
            refused.append(judged)
    return Outcome(tuple(so_far.events), tuple(refused))


def _judge(operation: Operation, so_far: _SoFar) -> _Judged:
    match operation.event:
        case "ADD":
            return _judge_add(operation, so_far)
        case "UPDATE":
            return _judge_update(operation, so_far)
        case "DELETE":
            return _judge_delete(operation, so_far)
        case "NONE":
            return _judge_none(operation, so_far)


def _judge_add(operation: Operation, so_far: _SoFar) -> _Judged:
    if refusal := _why_unusable(operation, so_far):
        return refusal
    same = so_far.find_text(operation.text)
    if same is not None:
        return _confirm(same, operation, so_far)
    # A known fact may say the same in other words; similar texts may also say the opposite.
    for other in so_far.known.alike.get(operation.text, ()):
        number = so_far.find_text(other)
        if number is not None and not are_opposed(operation.text, so_far.texts[number]):
            same = number
            break
    if same is None:
        added = sum(event.event == "ADD" for event in so_far.events)
        number = so_far.known.next_number + added
        return _event("ADD", number, operation, so_far, text=operation.text)
    if says_more(so_far.texts[same], operation.text):
        return _confirm(same, operation, so_far)
    why = "merged with another wording"
    return _event("UPDATE", same, operation, so_far, text=operation.text, why=why)


def _judge_update(operation: Operation, so_far: _SoFar) -> _Judged:
    fact = _find_meant(operation, so_far.known)
    if isinstance(fact, str):
        return fact
    if so_far.has(fact.number, "UPDATE", "DELETE"):
        return "changed twice"
    if refusal := _why_unusable(operation, so_far):
        return refusal
    # A small model often gives the id of a neighbouring fact.
    is_alike = _share_half(_subject_words(operation.text), _subject_words(fact.text))
    if not operation.old and not is_alike:
        return "another fact than its id says"
    same = so_far.find_text(operation.text)
    if same is not None:
        return _confirm(same, operation, so_far)
    why = f'in the place of "{fact.text}"'
    return _event("UPDATE", fact.number, operation, so_far, text=operation.text, why=why)


def _judge_delete(operation: Operation, so_far: _SoFar) -> _Judged:
    fact = _find_meant(operation, so_far.known)
    if isinstance(fact, str):
        return fact
    if so_far.has(fact.number):
        return "changed twice"
    if normalize(fact.text) not in {normalize(operation.text), normalize(operation.old)}:
        return "another fact than its id says"
    return _event("DELETE", fact.number, operation, so_far, why="no longer so, by this message")


def _judge_none(operation: Operation, so_far: _SoFar) -> _Judged:
    """Confirm the fact if the answer names a message.

    mem0's prompt also lists untouched facts as NONE.
    """
    fact, last = so_far.known.find(operation.id), len(so_far.known.sources)
    if fact is None or operation.message is None or not 1 <= operation.message <= last:
        return None
    return _confirm(fact.number, operation, so_far)


def _find_meant(operation: Operation, known: KnownFacts) -> Fact | str:
    """Return the fact that the operation is about.

    Refuse an unknown id, and an old text that is another fact's.
    """
    fact = known.find(operation.id)
    if fact is None:
        return "unknown id"
    if operation.old and normalize(operation.old) != normalize(fact.text):
        return "old_memory is not its text"
    return fact


def _subject_words(text: str) -> frozenset[str]:
    """Return the longer words of a text, which say what it is about.

    Where it has none, as in some scripts, return all.
    """
    all_words = split_words(text)
    return frozenset(word for word in all_words if len(word) >= _SHORTEST_SUBJECT_WORD) or all_words


def _why_unusable(operation: Operation, so_far: _SoFar) -> str | None:
    """Return why the operation's text cannot become a fact's, or None."""
    text, known = operation.text, so_far.known
    normalized = normalize(text)
    if not normalized:
        return "no text"
    if len(text) > MOST_CHARACTERS:
        return "too long"
    if is_forgotten(text, source_of(text, operation.message, known.sources).key, known.forgotten):
        return "forgotten before"
    own = normalized.split()
    starts = range(len(own) - _MOST_COPIED_WORDS + 1)
    runs = [" ".join(own[at : at + _MOST_COPIED_WORDS]) for at in starts]
    if any(run in normalize(source.text) for run in runs for source in known.sources):
        return "copied from the passage"
    is_replaced = any(
        normalize(fact.text) == normalized and so_far.has(fact.number, "UPDATE")
        for fact in known.live
    )
    return "just replaced" if is_replaced else None


def _confirm(number: int, operation: Operation, so_far: _SoFar) -> _Judged:
    """Confirm a fact, unless the answer has already added, changed or confirmed it."""
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
    """Return the event with its source: the message that the answer names, else the likeliest."""
    fact_text = text or operation.text or so_far.texts[number]
    source = source_of(fact_text, operation.message, so_far.known.sources)
    return FactEvent(number, kind, text, source.said_at, source.key, why=why)
