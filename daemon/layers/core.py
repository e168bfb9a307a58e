"""After each memory the agent may edit its core memory, on the context in which the memory was written."""

from collections.abc import Sequence
from functools import partial

from daemon.archive.core import keep_core_events
from daemon.archive.layers import end_step
from daemon.archive.memories import editions
from daemon.layers.chain import Chain, Keep
from daemon.layers.standing import core_now
from daemon.remembering.asking import desk_for
from daemon.remembering.core import Written, tend
from daemon.remembering.question import Desk
from daemon.survey import Survey, told_before
from daemon.wavefront.front import Front
from primer import prompt
from primer.prompt import Turn
from rules.conversation.memory import EXTRACTED, Memory
from rules.errors import TooLong
from rules.layers.core import CoreEvent
from rules.plan.cache_order import Lead
from rules.plan.work import PlannedChunk


def core_chain(front: Front, found: Survey, memories: Sequence[Memory], leads: Sequence[Lead]) -> Chain:
    """The edits that are planned; `memories` are those of the chat as they are by then."""
    breaks = {found.plan.work[lead.place].number: lead.breaks for lead in leads}
    archive, chat_id = front.house.archive, found.plan.chat_id

    def hold(chunk: PlannedChunk) -> Keep:
        memory = next(one for one in memories if not one.is_fold and one.number == chunk.number)
        as_of = next(one for one in reversed(editions(archive, memory.memory_id)) if one.kind == "as-of")
        if memory.forgotten or as_of.made == EXTRACTED:
            return partial(keep, memory, ())
        before = _context(found, memories, chunk, breaks.get(chunk.number, ()))
        written = Written(before, as_of.texts, memory.number, as_of.number)
        return partial(keep, memory, edits(desk_for(front, found, chunk), written))

    def edits(desk: Desk, written: Written) -> tuple[CoreEvent, ...]:
        stands = core_now(archive, chat_id, found.layout)
        try:
            return tend(desk, found.roles.agent, written, stands, found.layout).events
        except TooLong:
            desk.note("core question too long for the window")  # the memory itself stands, and the work goes on
            return ()

    def keep(memory: Memory, events: tuple[CoreEvent, ...]) -> None:
        now = front.house.clock()
        with archive.transaction():
            keep_core_events(archive, chat_id, events, now, memory.memory_id)
            end_step(archive, memory.memory_id, "core", now)

    return Chain(front, found.plan.layers.core, hold)


def _context(found: Survey, memories: Sequence[Memory], chunk: PlannedChunk, breaks: Sequence[int]) -> tuple[Turn, ...]:
    """What the memory was written from, byte for byte, so that the provider's cache knows it."""
    one = found.passage(chunk, told_before(found, memories, chunk.memories_before), breaks)
    return prompt.context(found.texts, one.system_message, one.memories, one.tail, one.chunk, one.breaks)
