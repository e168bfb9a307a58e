"""The order in which a plan's chunks are asked about: what goes at once, and who fills the cache.

needs     what must be done before each: a chunk needs no more than the memories before its own tail
leads     of those that begin alike one goes first, and the others find its beginning in the cache
cached    the tokens of each first request that are found there
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise, zip_longest

from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk


def needs(plan: ChatPlan) -> tuple[int, ...]:
    """Return how many pieces of `plan.work`, from the first, must be done before each can begin.

    A memory is written, or written again, when those before its tail are final. A hindsight edition
    needs its own memory too, where that is written again first.
    """
    makers = [(at, chunk.number) for at, chunk in enumerate(plan.again)]
    makers += [(at, chunk.number) for at, chunk in enumerate(plan.chunks, plan.looking_back.stop)]
    counts: list[int] = []
    for at, chunk in enumerate(plan.work):
        own = chunk.number if at in plan.looking_back else 0
        before = [
            place for place, number in makers if number <= chunk.memories_before or number == own
        ]
        counts.append(max(before, default=-1) + 1)
    return tuple(counts)


@dataclass(frozen=True, slots=True)
class Lead:
    """The way in which one of `plan.work` is asked about."""

    place: int
    """Its place among them."""
    behind: int | None
    """The place of the one whose first answer it waits for; None: it waits for none."""
    breaks: tuple[int, ...]
    """The entries inside its tail before which the cache may break off; at most two."""


def leads(plan: ChatPlan) -> tuple[Lead, ...]:
    """Return the leads of all of `plan.work`, as they are begun: none waits for a later one."""
    alike: dict[tuple[int, int], list[int]] = {}  # places by their beginning, in the plan's order
    for place, chunk in enumerate(plan.work):
        alike.setdefault((chunk.memories_before, chunk.tail_start), []).append(place)
    rows = [
        sorted(row, key=lambda place: (plan.work[place].start, place)) for row in alike.values()
    ]
    return tuple(
        lead for row, after in zip_longest(rows, rows[1:]) for lead in _row(plan, row, after)
    )


def _row(plan: ChatPlan, row: Sequence[int], after: Sequence[int] | None) -> Iterator[Lead]:
    """Yield the leads of a row of pieces that begin alike, the shortest tail first.

    `after` are the next, which wait for the memories before their own tails.
    """
    first = _first(plan, row, 0 if after is None else plan.work[after[0]].memories_before)
    before, others = row[:first], row[first:]
    breaks = _breaks(
        [plan.work[place] for place in before], plan.work[row[first]], plan.fixed_tokens
    )
    yield Lead(row[first], None, breaks)
    for place in before:
        nearest = [at for at in breaks if at <= plan.work[place].start][-1:]
        yield Lead(place, row[first], _inside(plan.work[place], nearest))
    for behind, place in pairwise(others):
        yield Lead(place, behind, _inside(plan.work[place], [plan.work[behind].start]))


def _first(plan: ChatPlan, row: Sequence[int], awaited: int) -> int:
    """Return the piece that leads a row: the last that is waited for, or else the middle one.

    Hindsight does not lead others: it may wait for its own memory, written again.
    """
    places = range(len(row))
    able = [at for at in places if row[at] not in plan.looking_back] or places
    awaited_ones = [at for at in able if plan.work[row[at]].number <= awaited]
    return awaited_ones[-1] if awaited_ones else able[len(able) // 2]


def _breaks(before: Sequence[PlannedChunk], leader: PlannedChunk, fixed: int) -> tuple[int, ...]:
    """Return where the leading one breaks off, so that those before it find as much as can be."""
    inside = [chunk for chunk in before if _inside(leader, [chunk.start]) and chunk.tail_tokens]
    if not inside:
        return ()
    fronts = [fixed + chunk.memories_tokens + chunk.tail_tokens for chunk in inside]

    def read(first: int, second: int) -> int:
        """Return the tokens that all of them read from the cache, with breaks at these two."""
        return (second - first) * fronts[first] + (len(fronts) - second) * fronts[second]

    two = max(combinations_with_replacement(range(len(inside)), 2), key=lambda two: read(*two))
    return tuple(sorted({inside[at].start for at in two}))


def _inside(chunk: PlannedChunk, breaks: Sequence[int]) -> tuple[int, ...]:
    """Return the breaks inside a chunk's tail, and not at one of its ends."""
    return tuple(at for at in breaks if chunk.tail_start < at < chunk.start)


def cached(plan: ChatPlan) -> tuple[int, ...]:
    """Return the tokens of each piece's first request that are cached when it is asked.

    These are tokens of its beginning, as we count them. Those that lead a row find nothing: folds
    that an earlier row has written are not counted, so the first requests may find a little more.
    """
    order = leads(plan)
    ends = {lead.place: _ends(plan, lead) for lead in order}
    behind = {lead.place: lead.behind for lead in order}
    longest: list[int] = []
    for place in range(len(plan.work)):
        shared, before = [0], behind[place]
        # One of those before it has written it, up to a breakpoint that both have.
        while before is not None:
            shared += [ends[place][end] for end in ends[place].keys() & ends[before].keys()]
            before = behind[before]
        longest.append(max(shared))
    return tuple(longest)


def _ends(plan: ChatPlan, lead: Lead) -> Mapping[int, int]:
    """Return the entries before which the cache may break off, each with the tokens before it."""
    chunk = plan.work[lead.place]
    front = plan.fixed_tokens + chunk.memories_tokens
    tails = {
        other.start: other.tail_tokens
        for other in plan.work
        if other.tail_start == chunk.tail_start
    }
    ends = {at: front + tails[at] for at in lead.breaks}
    if chunk.memories_before and not lead.breaks:
        ends[chunk.tail_start] = front
    if chunk.tail_tokens:
        ends[chunk.start] = front + chunk.tail_tokens
    return ends
