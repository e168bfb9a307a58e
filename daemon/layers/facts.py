"""After each memory the context manager takes the facts of its chunk, from the raw messages alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from daemon.archive.facts import fact_events, keep_fact_events, next_fact
from daemon.archive.layers import end_step
from daemon.archive.memories import editions
from daemon.layers.chain import Chain, Keep
from daemon.remembering.asking import desk_for
from daemon.remembering.facts import take_facts
from daemon.survey import Survey
from daemon.wavefront.front import Front
from rules.conversation.memory import Memory
from rules.errors import TooLong
from rules.layers.facts import FactEvent
from rules.plan.work import PlannedChunk


def facts_chain(front: Front, found: Survey, memories: Sequence[Memory]) -> Chain:
    """The facts that are planned; `memories` are those of the chat as they are by then."""
    archive, chat_id = front.house.archive, found.plan.chat_id

    def hold(chunk: PlannedChunk) -> Keep:
        memory = next(one for one in memories if not one.is_fold and one.number == chunk.number)
        return partial(keep, memory, () if memory.forgotten else taken(chunk, memory))

    def taken(chunk: PlannedChunk, memory: Memory) -> tuple[FactEvent, ...]:
        desk = desk_for(front, found, chunk)
        edition = max(one.number for one in editions(archive, memory.memory_id) if one.kind == "as-of")
        try:
            events = take_facts(
                desk,
                found.roles.context_manager,
                found.passage(chunk, ()).chunk,
                fact_events(archive, chat_id),
                next_number=next_fact(archive, chat_id),
                compare=found.facts.compare,
                embedding=found.roles.embedding,
            )
        except TooLong:
            desk.note("facts question too long for the window")  # the memory itself stands, and the work goes on
            return ()
        return tuple(replace(event, memory=memory.number, edition=edition) for event in events)

    def keep(memory: Memory, events: tuple[FactEvent, ...]) -> None:
        now = front.house.clock()
        with archive.transaction():
            keep_fact_events(archive, chat_id, events, now, memory.memory_id)
            end_step(archive, memory.memory_id, "facts", now)

    return Chain(front, found.plan.layers.facts, hold)
