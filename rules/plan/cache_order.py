"""Order a plan's requests: which can run at once, and which fill the provider's cache for others.

    count_needed    what must be done before each: no more than the memories before its own tail
    order_leads     of those that begin alike one goes first; the others find its start in the cache
    count_cached    the tokens of each first request that are found there

Pieces of work begin alike where they have the same memories before them, and tails that begin
together. They form a row:

    b    memories | m4 m5          | chunk m6        waits for a, reads up to m6
    a    memories | m4 m5 m6       | chunk m7        leads, with breakpoints at m6 and at m7
    c    memories | m4 m5 m6 m7    | chunk m8        waits for a, reads up to m7

A request may have few cache breakpoints. So the piece in the middle leads, or the last one that the
next row waits for: it has breakpoints where the shorter tails end, and each longer tail waits for
the one before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise

from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk


def count_needed(plan: ChatPlan) -> tuple[int, ...]:
    """Return how many of the first pieces each piece of `plan.work` needs done before it begins.

    A memory is written, or written again, when the memories before its tail are final. A hindsight
    edition also needs its own memory, where that is written again first.
    """
    work = plan.work
    written = [
        (place, chunk.number)
        for place, chunk in enumerate(work)
        if place not in plan.hindsight_places
    ]
    counts: list[int] = []
    for at, chunk in enumerate(work):
        own = chunk.number if at in plan.hindsight_places else 0
        count = 0
        for place, number in written:
            if number <= chunk.memories_before or number == own:
                count = place + 1
        counts.append(count)
    return tuple(counts)


@dataclass(frozen=True, slots=True)
class Lead:
    """How the requests about one piece of `plan.work` use the cache."""

    place: int
    """Its index in `plan.work`."""
    waits_for: int | None
    """The index of the piece whose first answer it waits for; None where it waits for none."""
    breaks: tuple[int, ...]
    """The entries within its tail before which it has a cache breakpoint; at most two."""


def order_leads(plan: ChatPlan) -> tuple[Lead, ...]:
    """Return the leads of `plan.work` in an order to begin them: none waits for a later one."""
    work = plan.work
    alike: dict[tuple[int, int], list[int]] = {}  # places by beginning, in the plan's order
    for place, chunk in enumerate(work):
        alike.setdefault((chunk.memories_before, chunk.tail_start), []).append(place)
    rows = [sorted(row, key=lambda place: work[place].start) for row in alike.values()]
    # The next row waits for the memories before its own tails.
    awaited = [work[row[0]].memories_before for row in rows[1:]]
    order: list[Lead] = []
    for row, memories in zip(rows, [*awaited, 0], strict=False):
        order += _row(plan, row, memories)
    return tuple(order)


def _row(plan: ChatPlan, row: Sequence[int], awaited: int) -> Iterator[Lead]:
    """Yield the leads of a row of pieces that begin alike, which has the shortest tail first.

    The row is led by the last piece that the next row waits for (which needs memories up to number
    `awaited`), or else by the middle one.
    """
    work = plan.work
    # Hindsight never leads if others can: it may wait for its own memory to be written again.
    able = [at for at, place in enumerate(row) if place not in plan.hindsight_places]
    able = able or list(range(len(row)))
    needed_next = [at for at in able if work[row[at]].number <= awaited]
    first = needed_next[-1] if needed_next else able[len(able) // 2]
    leader = row[first]
    shorter = row[:first]
    breaks = _choose_breaks([work[place] for place in shorter], work[leader], plan.fixed_tokens)
    yield Lead(leader, None, breaks)
    for place in shorter:
        nearest = [at for at in breaks if at <= work[place].start][-1:]
        yield _follow(plan, place, leader, nearest)
    for before, place in pairwise(row[first:]):
        yield _follow(plan, place, before, [work[before].start])


def _follow(plan: ChatPlan, place: int, waits_for: int, breaks: Sequence[int]) -> Lead:
    """Return the lead of a piece that waits for another, with the breaks that are in its tail."""
    chunk = plan.work[place]
    return Lead(place, waits_for, tuple(at for at in breaks if _is_inside(chunk, at)))


def _choose_breaks(
    shorter: Sequence[PlannedChunk], leader: PlannedChunk, fixed: int
) -> tuple[int, ...]:
    """Return the leader's breakpoints: those where shorter tails find most in the cache."""
    inside = [chunk for chunk in shorter if _is_inside(leader, chunk.start) and chunk.tail_tokens]
    if not inside:
        return ()
    fronts = [fixed + _front(chunk) for chunk in inside]

    def count_read(two: tuple[int, int]) -> int:
        """Return the tokens that all of them read from the cache, with breakpoints at these two."""
        first, second = two
        return (second - first) * fronts[first] + (len(fronts) - second) * fronts[second]

    two = max(combinations_with_replacement(range(len(inside)), 2), key=count_read)
    return tuple(sorted({inside[at].start for at in two}))


def _front(chunk: PlannedChunk) -> int:
    """Return the tokens of the memories and the tail that a chunk's request has before it."""
    return chunk.memories_tokens + chunk.tail_tokens


def _is_inside(chunk: PlannedChunk, at: int) -> bool:
    """Return whether an entry is within a chunk's tail, and not at one of its ends."""
    return chunk.tail_start < at < chunk.start


def count_cached(plan: ChatPlan) -> tuple[int, ...]:
    """Return how many tokens of each piece's first request will be in the cache, as we count them.

    The leaders of rows count as finding nothing, though they may find a little: folds of an earlier
    row.
    """
    order = {lead.place: lead for lead in order_leads(plan)}
    ends = {place: _ends(plan, lead) for place, lead in order.items()}
    longest: list[int] = []
    for place in sorted(order):
        tokens = 0
        # Any piece that it waits for may have written it, up to a breakpoint that both have.
        earlier = order[place].waits_for
        while earlier is not None:
            shared = ends[place].keys() & ends[earlier].keys()
            tokens = max([tokens, *(ends[place][end] for end in shared)])
            earlier = order[earlier].waits_for
        longest.append(tokens)
    return tuple(longest)


def _ends(plan: ChatPlan, lead: Lead) -> Mapping[int, int]:
    """Return the entries that a request has a breakpoint before, each with the tokens before it."""
    chunk = plan.work[lead.place]
    before_tail = plan.fixed_tokens + chunk.memories_tokens
    ends: dict[int, int] = {}
    for other in plan.work:
        if other.tail_start == chunk.tail_start and other.start in lead.breaks:
            ends[other.start] = before_tail + other.tail_tokens
    if chunk.memories_before and not lead.breaks:
        ends[chunk.tail_start] = before_tail
    if chunk.tail_tokens:
        ends[chunk.start] = plan.fixed_tokens + _front(chunk)
    return ends
