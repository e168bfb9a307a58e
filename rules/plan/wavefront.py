"""What of a plan can be done at the same time: a chunk needs no more than the memories before its own tail."""

from rules.plan.chat_plan import ChatPlan


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
