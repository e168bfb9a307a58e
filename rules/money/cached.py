"""How much of a plan's first requests a provider's cache already holds: as `rules/plan/lead.py` has them asked."""

from collections.abc import Mapping, Sequence

from rules.plan.chat_plan import ChatPlan
from rules.plan.lead import Lead, leads
from rules.plan.planned import PlannedChunk


def cached(plan: ChatPlan) -> tuple[int, ...]:
    """For each of `plan.work`, how many tokens of its first request are in the cache when it is asked.

    These are tokens of its beginning, as we count them. Those that lead a row find nothing: folds that an earlier row
    has written are not counted, and so the first requests may find a little more.
    """
    order = leads(plan)
    ends = {lead.place: _ends(plan, lead) for lead in order}
    behind = {lead.place: lead.behind for lead in order}
    return tuple(_shared(place, ends, behind) for place in range(len(plan.work)))


def _shared(place: int, ends: Mapping[int, Mapping[int, int]], behind: Mapping[int, int | None]) -> int:
    """The longest beginning that one of those before it has written, up to a breakpoint that both have."""
    found, before = 0, behind[place]
    while before is not None:
        found = max([found, *(ends[place][end] for end in ends[place].keys() & ends[before].keys())])
        before = behind[before]
    return found


def _ends(plan: ChatPlan, lead: Lead) -> Mapping[int, int]:
    """The entries before which the cache may break off, each with the tokens that stand before it."""
    chunk = plan.work[lead.place]
    front = plan.fixed_tokens + chunk.memories_tokens
    ends = {at: front + _tail_upto(plan.work, chunk, at) for at in lead.breaks}
    if chunk.memories_before and not lead.breaks:
        ends[chunk.tail_start] = front
    if chunk.tail_tokens:
        ends[chunk.start] = front + chunk.tail_tokens
    return ends


def _tail_upto(work: Sequence[PlannedChunk], chunk: PlannedChunk, at: int) -> int:
    """Tokens of the tail before an entry at which another chunk with the same beginning stands."""
    return next(one.tail_tokens for one in work if one.start == at and one.tail_start == chunk.tail_start)
