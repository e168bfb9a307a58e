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
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply
from daemon.archive.layers import (
    Layer,
    end_step,
    fact_events,
    keep_core_events,
    keep_fact_events,
    next_fact,
    ranked,
)
from daemon.archive.memories import editions
from daemon.chat.opening import core_now
from daemon.chat.survey import Survey, told_before
from daemon.config.loading import foreign
from daemon.events import Noted
from daemon.models.scheduler import RunningDialogue, Steps
from daemon.remember.dialogue import (
    BEFORE_ALL_CHUNKS,
    ChatWork,
    Keep,
    Lane,
    Question,
    Worksheet,
    put,
    worksheet_of_chunk,
)
from primer import layers as core
from primer import prompt
from primer.layers import ask_facts, numbered_passage, read_edits, read_operations
from primer.models import ENGINE, Model, thinks
from primer.prompt import ToolCall, Turn
from primer.reply import CALLED, EMBEDDING, Refused, Request, read_reply
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Edition, Memory, Six, allowance
from rules.errors import ChatSkipped, TooLong
from rules.layers.core import CoreEdit, CoreEvent, CoreMemory, Layout, Refusal, apply
from rules.layers.facts import Fact, FactEvent, Operation, Source, alike, live, nearest, normal
from rules.layers.names import claims, persons_names
from rules.plan.cache_order import Lead
from rules.plan.work import CORE_WORDS, FACT_WORDS, QUOTE_WORDS, PlannedChunk
from rules.typingmind.dates import parse_date

LayerEvent = TypeVar("LayerEvent", CoreEvent, FactEvent)


class Chain(Lane):
    """The steps of a layer that are left."""

    def __init__(
        self,
        work: ChatWork,
        steps: Sequence[PlannedChunk],
        step: Callable[[PlannedChunk], Steps[Keep]],
    ) -> None:
        """`step` is the dialogue after the memory of a chunk."""
        super().__init__(work)
        self._left = list(steps)
        self._step = step

    def begin(self, waiting: Collection[int]) -> None:
        """Begin the next step, unless its memory is among those, by number, that are still to be made."""
        if not self.under_way and self._left and self._left[0].number not in waiting:
            self.set_out(RunningDialogue(self._step(self._left.pop(0)), BEFORE_ALL_CHUNKS))


def _chain(
    work: ChatWork,
    layer: Layer,
    take: Callable[[PlannedChunk, Edition], Steps[tuple[LayerEvent, ...]]],
    keep_events: Callable[[Archive, str, tuple[LayerEvent, ...], str, str], None],
) -> Chain:
    """The steps of a layer that are planned: `take` asks what happens after one, given its memory's as-of edition.

    Nothing happens by a memory that the person has forgotten. Where a question does not fit, the memory itself stands,
    and the work goes on.
    """
    archive, plan = work.context.archive, work.survey.plan

    def step(chunk: PlannedChunk) -> Steps[Keep]:
        memory = chunk_memory(work.memories, chunk)
        as_of = next(
            edition
            for edition in reversed(editions(archive, memory.memory_id))
            if edition.kind == "as-of"
        )
        events: tuple[LayerEvent, ...] = ()
        try:
            if not memory.forgotten:
                events = yield from take(chunk, as_of)
        except TooLong:
            yield Noted(f"{layer} question too long for the window")
        made = tuple(replace(event, memory=memory.number, edition=as_of.number) for event in events)
        return partial(keep, memory.memory_id, made)

    def keep(memory_id: str, events: tuple[LayerEvent, ...]) -> None:
        now = work.context.clock()
        with archive.transaction():
            keep_events(archive, plan.chat_id, events, now, memory_id)
            end_step(archive, memory_id, layer, now)

    return Chain(work, getattr(plan.layers, layer), step)


def core_chain(work: ChatWork, leads: Sequence[Lead]) -> Chain:
    """The edits that are planned.

    Each question stands behind what its memory was written from, byte for byte, so that the provider's cache knows it.
    """
    survey = work.survey
    breaks = {survey.plan.work[lead.place].number: lead.breaks for lead in leads}

    def take(chunk: PlannedChunk, as_of: Edition) -> Steps[tuple[CoreEvent, ...]]:
        if as_of.made == EXTRACTED:
            return ()
        memories_before = told_before(survey, work.memories, chunk.memories_before)
        passage = survey.passage(chunk, memories_before, breaks.get(chunk.number, ()))
        before = passage.context(survey.shown.texts)
        sheet, layout = worksheet_of_chunk(survey, chunk), survey.shown.layout
        now = core_now(work.context.archive, survey.plan.chat_id, layout)
        spoken = [(entry.message.speaker, entry.message.words) for entry in passage.chunk]
        own = [survey.chat.system_message, *(words for who, words in spoken if who != "user")]
        names = persons_names(now, [words for who, words in spoken if who == "user"], own)
        written = _as_posed(survey, chunk, as_of.texts)
        return (
            yield from tend(sheet, survey.roles.agent, before, written, now, layout, names)
        ).events

    return _chain(work, "core", take, keep_core_events)


def _as_posed(survey: Survey, chunk: PlannedChunk, texts: Six) -> Six:
    """The texts of a chunk's memory with its questions as they were posed."""
    words = allowance(chunk.tokens, survey.plan.questions_tokens)
    quote = prompt.as_posed(survey.shown.texts, texts[0], QUOTE_WORDS, is_quote=True)
    perspective, refinement = (
        prompt.as_posed(survey.shown.texts, text, words) for text in (texts[2], texts[4])
    )
    return quote, texts[1], perspective, texts[3], refinement, texts[5]


def facts_chain(work: ChatWork) -> Chain:
    """The facts that are planned."""
    archive, survey = work.context.archive, work.survey
    chat_id = survey.plan.chat_id

    def take(chunk: PlannedChunk, _: Edition) -> Steps[tuple[FactEvent, ...]]:
        return take_facts(
            worksheet_of_chunk(survey, chunk),
            survey.roles.context_manager,
            survey.passage(chunk, ()).chunk,
            fact_events(archive, chat_id),
            next_number=next_fact(archive, chat_id),
            compare=survey.config.facts.compare,
            embedding=survey.roles.embedding,
        )

    return _chain(work, "facts", take, keep_fact_events)


def chunk_memory(memories: Sequence[Memory], chunk: PlannedChunk) -> Memory:
    """The memory of a chunk."""
    return next(
        memory for memory in memories if not memory.is_fold and memory.number == chunk.number
    )


_ENDED = "stop"


@dataclass(frozen=True, slots=True)
class Tended:
    """The core memory after an answer of the agent, carried out as far as it could be."""

    memory: CoreMemory
    events: tuple[CoreEvent, ...] = ()
    """The events of what was written into it, in order; they bear no memory and no edition yet."""
    outcomes: tuple[CoreMemory | Refusal, ...] = field(default=(), compare=False)
    """The outcome of each edit of the last answer, in order."""

    @property
    def refused(self) -> bool:
        """Whether one of the last answer's edits could not be made."""
        return any(isinstance(outcome, Refusal) for outcome in self.outcomes)


def tend(
    sheet: Worksheet,
    agent: Model,
    before: tuple[Turn, ...],
    written: Six,
    memory: CoreMemory,
    layout: Layout,
    names: frozenset[str] = frozenset(),
) -> Steps[Tended]:
    """Ask the agent for edits of `memory`, once more where one was refused, and carry out what can be.

    `before` is the agent's context, behind which the questions of the memory stand that has just been `written`, as
    they were posed. `names` are the person's, which `persona` cannot claim.
    What cannot be read or carried out changes nothing, and is counted. The built-in engine has nothing to say here.
    Raises ModelError where the agent cannot be asked.
    """
    if agent == ENGINE:
        return Tended(memory)
    question = core.ask(sheet.texts, memory, layout, bool(agent.tools))
    request = Request("core", agent, core.after_memory(before, written, question), CORE_WORDS)
    first, text, calls = yield from _edited(sheet, request, layout, Tended(memory), names)
    if not first.refused:
        return first
    if calls and thinks(agent):
        text, calls = core.in_words(text, calls), ()
    again = core.results(sheet.texts, text, calls, first.outcomes)
    try:
        second, _, _ = yield from _edited(
            sheet, replace(request, turns=(*request.turns, *again)), layout, first, names
        )
    except TooLong:
        yield Noted("core correction too long for the window")
        return first
    if second.outcomes and not second.refused:
        yield Noted("core edits good at the second try")
    return second


def _edited(
    sheet: Worksheet, request: Request, layout: Layout, tended: Tended, names: frozenset[str]
) -> Steps[tuple[Tended, str, tuple[ToolCall, ...]]]:
    """Ask for edits, and carry them out one after the other; also the answer's text and calls.

    `names` are the person's.
    """
    reply = yield from sheet.ask(request)
    native = bool(request.model.tools)
    calls = reply.calls if native else ()
    text = yield from _text(reply, calls)
    memory, events = tended.memory, list(tended.events)
    outcomes: list[CoreMemory | Refusal] = []
    for edit in () if text is None else read_edits(text, calls, native):
        outcome = edit if isinstance(edit, Refusal) else _applied(layout, memory, edit)
        if isinstance(outcome, CoreMemory):
            outcome = claims(memory, outcome, names) or outcome
        outcomes.append(outcome)
        if isinstance(outcome, Refusal):
            yield Noted(f"core edit refused: {outcome.kind}")
        elif isinstance(edit, CoreEdit):
            # One event for each section whose value is another one now.
            pairs = zip(memory, outcome, strict=True)
            events += [
                CoreEvent(
                    now.name, now.value, now.held, "agent", edit.function, held_lines=now.held_lines
                )
                for was, now in pairs
                if now.value != was.value
            ]
            memory = outcome
    return Tended(memory, tuple(events), tuple(outcomes)), text or "", calls


def _applied(layout: Layout, memory: CoreMemory, edit: CoreEdit) -> CoreMemory | Refusal:
    """The memory after the edit, or why it stays. Raises ChatSkipped where the function itself has failed."""

    def skipped(fault: Exception) -> ChatSkipped:
        return ChatSkipped(
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
    """The events of the facts by this chunk, which is not empty; none where the engine is the context manager.

    `events` are all that happened to the chat's facts so far, `next_number` is the number of the next one, and
    `compare` says how many are shown at most. What is returned bears no memory and no edition yet. Raises ModelError
    where a model cannot be asked.
    """
    if manager == ENGINE:
        return ()
    from rules.layers.fact_operations import (
        KnownFacts,
        carry_out,
        forgotten,
    )  # late: the built-in engine has no facts

    facts = live(events)
    words = "\n".join(entry.message.words for entry in chunk)
    shown = nearest(facts, ranked([fact.text for fact in facts], words), compare)
    operations = yield from _operations(sheet, manager, chunk, shown)
    dates = [entry.message.created_at or "" for entry in chunk]
    sources = tuple(
        Source(entry.key, entry.message.words, date if parse_date(date) else "")
        for entry, date in zip(chunk, dates, strict=True)
    )
    same = {} if embedding is None else (yield from _likeness(sheet, embedding, operations, shown))
    outcome = carry_out(
        operations, KnownFacts(shown, facts, forgotten(events), sources, next_number, same)
    )
    for reason in outcome.refused:
        yield Noted(f"fact refused: {reason}")
    return outcome.events


def _operations(
    sheet: Worksheet, manager: Model, chunk: Sequence[Entry], shown: Sequence[Fact]
) -> Steps[tuple[Operation, ...]]:
    """The operations of the first answer that can be read; none where there is no such answer."""
    request = Request("facts", manager, numbered_passage(sheet.texts, chunk), FACT_WORDS)
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
    if read is None:
        return ()
    for _ in range(read.malformed):
        yield Noted("fact refused: malformed")
    return read.read


def _unfit(answer: str) -> Refused | None:
    reason = 'The answer holds no JSON object with a list "memory".'
    return Refused("unreadable", reason) if read_operations(answer) is None else None


def _likeness(
    sheet: Worksheet, embedding: Model, operations: Sequence[Operation], shown: Sequence[Fact]
) -> Steps[dict[str, tuple[str, ...]]]:
    """The texts that say the same as each new one, by the embedding model; it is not asked where nothing is added."""
    if not any(operation.event == "ADD" for operation in operations):
        return {}
    new = [
        item.text for item in operations if item.event in ("ADD", "UPDATE") and normal(item.text)
    ]
    texts = list(dict.fromkeys([*new, *(fact.text for fact in shown)]))
    if len(texts) < 2:
        return {}
    reply = yield from sheet.ask(
        Request(EMBEDDING, embedding, tuple(Turn("user", text) for text in texts), 0)
    )
    read = read_reply(reply.text, reply.finish)
    if isinstance(read, Refused):
        yield Noted(f"likeness of facts {read.kind}")
        return {}
    return alike(texts, json.loads(read.text))
