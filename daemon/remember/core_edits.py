"""The agent's edits of its core memory after a memory, each applied to the result of the last.

The agent is told of a refused edit, and may answer once more. An edit that is refused again is
counted, and never silently altered; an answer that cannot be read changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from daemon.config.loading import layout_errors
from daemon.models.scheduler import Noted, Steps
from daemon.remember.question import Worksheet
from primer import core_questions as core
from primer.core_questions import read_edits
from primer.finish import CALLED
from primer.models import Model
from primer.prompt import ToolCall, Turn
from primer.reply import Refused, Request, read_reply, refuse_control_mark
from primer.thinking import may_think
from rules.checks.whose import claims_persons_life
from rules.conversation.memory import Six
from rules.errors import ChatSkipped, TooLong
from rules.layers.core import CoreEvent, CoreMemory, Refusal, lines_of
from rules.layers.core_layout import CoreEdit, Layout, apply_edit
from rules.layers.names import HUMAN, PERSONA, refuse_claim
from rules.plan.work import CORE_WORDS

_ENDED = "stop"
"""The finish of an answer that is whole."""


@dataclass(frozen=True, slots=True)
class AboutCore:
    """What the agent sees when it is asked for edits, and what they are applied to."""

    before: tuple[Turn, ...]
    """The agent's context, which the questions of the memory follow."""
    written: Six
    """The memory that has just been written, with its questions as they were posed."""
    memory: CoreMemory
    layout: Layout
    names: frozenset[str] = frozenset()
    """The person's names, which the section on the persona must not claim."""
    by_person: Sequence[str] = ()
    """What the person said in the chunk."""
    by_persona: Sequence[str] = ()
    who: str = ""
    """The sentence that tells the agent who is who."""


@dataclass(frozen=True, slots=True)
class EditedCore:
    """The core memory after an answer of the agent, with its edits made as far as possible."""

    memory: CoreMemory
    events: tuple[CoreEvent, ...] = ()
    """The changes of its sections, in order; the caller adds the memory and the edition."""
    outcomes: tuple[CoreMemory | Refusal, ...] = field(default=(), compare=False)
    """The outcome of each edit of the last answer, in order."""

    @property
    def refused(self) -> bool:
        """Return whether any edit of the last answer was refused."""
        return any(isinstance(outcome, Refusal) for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of the agent as it was read; `text` is None where none of it can be used."""

    text: str | None
    calls: tuple[ToolCall, ...]


def edit_core_memory(sheet: Worksheet, agent: Model, about: AboutCore) -> Steps[EditedCore]:
    """Ask the agent for edits, once more if one was refused, and make those that can be made.

    Raises ModelError where the agent cannot be asked.
    """
    asked = core.ask_core(sheet.texts, about.memory, about.layout, bool(agent.tools))
    question = "\n\n".join(filter(None, (about.who, asked)))
    turns = core.after_memory(about.before, about.written, question)
    request = Request("core", agent, turns, CORE_WORDS)
    answer = yield from _ask(sheet, request)
    first = yield from _carry_out(about, agent, answer, EditedCore(about.memory))
    if not first.refused:
        return first
    text, calls = answer.text or "", answer.calls
    if calls and may_think(agent):  # a model that thinks takes no calls back
        text, calls = core.results_in_words(text, calls), ()
    results = core.tell_results(sheet.texts, text, calls, first.outcomes)
    try:
        answer = yield from _ask(sheet, replace(request, turns=(*turns, *results)))
    except TooLong:
        yield Noted("core correction too long for the window")
        return first
    second = yield from _carry_out(about, agent, answer, first)
    if second.outcomes and not second.refused:
        yield Noted("core edits good at the second try")
    return second


def _ask(sheet: Worksheet, request: Request) -> Steps[_Answer]:
    """Return the answer, without a text where none of it can be used. Whole calls need no text."""
    reply = yield from sheet.ask(request)
    calls = reply.calls if request.model.tools else ()
    finish = _ENDED if reply.finish in CALLED else reply.finish
    read = read_reply(reply.text, finish, is_prose=False)
    if not isinstance(read, Refused):
        return _Answer(read.text, calls)
    if read.kind != "empty" or not calls:
        yield Noted(f"core answer {read.kind}")
    return _Answer("" if calls and read.kind != "refused" else None, calls)


def _carry_out(
    about: AboutCore, agent: Model, answer: _Answer, before: EditedCore
) -> Steps[EditedCore]:
    """Make the edits of an answer, one after the other, on the memory of `before`."""
    if answer.text is None:
        return replace(before, outcomes=())
    memory, events = before.memory, list(before.events)
    outcomes: list[CoreMemory | Refusal] = []
    for edit in read_edits(answer.text, answer.calls, bool(agent.tools)):
        outcome = edit if isinstance(edit, Refusal) else _apply(about, memory, edit)
        outcomes.append(outcome)
        if isinstance(outcome, Refusal):
            yield Noted(f"core edit refused: {outcome.kind}")
        elif isinstance(edit, CoreEdit):
            events += [
                CoreEvent(
                    new.name, new.value, new.held, "agent", edit.function, held_lines=new.held_lines
                )
                for old, new in zip(memory, outcome, strict=True)
                if new.value != old.value
            ]
            memory = outcome
    return EditedCore(memory, tuple(events), tuple(outcomes))


def _apply(about: AboutCore, memory: CoreMemory, edit: CoreEdit) -> CoreMemory | Refusal:
    """Return the memory after the edit, or why it is refused.

    Raises ChatSkipped where the function itself fails.
    """

    def skipped(fault: Exception) -> ChatSkipped:
        kind = type(fault).__name__
        return ChatSkipped(
            f"The function {edit.function} of the core memory's layout has failed: {kind}.",
            "Mend or update the layout, or set core.layout in memproc.toml to another one.",
        )

    with layout_errors(skipped):
        outcome = apply_edit(about.layout.functions, memory, edit)
    if isinstance(outcome, Refusal):
        return outcome
    return (
        refuse_claim(memory, outcome, about.names)
        or _claims_life(about, memory, outcome)
        or _brings_in_mark(about, memory, outcome)
        or outcome
    )


def _claims_life(about: AboutCore, before: CoreMemory, after: CoreMemory) -> Refusal | None:
    """Refuse an edit by which the section about the persona tells the person's life as its own."""
    was, now = (memory.find(PERSONA) for memory in (before, after))
    if was is None or now is None:
        return None
    known = lines_of(was.value)
    new = "\n".join(line for line in lines_of(now.value) if line not in known)
    if not claims_persons_life(new, about.by_person, about.by_persona, about.names):
        return None
    return Refusal(
        f'This is the person\'s life, and the section "{PERSONA}" is about you. Put it into the '
        f'section "{HUMAN}", in the third person.',
        "the person as I",
    )


def _brings_in_mark(about: AboutCore, before: CoreMemory, after: CoreMemory) -> Refusal | None:
    """Refuse an edit with a model's control mark that neither passage nor memory holds."""
    passage = (*about.by_person, *about.by_persona)
    written = "\n\n".join(section.rendered for section in after)
    refused = refuse_control_mark(written, [*passage, *(section.rendered for section in before)])
    return Refusal(refused.reason, "control mark") if refused else None
