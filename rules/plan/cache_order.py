"""The order in which a plan's chunks are asked about: what goes at once, and who fills the cache.

    needs     what must be done before each: no more than the memories before its own tail
    leads     of those that begin alike one goes first; the others find its beginning in the cache
    cached    the tokens of each first request that are found there

Pieces begin alike where they have the same memories before them, and tails that begin together:

    b    memories | m4 m5          | chunk m6        waits for a, reads up to m6
    a    memories | m4 m5 m6       | chunk m7        leads, and breaks off at m6 and at m7
    c    memories | m4 m5 m6 m7    | chunk m8        waits for a, reads up to m7

A cache breaks off at few places of a request. So one in the middle leads, or the last one that the
next row waits for: it breaks off where the shorter tails end, and longer ones follow one another.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise

from rules.plan.chat_plan import ChatPlan
from rules.plan.work import PlannedChunk


def needs(plan: ChatPlan) -> tuple[int, ...]:
    """Return how many pieces of `plan.work`, from the first, must be done before each can begin.

    A memory is written, or written again, when those before its tail are final. A hindsight edition
    needs its own memory too, where that is written again first.
    """
    work = plan.work
    makers = [(at, chunk.number) for at, chunk in enumerate(work) if at not in plan.looking_back]
    counts: list[int] = []
    for at, chunk in enumerate(work):
        own = chunk.number if at in plan.looking_back else 0
        count = 0
        for place, number in makers:
            if number <= chunk.memories_before or number == own:
                count = place + 1
        counts.append(count)
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
    work = plan.work
    alike: dict[tuple[int, int], list[int]] = {}  # places by their beginning, in the plan's order
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
    """Yield the leads of a row of pieces that begin alike, the shortest tail first.

    It is led by the last piece that is waited for, or else by the middle one: the next row waits for
    memories up to number `awaited`.
    """
    work = plan.work
    # Hindsight does not lead others: it may wait for its own memory, written again.
    able = [at for at, place in enumerate(row) if place not in plan.looking_back]
    able = able or list(range(len(row)))
    waited_for = [at for at in able if work[row[at]].number <= awaited]
    first = waited_for[-1] if waited_for else able[len(able) // 2]
    leader = row[first]
    before = row[:first]
    breaks = _breaks([work[place] for place in before], work[leader], plan.fixed_tokens)
    yield Lead(leader, None, breaks)
    for place in before:
        nearest = [at for at in breaks if at <= work[place].start][-1:]
        yield _lead(plan, place, leader, nearest)
    for behind, place in pairwise(row[first:]):
        yield _lead(plan, place, behind, [work[behind].start])


def _lead(plan: ChatPlan, place: int, behind: int, breaks: Sequence[int]) -> Lead:
    """Return the lead of a piece that waits for another, with those breaks inside its tail."""
    chunk = plan.work[place]
    return Lead(place, behind, tuple(at for at in breaks if _is_inside(chunk, at)))


def _breaks(before: Sequence[PlannedChunk], leader: PlannedChunk, fixed: int) -> tuple[int, ...]:
    """Return where the leading one breaks off, so that those before it find as much as can be."""
    inside = [chunk for chunk in before if _is_inside(leader, chunk.start) and chunk.tail_tokens]
    if not inside:
        return ()
    fronts = [fixed + _front(chunk) for chunk in inside]

    def read(two: tuple[int, int]) -> int:
        """Return the tokens that all of them read from the cache, with breaks at these two."""
        first, second = two
        return (second - first) * fronts[first] + (len(fronts) - second) * fronts[second]

    two = max(combinations_with_replacement(range(len(inside)), 2), key=read)
    return tuple(sorted({inside[at].start for at in two}))


def _front(chunk: PlannedChunk) -> int:
    """Return the tokens of the memories and the tail that a chunk's request has before it."""
    return chunk.memories_tokens + chunk.tail_tokens


def _is_inside(chunk: PlannedChunk, at: int) -> bool:
    """Return whether an entry is inside a chunk's tail, and not at one of its ends."""
    return chunk.tail_start < at < chunk.start


def cached(plan: ChatPlan) -> tuple[int, ...]:
    """Return the tokens of each piece's first request that are cached when it is asked.

    These are tokens of its beginning, as we count them. Those that lead a row find nothing: folds
    that an earlier row has written are not counted, so the first requests may find a little more.
    """
    order = {lead.place: lead for lead in leads(plan)}
    ends = {place: _ends(plan, lead) for place, lead in order.items()}
    longest: list[int] = []
    for place in sorted(order):
        tokens = 0
        # One of those before it has written it, up to a breakpoint that both have.
        behind = order[place].behind
        while behind is not None:
            shared = ends[place].keys() & ends[behind].keys()
            tokens = max([tokens, *(ends[place][end] for end in shared)])
            behind = order[behind].behind
        longest.append(tokens)
    return tuple(longest)


def _ends(plan: ChatPlan, lead: Lead) -> Mapping[int, int]:
    """Return the entries before which the cache may break off, each with the tokens before it."""
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
