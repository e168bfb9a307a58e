"""What becomes of a context manager's operations: events, and refusals that are counted.

ADD      a new number; what is known already is confirmed, or merged where the new wording is as rich
UPDATE   keeps the number; the same text, or that of another fact, is a confirmation of that one
DELETE   the fact is no longer live; where too many are to go at once, none of them goes
NONE     a known fact was said again, if the answer names the message that says so; else nothing has changed

An UPDATE or DELETE whose `old_memory` is not the text of the fact that its id names is refused: it means another fact.
Each operation is judged on what those before it have left. One that is refused changes nothing, and the others stand.
A fact that an answer has added, changed or confirmed is not deleted by the same answer, so that a contradiction never
takes both of its sides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rules.facts.fact import Event, Fact, FactEvent
from rules.facts.forgotten import is_forgotten
from rules.facts.known import Known
from rules.facts.operation import MOST_CHARACTERS, Asked, Operation
from rules.facts.opposed import opposed
from rules.facts.source import source_of
from rules.facts.standing import Standing
from rules.facts.wording import normal, says_more

_FEW = 2
_A_QUARTER = 4


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an operation is not carried out, in a few words that can be counted."""

    reason: str


_Judged = FactEvent | Refusal | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The events that come of an answer, and the reasons of what was refused, both in the answer's order."""

    events: tuple[FactEvent, ...]
    refused: tuple[str, ...]


def carry_out(operations: Sequence[Operation], known: Known) -> Outcome:
    """The events of an answer's operations, and why the others are refused."""
    events: list[FactEvent] = []
    refused: list[str] = []
    erases = _erases(operations, known)
    for operation in operations:
        found = _judged(operation, Standing(known, events), erases)
        if isinstance(found, FactEvent):
            events.append(found)
        elif isinstance(found, Refusal):
            refused.append(found.reason)
    return Outcome(tuple(events), tuple(refused))


def _erases(operations: Sequence[Operation], known: Known) -> bool:
    """Whether so many are to be deleted that the answer rather tries to erase: more than two, and than a quarter."""
    deleted = {one.id for one in operations if one.event == "DELETE" and known.named(one.id)}
    return len(deleted) > max(_FEW, len(known.shown) / _A_QUARTER)


def _judged(operation: Operation, standing: Standing, erases: bool) -> _Judged:
    if operation.event == "DELETE" and erases:
        return Refusal("too many deletions")
    return _JUDGES[operation.event](operation, standing)


def _addition(operation: Operation, standing: Standing) -> _Judged:
    if refusal := _unusable(operation, standing):
        return refusal
    said = standing.says(operation.text)
    if said is not None:
        return _confirmation(said, operation, standing)
    same = _alike(operation.text, standing)
    if same is None:
        return _event("ADD", standing.next_number, operation, standing, text=operation.text)
    if says_more(standing.texts[same], operation.text):
        return _confirmation(same, operation, standing)
    return _event("UPDATE", same, operation, standing, text=operation.text, why="merged with another wording")


def _alike(text: str, standing: Standing) -> int | None:
    """The live fact that says the same in other words, and not the opposite."""
    texts = standing.texts
    found = (standing.says(other) for other in standing.known.alike.get(text, ()))
    return next((number for number in found if number is not None and not opposed(text, texts[number])), None)


def _update(operation: Operation, standing: Standing) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, Refusal):
        return fact
    if standing.has(fact.number, "UPDATE", "DELETE"):
        return Refusal("changed twice")
    if refusal := _unusable(operation, standing):
        return refusal
    said = standing.says(operation.text)
    if said is not None:
        return _confirmation(said, operation, standing)
    why = f'in the place of "{fact.text}"'
    return _event("UPDATE", fact.number, operation, standing, text=operation.text, why=why)


def _deletion(operation: Operation, standing: Standing) -> _Judged:
    fact = _named(operation, standing.known)
    if isinstance(fact, Refusal):
        return fact
    if standing.has(fact.number):
        return Refusal("changed twice")
    return _event("DELETE", fact.number, operation, standing, why="no longer so, by this message")


def _repetition(operation: Operation, standing: Standing) -> _Judged:
    """A list of all known facts with NONE, as mem0's prompt asks for, says of none of them that it was said again."""
    fact = standing.known.named(operation.id)
    says_where = operation.message is not None and 1 <= operation.message <= len(standing.known.sources)
    return _confirmation(fact.number, operation, standing) if fact is not None and says_where else None


_JUDGES: Mapping[Asked, Callable[[Operation, Standing], _Judged]] = MappingProxyType(
    {"ADD": _addition, "UPDATE": _update, "DELETE": _deletion, "NONE": _repetition}
)


def _named(operation: Operation, known: Known) -> Fact | Refusal:
    """The fact that is meant, unless the answer says that it reads otherwise than it does."""
    fact = known.named(operation.id)
    if fact is None:
        return Refusal("unknown id")
    if operation.old and normal(operation.old) != normal(fact.text):
        return Refusal("old_memory is not its text")
    return fact


def _unusable(operation: Operation, standing: Standing) -> Refusal | None:
    text, known = operation.text, standing.known
    if not normal(text):
        return Refusal("no text")
    if len(text) > MOST_CHARACTERS:
        return Refusal("too long")
    if is_forgotten(text, source_of(text, operation.message, known.sources).key, known.forgotten):
        return Refusal("forgotten before")
    return Refusal("just replaced") if standing.has_replaced(text) else None


def _confirmation(number: int, operation: Operation, standing: Standing) -> _Judged:
    """It was said again; an answer says so once, and not of what it has just added or changed itself."""
    return None if standing.has(number) else _event("CONFIRM", number, operation, standing)


def _event(
    kind: Event, number: int, operation: Operation, standing: Standing, *, text: str = "", why: str = ""
) -> FactEvent:
    """The event, with the message that says so: the answer names it, or else the words tell."""
    told = text or operation.text or standing.texts[number]
    source = source_of(told, operation.message, standing.known.sources)
    return FactEvent(number, kind, text, source.said_at, source.key, why=why)
