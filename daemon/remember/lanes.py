"""The work on one chat while models are asked, and the lanes that run while its chunks are written.

Folds (`folds.py`), core memory and facts each have a lane, in which dialogues follow one another.
The steps of a layer go in the order of the chunks: step k sees what step k - 1 has left, and begins
when the memory of its own chunk is kept. So the result is the same at any concurrency, and however
the chunks were spread over rounds.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from daemon.archive.archive import Archive
from daemon.archive.layers import (
    Layer,
    end_step,
    fact_events,
    keep_core_events,
    keep_fact_events,
    next_fact,
)
from daemon.archive.memories import editions
from daemon.chat.opening import core_now
from daemon.chat.survey import Survey
from daemon.models.context import Context
from daemon.models.scheduler import Noted, RunningDialogue, Scheduler, Steps
from daemon.remember.core_edits import AboutCore, edit_core_memory
from daemon.remember.question import worksheet_of_chunk
from daemon.remember.taking_facts import KnownBefore, take_facts
from primer import prompt
from primer.wording import keep_inert
from rules.conversation.memory import Edition, Memory, Six, edition_in_prompts, memories_of_chunks
from rules.conversation.memory_size import allowance
from rules.errors import TooLong
from rules.layers.core import CoreEvent
from rules.layers.facts import FactEvent
from rules.layers.names import persons_names
from rules.plan.cache_order import Lead
from rules.plan.chat_plan import ChatPlan
from rules.plan.folds import version_in_prompts
from rules.plan.work import PlannedChunk

BEFORE_ALL_CHUNKS = -1
"""The rank of a dialogue that goes before those of all chunks, which may wait for it."""

Keep = Callable[[], None]
"""Stores the result of a finished dialogue."""

LayerEvent = TypeVar("LayerEvent", CoreEvent, FactEvent)
_Take = Callable[[PlannedChunk, Edition], Steps[tuple[LayerEvent, ...]]]
_KeepEvents = Callable[[Archive, str, tuple[LayerEvent, ...], str, str], None]


@dataclass(frozen=True, slots=True)
class ChatWork:
    """The work on a chat: its context and scheduler, its survey, and its memories so far."""

    context: Context
    scheduler: Scheduler
    survey: Survey
    memories: list[Memory]
    """The chat's memories and folds so far."""

    @property
    def archive(self) -> Archive:
        """Return the archive that the chat is kept in."""
        return self.context.archive

    @property
    def plan(self) -> ChatPlan:
        """Return the plan of the work."""
        return self.survey.plan


class Lane:
    """Dialogues held one after the other while chunks are written: at most one is under way."""

    def __init__(self, work: ChatWork) -> None:
        self.work = work
        self._dialogue: RunningDialogue[Keep] | None = None

    @property
    def under_way(self) -> bool:
        """Return whether a dialogue has begun whose result is not kept yet."""
        return self._dialogue is not None

    def begin_dialogue(self, dialogue: RunningDialogue[Keep]) -> None:
        """Begin a dialogue."""
        self._dialogue = dialogue
        self.work.scheduler.begin(dialogue)

    def keep(self) -> None:
        """Store the result of the dialogue, if it has finished."""
        if self._dialogue and self._dialogue.result:
            self._dialogue.result()
            self._dialogue = None


class Chain(Lane, Generic[LayerEvent]):
    """The lane of a layer, core memory or facts, with the planned steps that are left."""

    def __init__(
        self,
        work: ChatWork,
        layer: Layer,
        take: _Take[LayerEvent],
        keep_events: _KeepEvents[LayerEvent],
    ) -> None:
        """Prepare the steps; `take` asks for the layer's events after a memory as of then."""
        super().__init__(work)
        self._layer = layer
        self._take: _Take[LayerEvent] = take
        self._keep_events: _KeepEvents[LayerEvent] = keep_events
        self._left: list[PlannedChunk] = list(getattr(work.plan.layers, layer))

    def begin(self, waiting: Collection[int]) -> None:
        """Begin the next step, unless its memory's number is `waiting`: still to be made."""
        if not self.under_way and self._left and self._left[0].number not in waiting:
            self.begin_dialogue(RunningDialogue(self._step(self._left.pop(0)), BEFORE_ALL_CHUNKS))

    def _step(self, chunk: PlannedChunk) -> Steps[Keep]:
        """Ask for the layer's events after one memory; one that the person has forgotten has none.

        Where the question exceeds the window, the step has no events and the work goes on.
        """
        memory = chunk_memory(self.work.memories, chunk)
        as_of = edition_in_prompts(editions(self.work.archive, memory.memory_id), None)
        events: tuple[LayerEvent, ...] = ()
        try:
            if not memory.forgotten:
                events = yield from self._take(chunk, as_of)
        except TooLong:
            yield Noted(f"{self._layer} question too long for the window")
        numbered_events = tuple(
            replace(event, memory=memory.number, edition=as_of.number) for event in events
        )
        return partial(self._keep_step, memory.memory_id, numbered_events)

    def _keep_step(self, memory_id: str, events: tuple[LayerEvent, ...]) -> None:
        archive, now = self.work.archive, self.work.context.clock()
        with archive.transaction():
            self._keep_events(archive, self.work.plan.chat_id, events, now, memory_id)
            end_step(archive, memory_id, self._layer, now)


def core_chain(work: ChatWork, leads: Sequence[Lead]) -> Chain[CoreEvent]:
    """Return the lane of core memory.

    Each request begins, byte for byte, with what its memory was written from, so that the
    provider's cache has it.
    """
    survey = work.survey
    breaks = {survey.plan.work[lead.place].number: lead.breaks for lead in leads}

    def take(chunk: PlannedChunk, as_of: Edition) -> Steps[tuple[CoreEvent, ...]]:
        if as_of.is_extracted:
            return ()
        about = _about_core(work, chunk, as_of, breaks.get(chunk.number, ()))
        edited = yield from edit_core_memory(
            worksheet_of_chunk(survey, chunk), survey.roles.agent, about
        )
        return edited.events

    return Chain(work, "core", take, keep_core_events)


def _about_core(
    work: ChatWork, chunk: PlannedChunk, as_of: Edition, breaks: Sequence[int]
) -> AboutCore:
    """Gather what the agent sees when it is asked for edits after a memory."""
    survey = work.survey
    _, memories_before = survey.view_section(
        work.memories, chunk.memories_before, version_in_prompts
    )
    passage = survey.passage(chunk, memories_before, breaks)
    layout = survey.layout
    memory = core_now(work.archive, survey.plan.chat_id, layout)
    by_persona = passage.by_persona
    return AboutCore(
        before=passage.context(survey.texts),
        written=_as_posed(survey, chunk, as_of, passage.who.sentence),
        memory=memory,
        layout=layout,
        names=persons_names(memory, passage.by_person, [survey.chat.system_message, *by_persona]),
        by_person=passage.by_person,
        by_persona=by_persona,
        who=passage.who.sentence,
    )


def _as_posed(survey: Survey, chunk: PlannedChunk, as_of: Edition, who: str) -> Six:
    """Return the texts of a chunk's memory: questions as posed, quotes as the agent gave them."""
    six = as_of.texts
    quotes = "\n\n".join(quote.text for quote in as_of.quotes)
    quoted = keep_inert(quotes) or six[1]
    texts = survey.texts
    words = allowance(chunk.tokens, survey.plan.questions_tokens)
    quote = prompt.pose_kept_question(texts, "quote", six[0], words)
    perspective = prompt.pose_kept_question(texts, "perspective", six[2], words, who)
    refinement = prompt.pose_kept_question(texts, "refinement", six[4], words, who)
    return quote, quoted, perspective, six[3], refinement, six[5]


def facts_chain(work: ChatWork) -> Chain[FactEvent]:
    """Return the lane of facts."""
    archive, survey = work.archive, work.survey
    chat_id, roles = survey.plan.chat_id, survey.roles

    def take(chunk: PlannedChunk, _: Edition) -> Steps[tuple[FactEvent, ...]]:
        known, number = fact_events(archive, chat_id), next_fact(archive, chat_id)
        before = KnownBefore(known, number)
        entries = survey.passage(chunk, ()).chunk
        sheet = worksheet_of_chunk(survey, chunk)
        return take_facts(sheet, roles.context_manager, entries, before, roles.embedding)

    return Chain(work, "facts", take, keep_fact_events)


def chunk_memory(memories: list[Memory], chunk: PlannedChunk) -> Memory:
    """Return the memory of a chunk."""
    return next(memory for memory in memories_of_chunks(memories) if memory.number == chunk.number)
