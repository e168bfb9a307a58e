"""The agent tends its core memory after each of its memories, on the same cached context.

edits            one after the other, each on what the one before has left
one refused      told to the agent, which may answer once more
still refused    counted; never a silent change
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.archive.journal import Reply
from daemon.layout import foreign
from daemon.remembering.question import Desk
from primer import core
from primer.core import read_edits
from primer.models import thinks
from primer.prompt import ToolCall, Turn
from primer.reply import CALLED, Refused, read_reply
from primer.request import ENGINE, Model, Request
from rules.conversation.memory import Six
from rules.errors import ChatSetAside, TooLong
from rules.layers.core import CoreEvent, CoreMemory, Refusal
from rules.layers.layout import Edit, Layout, apply
from rules.plan.work import CORE_WORDS

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
