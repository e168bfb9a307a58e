"""The chunks of a chat in the order of the conversation, and the folds above them, as far as they are known."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from daemon.rebuilding.evidence import Seen
from rules.conversation.memory import Edition, Memory, fold_id

_MOST_TRIES = 2_000
_MOST_FORGOTTEN = 2


@dataclass(slots=True)
class Unit:
    """What may be a member of a fold. `messages` is how many it stands for, `covers` are the ids of its chunks."""

    memory: Memory
    messages: int
    covers: tuple[str, ...]


@dataclass(slots=True)
class Row:
    """All of them by their ids; `order` are the ids of what is no fold, oldest first."""

    order: list[str]
    units: dict[str, Unit]
    editions: dict[str, tuple[Edition, ...]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    """Ids of memories that find no place in it."""

    @property
    def memories(self) -> list[Memory]:
        """Those that are no folds, oldest first."""
        return [self.units[name].memory for name in self.order]


def row_of(memories: Sequence[Memory]) -> Row:
    """The row that the archive has; `memories` are a chat's, its chunks first."""
    by_id = {memory.memory_id: memory for memory in memories}

    def covers(memory: Memory) -> tuple[str, ...]:
        return tuple(name for member in memory.members for name in covers(by_id[member])) or (memory.memory_id,)

    units = {name: Unit(memory, len(memory.keys), covers(memory)) for name, memory in by_id.items()}
    return Row([memory.memory_id for memory in memories if not memory.is_fold], units)


def take_out(row: Row, names: Collection[str]) -> None:
    """Without these chunks, and without the folds of which they are members."""
    gone = set(names)
    for name, unit in sorted(row.units.items(), key=lambda one: one[1].memory.level):
        if gone & {name, *unit.memory.members}:
            gone.add(name)
    row.order = [name for name in row.order if name not in gone]
    row.units = {name: unit for name, unit in row.units.items() if name not in gone}
    row.unplaced += sorted(gone)


def members_of(chat_id: str, row: Row, seen: Seen) -> tuple[Memory, ...]:
    """The members of a fold: those of which its name is made, else the first that stand for as many messages.

    None where they are not all known; then a file of another chat is not believed either.
    """
    found = [members for members in islice(_tries(row, seen), _MOST_TRIES) if members]
    named = (members for members in found if fold_id(chat_id, members) == seen.memory_id)
    return next(named, found[0] if found and seen.is_own else ())


def _tries(row: Row, seen: Seen) -> Iterator[tuple[Memory, ...]]:
    """Units side by side, from the fold's first message to its last, with as many messages as it says.

    The largest come first, and after those two that the person may have forgotten are skipped. A try that leads
    nowhere is empty: there can be more of them than anyone wants to wait for.
    """
    begins = _by_begin(row, seen.marker.level)

    def further(at: int, left: int, forgotten: int, members: tuple[Memory, ...]) -> Iterator[tuple[Memory, ...]]:
        is_whole = left == 0 and len(members) > 1 and members[-1].last == seen.marker.last
        yield members if is_whole else ()
        if left <= 0 or at == len(row.order):
            return
        for unit in begins.get(row.order[at], ()):
            stop = row.order.index(unit.covers[-1]) + 1
            yield from further(stop, left - unit.messages, forgotten, (*members, unit.memory))
        if members and forgotten < _MOST_FORGOTTEN:
            yield from further(at + 1, left, forgotten + 1, members)

    for at, memory in enumerate(row.memories):
        if memory.first == seen.marker.first:
            yield from further(at, seen.marker.messages, 0, ())


def _by_begin(row: Row, level: int) -> dict[str, list[Unit]]:
    """What may be a member of a fold of this level, the highest first, by the chunk that it begins with."""
    found: dict[str, list[Unit]] = {}
    for unit in sorted(row.units.values(), key=lambda unit: -unit.memory.level):
        if unit.memory.level < level and unit.messages:
            found.setdefault(unit.covers[0], []).append(unit)
    return found
