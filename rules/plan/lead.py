"""In which order those are asked whose requests begin alike, and where a provider's cache may break off.

Between two moves of the tail all requests have the same memories, and tails of the same beginning. What one of them
has written to the provider's cache the others find there, if they come later, and up to a breakpoint alone. Of these a
request has few: one behind the tail, and up to two inside it.

    b   memories | tail ....            | chunk      those that the next move waits for, at once, when c is answered
    c   memories | tail ....|....       | chunk      the last of them leads
    d   memories | tail ....:....|....  | chunk      those after it go one behind the other
    e   memories | tail ....:....:....|....| chunk

So nearly everything is written once, and the next move waits no longer than if all went at once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, zip_longest

from rules.plan.chat_plan import ChatPlan
from rules.plan.planned import PlannedChunk


@dataclass(frozen=True, slots=True)
class Lead:
    """How one of `plan.work` is asked about."""

    place: int
    """Which of them it is."""
    behind: int | None
    """The place of the one whose first answer it waits for; None: it waits for nobody."""
    breaks: tuple[int, ...]
    """The entries inside its tail before which the cache may break off; at most two."""


def leads(plan: ChatPlan) -> tuple[Lead, ...]:
    """How each of `plan.work` is asked about, in the order in which they are begun: nobody waits for a later one."""
    rows = _alike(plan)
    return tuple(lead for row, after in zip_longest(rows, rows[1:]) for lead in _row(plan, row, after))


def _alike(plan: ChatPlan) -> list[list[int]]:
    """The places of those that begin alike, the shortest tail first; the rows in the order of the plan."""
    rows: dict[tuple[int, int], list[int]] = {}
    for place, chunk in enumerate(plan.work):
        rows.setdefault((chunk.memories_before, chunk.tail_start), []).append(place)
    return [sorted(row, key=lambda place: (plan.work[place].start, place)) for row in rows.values()]


def _row(plan: ChatPlan, row: Sequence[int], after: Sequence[int] | None) -> Iterator[Lead]:
    """Those that begin alike; `after` are the next, which wait for the memories before their own tails."""
    first = _first(plan, row, 0 if after is None else plan.work[after[0]].memories_before)
    before, others = row[:first], row[first:]
    leader = plan.work[row[first]]
    breaks = _breaks([plan.work[place] for place in before], leader, plan.fixed_tokens)
    yield Lead(row[first], None, breaks)
    for place in before:
        nearest = [one for one in breaks if one <= plan.work[place].start][-1:]
        yield Lead(place, row[first], _inside(plan.work[place], nearest))
    for behind, place in pairwise(others):
        yield Lead(place, behind, _inside(plan.work[place], [plan.work[behind].start]))


def _first(plan: ChatPlan, row: Sequence[int], awaited: int) -> int:
    """Which of a row leads: the last that is waited for, or where nobody waits the one in the middle.

    Hindsight does not lead others: it may wait for its own memory, written again.
    """
    looking_back = range(len(plan.again), len(plan.again) + len(plan.hindsight))
    able = [at for at, place in enumerate(row) if place not in looking_back] or list(range(len(row)))
    wanted = [at for at in able if plan.work[row[at]].number <= awaited]
    return wanted[-1] if wanted else able[len(able) // 2]


def _breaks(before: Sequence[PlannedChunk], leader: PlannedChunk, fixed: int) -> tuple[int, ...]:
    """Where the one that leads breaks off, so that those before it find as much as can be."""
    inside = [chunk for chunk in before if _inside(leader, [chunk.start]) and chunk.tail_tokens]
    if not inside:
        return ()
    found = _found([fixed + chunk.memories_tokens + chunk.tail_tokens for chunk in inside])
    two = max(combinations_with_replacement(range(len(inside)), 2), key=lambda two: found(*two))
    return tuple(sorted({inside[at].start for at in two}))


def _found(beginnings: Sequence[int]) -> Callable[[int, int], int]:
    """What these, given by their tokens, find in the cache together, with breaks where two of them end."""
    number = len(beginnings)
    return lambda first, second: (second - first) * beginnings[first] + (number - second) * beginnings[second]


def _inside(chunk: PlannedChunk, breaks: Sequence[int]) -> tuple[int, ...]:
    """Those of the breaks that stand inside a chunk's tail, and not at one of its ends."""
    return tuple(one for one in breaks if chunk.tail_start < one < chunk.start)
