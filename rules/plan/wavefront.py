"""What of a plan can be done at the same time (D16): a chunk needs no more than the memories before its own tail.

And what is better not done at the same moment: chunks whose requests begin alike. The first of them to be answered has
its beginning written to the provider's cache, where the others read it, if they come later. So of such chunks a few
lead, and each of the others waits for the first answer of one that leads.
"""

from collections.abc import Iterator, Sequence

from rules.plan.chat_plan import ChatPlan
from rules.plan.planned import PlannedChunk

_LOOK_BACK = 20
"""So many messages before a breakpoint a provider looks for what its cache holds."""


def needs(plan: ChatPlan) -> tuple[int, ...]:
    """For each of `plan.work`, how many of it, counted from the first, must be done before it can be begun.

    A memory is written, or written again, when those before its tail stand as they will stay. A hindsight edition
    needs its own memory too, where that is written again first.
    """
    makers = [(at, chunk.number) for at, chunk in enumerate(plan.again)]
    looked_back = len(plan.again) + len(plan.hindsight)
    makers += [(looked_back + at, chunk.number) for at, chunk in enumerate(plan.chunks)]
    found: list[int] = []
    for at, chunk in enumerate(plan.work):
        own = chunk.number if len(plan.again) <= at < looked_back else 0
        before = [place for place, number in makers if number <= chunk.memories_before or number == own]
        found.append(max(before, default=-1) + 1)
    return tuple(found)


def depth(plan: ChatPlan) -> int:
    """How many memories must be made one after the other, at the least, until all is done. 0: there is no work."""
    depths: list[int] = []
    for first in needs(plan):
        depths.append(1 + max(depths[:first], default=0))
    return max(depths, default=0)


def leaders(plan: ChatPlan) -> tuple[int | None, ...]:
    """For each of `plan.work`, the place of the chunk whose first answer it waits for; None for one that leads.

    A chunk follows where at least half of its request, up to its own messages, is in the cache by then. With requests
    that begin with the same 3,000 tokens, followed by tails of 0, 4,000, 8,000 and so on, the first, the second, the
    fourth and the eighth lead.
    """
    found: list[int | None] = []
    for at, chunk in enumerate(plan.work):
        alike = [place for place in _alike(plan.work[:at], chunk) if found[place] is None]
        shared = {place: _shared(plan.fixed_tokens, plan.work[place], chunk) for place in alike}
        best = max(alike, key=lambda place: (shared[place], place), default=None)
        follows = best is not None and 2 * shared[best] >= _before(plan.fixed_tokens, chunk) + chunk.tail_tokens
        found.append(best if follows else None)
    return tuple(found)


def _alike(work: Sequence[PlannedChunk], chunk: PlannedChunk) -> Iterator[int]:
    begin = (chunk.memories_before, chunk.tail_start)
    return (at for at, one in enumerate(work) if (one.memories_before, one.tail_start) == begin)


def _shared(fixed: int, leader: PlannedChunk, chunk: PlannedChunk) -> int:
    """About how many tokens of a chunk's request are in the cache when its leader has been answered."""
    in_reach = 0 <= chunk.start - leader.start < _LOOK_BACK
    return _before(fixed, chunk) + (leader.tail_tokens if in_reach else 0)


def _before(fixed: int, chunk: PlannedChunk) -> int:
    return fixed + chunk.memories_tokens
