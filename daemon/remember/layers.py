"""After each memory: edits of the core memory, and facts taken from the chunk.

The steps of a layer go one after the other, in the order of the chunks, beside the memories. Step k sees what step
k - 1 has left, and begins when the memory of its own chunk is kept. So what comes of them is the same whatever the
concurrency, and in however many rounds the chunks came.

After a memory, the context manager is asked once what the chunk says that is to be known.

asked         the chunk's raw messages, never memories, and the known facts that are nearest to them
unusable      once more, with more room or in other words, as every question; then nothing changes, and it is counted
answered      its operations become events; with an embedding model, wordings that say the same are found first

Edits of the core memory are applied one after the other, each to what the one before has left. A refused one is told
to the agent, which may answer once more; what is refused again is counted, and never silently changed.
"""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.journal import Reply
from daemon.archive.layers import end_step, fact_events, keep_core_events, keep_fact_events, next_fact, ranked
from daemon.archive.memories import editions
from daemon.chat.opening import core_now
from daemon.chat.survey import Survey, told_before
from daemon.config.texts import foreign
from daemon.context import Context
from daemon.events import Noted
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from daemon.remember.dialogue import QUOTE_WORDS, Question, Worksheet, put, worksheet_of_chunk
from primer import layers as core
from primer import prompt
from primer.layers import Operations, Unreadable, ask_facts, numbered_passage, read_edits, read_operations
from primer.models import thinks
from primer.prompt import ToolCall, Turn
from primer.reply import CALLED, EMBEDDING, ENGINE, Model, Refused, Request, read_reply
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Memory, Six, allowance
from rules.errors import ChatSetAside, TooLong
from rules.layers.core import CoreEdit, CoreEvent, CoreMemory, Layout, Refusal, apply
from rules.layers.fact_operations import KnownFacts, Operation, carry_out, forgotten
from rules.layers.facts import Fact, FactEvent, Source, alike, live, nearest, normal
from rules.layers.names import claims, persons_names
from rules.plan.cache_order import Lead
from rules.plan.work import CORE_WORDS, PlannedChunk
from rules.typingmind.message import parse_date

Keep = Callable[[], None]
"""Keeps what a step has come to."""

_BEFORE_ALL_CHUNKS = -1


class Chain:
    """The steps of a layer that are left; at most one of them is under way."""

    def __init__(
        self, scheduler: Scheduler, steps: Sequence[PlannedChunk], step: Callable[[PlannedChunk], Steps[Keep]]
    ) -> None:
        """`step` is the dialogue after the memory of a chunk."""
        self._scheduler = scheduler
        self._left = list(steps)
        self._step = step
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Whether a step has been begun and is not kept."""
        return self._dialogue is not None

    def begin(self, waiting: Collection[int]) -> None:
        """Begin the next step, unless its memory is among those, by number, that are still to be made."""
        if self._dialogue is None and self._left and self._left[0].number not in waiting:
            self._dialogue = RunningDialogue(self._step(self._left.pop(0)), _BEFORE_ALL_CHUNKS)
            self._scheduler.begin(self._dialogue)

    def keep(self) -> None:
        """Keep the step when it is finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None


_ENDED = "stop"


@dataclass(frozen=True, slots=True)
class WrittenMemory:
    """The as-of edition after which the core memory is tended, and where it was written."""

    before: tuple[Turn, ...]
    """The agent's context, behind which the memory's own questions stand."""
    texts: Six
    """The questions as they were posed."""
    number: int
    """The memory's."""
    edition: int
    said_by_person: Sequence[str] = ()
    """What the person has said in its chunk."""
    own: Sequence[str] = ()
    """What tells the agent who it is, and what it has said itself."""


@dataclass(frozen=True, slots=True)
class Tended:
    """The core memory afterwards, and what was written into it, in order."""

    memory: CoreMemory
    events: tuple[CoreEvent, ...] = ()


def tend(sheet: Worksheet, agent: Model, written: WrittenMemory, memory: CoreMemory, layout: Layout) -> Steps[Tended]:
    """Ask the agent for edits of `memory`, once more where one was refused, and carry out what can be.

    What cannot be read or carried out changes nothing, and is counted. The built-in engine has nothing to say here.
    Raises ModelError where the agent cannot be asked.
    """
    if agent == ENGINE:
        return Tended(memory)
    question = core.ask(sheet.texts, memory, layout, bool(agent.tools))
    request = Request("core", agent, core.after_memory(written.before, written.texts, question), CORE_WORDS)
    names = persons_names(memory, written.said_by_person, written.own)
    tended = yield from _conversed(sheet, request, memory, layout, names)
    events = (replace(event, memory=written.number, edition=written.edition) for event in tended.events)
    return replace(tended, events=tuple(events))


def _conversed(
    sheet: Worksheet, request: Request, memory: CoreMemory, layout: Layout, names: frozenset[str]
) -> Steps[Tended]:
    first = yield from _edited(sheet, request, layout, Tended(memory), names)
    if not first.refused:
        return first.tended
    text, calls = first.text, first.calls
    if calls and thinks(request.model):
        text, calls = core.in_words(text, calls), ()
    again = core.results(sheet.texts, text, calls, first.outcomes)
    try:
        second = yield from _edited(
            sheet, replace(request, turns=(*request.turns, *again)), layout, first.tended, names
        )
    except TooLong:
        yield Noted("core correction too long for the window")
        return first.tended
    if second.outcomes and not second.refused:
        yield Noted("core edits good at the second try")
    return second.tended


@dataclass(frozen=True, slots=True)
class _CarriedOut:
    """One answer of the agent, carried out as far as it could be."""

    tended: Tended
    text: str
    calls: tuple[ToolCall, ...]
    outcomes: tuple[CoreMemory | Refusal, ...]
    """What became of each of its edits, in order."""

    @property
    def refused(self) -> bool:
        """Whether one of them could not be made."""
        return any(isinstance(outcome, Refusal) for outcome in self.outcomes)


def _edited(
    sheet: Worksheet, request: Request, layout: Layout, tended: Tended, names: frozenset[str]
) -> Steps[_CarriedOut]:
    """Ask for edits, and carry them out one after the other; `names` are the person's."""
    reply = yield from sheet.ask(request)
    native = bool(request.model.tools)
    calls = reply.calls if native else ()
    text = yield from _text(reply, calls)
    outcomes: list[CoreMemory | Refusal] = []
    for edit in () if text is None else read_edits(text, calls, native):
        outcome = edit if isinstance(edit, Refusal) else _applied(layout, tended.memory, edit)
        if isinstance(outcome, CoreMemory):
            outcome = claims(tended.memory, outcome, names) or outcome
        outcomes.append(outcome)
        if isinstance(outcome, Refusal):
            yield Noted(f"core edit refused: {outcome.kind}")
        elif isinstance(edit, CoreEdit):
            tended = Tended(outcome, (*tended.events, *_events(tended.memory, outcome, edit)))
    return _CarriedOut(tended, text or "", calls, tuple(outcomes))


def _applied(layout: Layout, memory: CoreMemory, edit: CoreEdit) -> CoreMemory | Refusal:
    """The memory after the edit, or why it stays. Raises ChatSetAside where the function itself has failed."""

    def skipped(fault: Exception) -> ChatSetAside:
        return ChatSetAside(
            f"The function {edit.function} of the core memory's layout has failed: {type(fault).__name__}.",
            "Mend or update the layout, or set core.layout in memproc.toml to another one.",
        )

    with foreign(skipped):
        return apply(layout.functions, memory, edit)


def _text(reply: Reply, calls: Sequence[ToolCall]) -> Steps[str | None]:
    """The text of an answer; None where nothing of it counts. Calls that came whole count without any text."""
    read = read_reply(reply.text, _ENDED if reply.finish in CALLED else reply.finish)
    if not isinstance(read, Refused):
        return read.text
    if read.kind != "empty" or not calls:
        yield Noted(f"core answer {read.kind}")
    return "" if calls and read.kind != "refused" else None


def _events(before: CoreMemory, after: CoreMemory, edit: CoreEdit) -> list[CoreEvent]:
    """What an edit has written: one event for each section whose value is another one now."""
    return [
        CoreEvent(now.name, now.value, now.held, "agent", edit.function, held_lines=now.held_lines)
        for was, now in zip(before, after, strict=True)
        if now.value != was.value
    ]


def core_chain(
    context: Context, scheduler: Scheduler, survey: Survey, memories: Sequence[Memory], leads: Sequence[Lead]
) -> Chain:
    """The edits that are planned; `memories` are those of the chat as they are by then."""
    breaks = {survey.plan.work[lead.place].number: lead.breaks for lead in leads}
    archive, chat_id = context.archive, survey.plan.chat_id

    def step(chunk: PlannedChunk) -> Steps[Keep]:
        memory = chunk_memory(memories, chunk)
        as_of = next(edition for edition in reversed(editions(archive, memory.memory_id)) if edition.kind == "as-of")
        if memory.forgotten or as_of.made == EXTRACTED:
            return partial(keep, memory, ())
        turns = _context(survey, memories, chunk, breaks.get(chunk.number, ()))
        said = [(entry.message.speaker, entry.message.words) for entry in survey.passage(chunk, ()).chunk]
        by_person, by_agent = ([words for who, words in said if (who == "user") == mine] for mine in (True, False))
        own = [survey.chat.system_message, *by_agent]
        words = allowance(chunk.tokens, survey.plan.questions_tokens)
        quote, quoted, perspective, seen, refinement, kept = as_of.texts
        posed = (
            prompt.as_posed(survey.texts, quote, QUOTE_WORDS),
            quoted,
            prompt.as_posed(survey.texts, perspective, words),
            seen,
            prompt.as_posed(survey.texts, refinement, words),
            kept,
        )
        written = WrittenMemory(turns, posed, memory.number, as_of.number, by_person, own)
        now = core_now(archive, chat_id, survey.layout)
        try:
            tended = yield from tend(worksheet_of_chunk(survey, chunk), survey.roles.agent, written, now, survey.layout)
        except TooLong:
            yield Noted("core question too long for the window")  # the memory itself stands, and the work goes on
            return partial(keep, memory, ())
        return partial(keep, memory, tended.events)

    def keep(memory: Memory, events: tuple[CoreEvent, ...]) -> None:
        now = context.clock()
        with archive.transaction():
            keep_core_events(archive, chat_id, events, now, memory.memory_id)
            end_step(archive, memory.memory_id, "core", now)

    return Chain(scheduler, survey.plan.layers.core, step)


def chunk_memory(memories: Sequence[Memory], chunk: PlannedChunk) -> Memory:
    """The memory of a chunk."""
    return next(memory for memory in memories if not memory.is_fold and memory.number == chunk.number)


def _context(
    survey: Survey, memories: Sequence[Memory], chunk: PlannedChunk, breaks: Sequence[int]
) -> tuple[Turn, ...]:
    """What the memory was written from, byte for byte, so that the provider's cache knows it."""
    passage = survey.passage(chunk, told_before(survey, memories, chunk.memories_before), breaks)
    return prompt.context(
        survey.texts, passage.system_message, passage.memories, passage.tail, passage.chunk, passage.breaks
    )


WORDS = 400
"""About how long an answer may be."""


def take_facts(
    sheet: Worksheet,
    manager: Model,
    chunk: Sequence[Entry],
    events: Sequence[FactEvent],
    *,
    next_number: int,
    compare: int,
    embedding: Model | None = None,
) -> Steps[tuple[FactEvent, ...]]:
    """What happens to the facts by this chunk, which is not empty; nothing where the engine is the context manager.

    `events` are all that happened to the chat's facts so far, `next_number` is the number of the next one, and
    `compare` says how many are shown at most. What is returned bears no memory and no edition yet. Raises ModelError
    where a model cannot be asked.
    """
    if manager == ENGINE:
        return ()
    facts = live(events)
    words = "\n".join(entry.message.words for entry in chunk)
    shown = nearest(facts, ranked([fact.text for fact in facts], words), compare)
    operations = yield from _operations(sheet, manager, chunk, shown)
    known = KnownFacts(shown, facts, forgotten(events), tuple(map(_source, chunk)), next_number)
    if embedding is not None:
        same = yield from _likeness(sheet, embedding, operations, shown)
        known = replace(known, alike=same)
    outcome = carry_out(operations, known)
    for reason in outcome.refused:
        yield Noted(f"fact refused: {reason}")
    return outcome.events


def _operations(
    sheet: Worksheet, manager: Model, chunk: Sequence[Entry], shown: Sequence[Fact]
) -> Steps[tuple[Operation, ...]]:
    """The operations of the first answer that can be read; none where there is no such answer."""
    request = Request("facts", manager, numbered_passage(sheet.texts, chunk), WORDS)
    question = Question(
        request,
        ask_facts(sheet.texts, shown),
        (),
        tagged=False,
        otherwise=sheet.texts.facts_again,
        unfit=_unfit,
        counted_as="facts ",
    )
    answer = yield from put(sheet, question)
    read = None if isinstance(answer, Refused) else read_operations(answer.text)
    if not isinstance(read, Operations):
        return ()
    for _ in range(read.malformed):
        yield Noted("fact refused: malformed")
    return read.read


def _unfit(answer: str) -> Refused | None:
    read = read_operations(answer)
    return Refused("unreadable", read.reason) if isinstance(read, Unreadable) else None


def _source(entry: Entry) -> Source:
    said_at = entry.message.created_at or ""
    return Source(entry.key, entry.message.words, said_at if parse_date(said_at) else "")


def _likeness(
    sheet: Worksheet, embedding: Model, operations: Sequence[Operation], shown: Sequence[Fact]
) -> Steps[dict[str, tuple[str, ...]]]:
    """Which new texts say the same as others, by the embedding model; it is not asked where nothing is added."""
    if not any(operation.event == "ADD" for operation in operations):
        return {}
    new = [item.text for item in operations if item.event in ("ADD", "UPDATE") and normal(item.text)]
    texts = list(dict.fromkeys([*new, *(fact.text for fact in shown)]))
    if len(texts) < 2:
        return {}
    reply = yield from sheet.ask(Request(EMBEDDING, embedding, tuple(Turn("user", text) for text in texts), 0))
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused):
        yield Noted(f"likeness of facts {read.kind}")
        return {}
    return alike(texts, json.loads(read.text))


def facts_chain(context: Context, scheduler: Scheduler, survey: Survey, memories: Sequence[Memory]) -> Chain:
    """The facts that are planned; `memories` are those of the chat as they are by then."""
    archive, chat_id = context.archive, survey.plan.chat_id

    def step(chunk: PlannedChunk) -> Steps[Keep]:
        memory = chunk_memory(memories, chunk)
        if memory.forgotten:
            return partial(keep, memory, ())
        edition = max(edition.number for edition in editions(archive, memory.memory_id) if edition.kind == "as-of")
        try:
            events = yield from take_facts(
                worksheet_of_chunk(survey, chunk),
                survey.roles.context_manager,
                survey.passage(chunk, ()).chunk,
                fact_events(archive, chat_id),
                next_number=next_fact(archive, chat_id),
                compare=survey.facts.compare,
                embedding=survey.roles.embedding,
            )
        except TooLong:
            yield Noted("facts question too long for the window")  # the memory itself stands, and the work goes on
            return partial(keep, memory, ())
        events = tuple(replace(event, memory=memory.number, edition=edition) for event in events)
        return partial(keep, memory, events)

    def keep(memory: Memory, events: tuple[FactEvent, ...]) -> None:
        now = context.clock()
        with archive.transaction():
            keep_fact_events(archive, chat_id, events, now, memory.memory_id)
            end_step(archive, memory.memory_id, "facts", now)

    return Chain(scheduler, survey.plan.layers.facts, step)
