"""The steps of one layer: one after the other, in the order of the chunks, beside the wavefront.

Step k sees what step k - 1 has left, and begins when the memory of its own chunk is kept. So what comes of them is the
same whatever the concurrency, and in however many rounds the chunks came.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.core_events import end_step, keep_core_events
from daemon.archive.journal import Reply
from daemon.archive.memories import editions
from daemon.chat.opening import core_now
from daemon.chat.survey import Survey, told_before
from daemon.context import foreign
from daemon.models.scheduler import Front, Talk
from daemon.remember.asking import desk_for
from daemon.remember.question import Desk
from primer import core, prompt
from primer.core import read_edits
from primer.models import thinks
from primer.prompt import ToolCall, Turn
from primer.reply import CALLED, Refused, read_reply
from primer.request import ENGINE, Model, Request
from rules.conversation.memory import EXTRACTED, Memory, Six
from rules.errors import ChatSetAside, TooLong
from rules.layers.core import CoreEvent, CoreMemory, Refusal
from rules.layers.layout import Edit, Layout, apply
from rules.plan.cache_order import Lead
from rules.plan.work import CORE_WORDS, PlannedChunk

Keep = Callable[[], None]
"""Keeps what a step has come to."""
Hold = Callable[[PlannedChunk], Keep]
"""Holds the dialogue of one step, as far as its answers are known."""

_BEFORE_ALL_CHUNKS = -1


class Chain:
    """The steps of a layer that are left; at most one of them is under way."""

    def __init__(self, front: Front, steps: Sequence[PlannedChunk], hold: Hold) -> None:
        self._front = front
        self._left = list(steps)
        self._hold = hold
        self._talk: Talk[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether a step has been begun and is not kept."""
        return self._talk is not None

    def begin(self, waiting: Collection[int]) -> None:
        """Begin the next step, unless its memory is among those, by number, that are still to be made."""
        if self._talk is None and self._left and self._left[0].number not in waiting:
            chunk = self._left.pop(0)
            self._talk = Talk(lambda: self._hold(chunk), _BEFORE_ALL_CHUNKS)
            self._front.begin(self._talk)

    def keep(self) -> None:
        """Keep the step when it is finished."""
        if self._talk and self._talk.result:
            self._talk.result()
            self._talk = None


_ENDED = "stop"


@dataclass(frozen=True, slots=True)
class Written:
    """The as-of edition after which the core memory is tended, and where it was written."""

    before: tuple[Turn, ...]
    """The agent's context, behind which the memory's own questions stand."""
    texts: Six
    number: int
    """The memory's."""
    edition: int


@dataclass(frozen=True, slots=True)
class Tended:
    """The core memory afterwards, and what was written into it, in order."""

    memory: CoreMemory
    events: tuple[CoreEvent, ...] = ()


def tend(desk: Desk, agent: Model, written: Written, memory: CoreMemory, layout: Layout) -> Tended:
    """Ask the agent for edits of `memory`, once more where one was refused, and carry out what can be.

    What cannot be read or carried out changes nothing, and is counted. The built-in engine has nothing to say here.
    Raises ModelError where the agent cannot be asked.
    """
    if agent == ENGINE:
        return Tended(memory)
    asked = core.ask(desk.texts, memory, layout, bool(agent.tools))
    request = Request("core", agent, core.after_memory(written.before, written.texts, asked), CORE_WORDS)
    tended = _conversed(desk, request, memory, layout)
    events = (replace(event, memory=written.number, edition=written.edition) for event in tended.events)
    return replace(tended, events=tuple(events))


def _conversed(desk: Desk, request: Request, memory: CoreMemory, layout: Layout) -> Tended:
    first = _answered(desk, request, layout, Tended(memory))
    if not first.refused:
        return first.tended
    said, calls = first.said, first.calls
    if calls and thinks(request.model):
        said, calls = core.in_words(said, calls), ()
    again = core.results(desk.texts, said, calls, first.outcomes)
    try:
        second = _answered(desk, replace(request, turns=(*request.turns, *again)), layout, first.tended)
    except TooLong:
        desk.note("core correction too long for the window")
        return first.tended
    if second.outcomes and not second.refused:
        desk.note("core edits good at the second try")
    return second.tended


@dataclass(frozen=True, slots=True)
class _Answered:
    """One answer of the agent, carried out as far as it could be."""

    tended: Tended
    said: str
    calls: tuple[ToolCall, ...]
    outcomes: tuple[CoreMemory | Refusal, ...]
    """What became of each of its edits, in order."""

    @property
    def refused(self) -> bool:
        """Whether one of them could not be made."""
        return any(isinstance(one, Refusal) for one in self.outcomes)


def _answered(desk: Desk, request: Request, layout: Layout, tended: Tended) -> _Answered:
    reply = desk.ask(request)
    native = bool(request.model.tools)
    calls = reply.calls if native else ()
    said = _said(desk, reply, calls)
    outcomes: list[CoreMemory | Refusal] = []
    for edit in () if said is None else read_edits(said, calls, native):
        outcome = edit if isinstance(edit, Refusal) else _applied(layout, tended.memory, edit)
        outcomes.append(outcome)
        if isinstance(outcome, Refusal):
            desk.note(f"core edit refused: {outcome.kind}")
        elif isinstance(edit, Edit):
            tended = Tended(outcome, (*tended.events, *_events(tended.memory, outcome, edit)))
    return _Answered(tended, said or "", calls, tuple(outcomes))


def _applied(layout: Layout, memory: CoreMemory, edit: Edit) -> CoreMemory | Refusal:
    """The memory after the edit, or why it stays. Raises ChatSetAside where the function itself has failed."""

    def told(fault: Exception) -> ChatSetAside:
        return ChatSetAside(
            f"The function {edit.function} of the core memory's layout has failed: {type(fault).__name__}.",
            "Mend or update the layout, or set core.layout in memproc.toml to another one.",
        )

    with foreign(told):
        return apply(layout.functions, memory, edit)


def _said(desk: Desk, reply: Reply, calls: Sequence[ToolCall]) -> str | None:
    """The text of an answer; None where nothing of it counts. Calls that came whole count without any text."""
    read = read_reply(reply.text, _ENDED if reply.finish in CALLED else reply.finish)
    if not isinstance(read, Refused):
        return read.text
    if read.kind != "empty" or not calls:
        desk.note(f"core answer {read.kind}")
    return "" if calls and read.kind != "refused" else None


def _events(before: CoreMemory, after: CoreMemory, edit: Edit) -> list[CoreEvent]:
    """What an edit has written: one event for each section whose value is another one now."""
    return [
        CoreEvent(now.name, now.value, now.held, "agent", edit.function, held_lines=now.held_lines)
        for was, now in zip(before, after, strict=True)
        if now.value != was.value
    ]


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
