"""Where memories and folds stand in the row of a chat, and what of the conversation no memory is left for."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from daemon.rebuilding.evidence import Evidence, Seen
from daemon.rebuilding.row import Row, Unit, take_out


def place_in(evidence: Evidence, row: Row, seen: Seen, keys: tuple[str, ...]) -> int:
    """Behind the last that begins before it; one without raw messages, behind what files show before it."""
    if keys:
        index = {key: at for at, key in enumerate(evidence.order)}
        starts = {at: index[one.keys[0]] for at, one in enumerate(row.memories) if one.keys}
        return max((at + 1 for at, start in starts.items() if start < index[keys[0]]), default=0)
    here = evidence.line.index(seen.memory_id)
    return max((row.order.index(name) + 1 for name in evidence.line[:here] if name in row.order), default=0)


def inside(evidence: Evidence, row: Row, seen: Seen) -> list[str]:
    """The chunks that a fold stands for: by its raw messages, or by what the files show before and behind it."""
    if seen.run:
        run = set(seen.run)
        return [memory.memory_id for memory in row.memories if memory.keys and run.issuperset(memory.keys)]
    line = evidence.line
    start = line.index(seen.before) + 1 if seen.before else 0
    stop = line.index(seen.behind) if seen.behind else len(line)
    between = set(line[start:stop])
    return [
        memory.memory_id for memory in row.memories if memory.memory_id in between and memory.level < seen.marker.level
    ]


def close(row: Row, lone: Sequence[str], shown_now: Sequence[str]) -> None:
    """Up to the last lone fold, everything stands as the newest file shows it, and each fold there stands for itself.

    Memories are folded in their order, by level. Single ones before a lone fold, which were folded long ago, would
    be folded otherwise, and asked for again.
    """
    last = max((row.order.index(name) for name in lone if name in row.order), default=-1)
    until = set(row.order[: last + 1])
    for name in shown_now:
        unit = row.units.get(name)
        if unit is not None and unit.memory.is_fold and until & set(unit.covers):
            at = row.order.index(unit.covers[0])
            take_out(row, unit.covers)
            row.unplaced.remove(name)
            row.units[name] = Unit(replace(unit.memory, members=()), unit.messages, (name,))
            row.order.insert(at, name)


def left_over(evidence: Evidence, row: Row, live: Collection[str]) -> frozenset[str]:
    """The raw messages beside a memory without any, up to those under the memories around it, or to the live ones."""
    under = {key: at for at, memory in enumerate(row.memories) for key in memory.keys}
    keyless = {at for at, memory in enumerate(row.memories) if not memory.keys}
    last_under = max((at for at, key in enumerate(evidence.order) if key in under), default=-1)
    found: set[str] = set()
    waiting: list[str] = []
    before = -1
    for at, key in enumerate(evidence.order):
        if key in under:
            found.update(waiting if keyless & {*range(before + 1, under[key])} else ())
            before, waiting = under[key], []
        elif key in live and at > last_under:
            break
        elif key not in live:
            waiting.append(key)
    found.update(waiting if keyless & {*range(before + 1, len(row.order))} else ())
    return frozenset(key for key in found if evidence.raw[key].left_out is None)
