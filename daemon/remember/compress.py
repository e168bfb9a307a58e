"""Work through a chat's plan: a chunk gets a memory, a new one, or an edition with hindsight.

Several are written at the same time, but kept in the order of the plan, so the result does not
depend on how many.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NoReturn

from daemon.archive.layers import Layer, begin_steps
from daemon.archive.memories import (
    begin_round,
    end_turn,
    keep_edition,
    keep_memory,
    read_memory,
    renew_chunk,
)
from daemon.archive.signs import is_news
from daemon.chat.passage import Passage, as_they_are
from daemon.chat.survey import Survey
from daemon.events import MemoryMade, Note, describe_plan
from daemon.models.context import Context
from daemon.models.limited import has_come_to_fail, sizes_of
from daemon.models.prices import plan_cost
from daemon.models.roles import who
from daemon.models.scheduler import Noted, RunningDialogue, Scheduler, Steps
from daemon.remember.folds import Folds
from daemon.remember.ladder import chunk_analysis, make_hindsight, make_memory
from daemon.remember.lanes import Chain, ChatWork, Keep, chunk_memory, core_chain, facts_chain
from daemon.remember.question import worksheet_of_chunk
from primer.reply import Refused
from rules.conversation.history import Entry
from rules.conversation.memory import Edition, Memory, memories_of_chunks
from rules.errors import ChatSkipped, TooLong
from rules.extract.weights import forget_messages
from rules.layers.core import CoreEvent
from rules.layers.facts import FactEvent
from rules.plan.cache_order import Lead, count_needed, order_leads
from rules.plan.folds import version_in_export, version_in_prompts
from rules.plan.limits import room_left
from rules.plan.work import HINDSIGHT_TOKENS, PlannedChunk


@dataclass(frozen=True, slots=True)
class _Chunks(ChatWork):
    """The work on the chunks of a chat, and the lanes that run alongside it."""

    order: tuple[Lead, ...]
    """The order in which the chunks are begun, chosen for the provider's prompt cache."""
    folds: Folds
    chains: tuple[Chain[CoreEvent], Chain[FactEvent]]
    """Core memory and facts."""
    dialogues: dict[int, RunningDialogue[Keep]] = field(default_factory=dict)
    """The dialogues that have been begun, by the chunk's place in the plan."""
    skipping: set[int] = field(default_factory=set)
    """The places at which the chat will be skipped, once everything before them is kept."""

    @property
    def memories_made(self) -> int:
        """Return how many chunks have a memory by now."""
        return len(memories_of_chunks(self.memories))


def compress(
    context: Context, survey: Survey
) -> tuple[tuple[Memory, ...], tuple[Memory, ...]] | None:
    """Make all that is planned. Return the chat's memories and folds, and those of them to show.

    Return None where the model has failed too often on the way: the rest must then be planned
    without it. Raises ModelError where a model cannot be asked, ChatSkipped where a chunk does not
    fit its window.
    """
    plan, models = survey.plan, survey.config.models
    _announce(context, survey)
    if plan.work:
        begin_round(context.archive, plan.chat_id, survey.round)
    cost = plan_cost(context.archive, plan, survey.roles, survey.config, context.clock()).cost
    context = replace(context, plan_at_most=cost.at_most if cost else 0)
    sizes = sizes_of(survey.config, survey.roles)
    with Scheduler(
        context, plan.chat_id, models.concurrency, models.batch, sizes=sizes
    ) as scheduler:
        memories, order = list(survey.reading.memories), order_leads(plan)
        chat = ChatWork(context, scheduler, survey, memories)
        chains = (core_chain(chat, order), facts_chain(chat))
        work = _Chunks(context, scheduler, survey, memories, order, Folds(chat), chains)
        if not _do_all(work):
            return None
        work.folds.make_all(work.memories_made, version_in_prompts)
        shown_now = work.folds.make_all(work.memories_made, version_in_export)
    forget_messages()  # the proof of the whole chat needs their memory
    return tuple(work.memories), shown_now


def _announce(context: Context, survey: Survey) -> None:
    """Tell where models are asked, what is new about them, and the plan if it makes calls."""
    for address in survey.roles.addresses:
        context.tell_once(address)
    notices = [notice.sentence for notice in survey.roles.notices if survey.plan.work]
    for sentence in (*survey.roles.here, *notices):
        if is_news(context.archive, sentence):
            context.tell(Note(sentence))
    if survey.plan.calls:
        asks_models = not who(survey.roles).asks_no_model
        context.tell(describe_plan(survey.plan, asks_models, survey.roles.limited))


def _do_all(work: _Chunks) -> bool:
    """Write all that is planned and keep it in the plan's order, while folds and layers proceed.

    Return False where the model failed too often before the end.
    """
    plan = work.plan
    lanes = (work.folds, *work.chains)
    needed, kept = count_needed(plan), 0
    _begin(work, needed, kept)
    while kept < len(plan.work) or any(lane.under_way for lane in lanes):
        work.scheduler.go_on()
        for lane in lanes:
            lane.keep()
        while kept in work.dialogues and (keep := work.dialogues[kept].result):
            keep()
            kept += 1
        if has_come_to_fail(work.archive, work.survey.config, work.survey.roles):
            return False
        _begin(work, needed, kept)
    return True


def _begin(work: _Chunks, needed: tuple[int, ...], kept: int) -> None:
    """Begin all dialogues that can begin once the first `kept` chunks of the plan are kept.

    `needed` says, by place, how many must be kept before that chunk may begin.
    """
    plan = work.plan
    # Core memory and facts wait for memories that are still to be kept, but not for hindsight.
    waiting = {
        chunk.number
        for place, chunk in enumerate(plan.work)
        if place >= kept and place not in plan.hindsight_places
    }
    for chain in work.chains:
        chain.begin(waiting)
    # Folds take in only the memories before the first one that is still to be written again.
    settled = min((chunk.number - 1 for chunk in plan.again[kept:]), default=work.memories_made)
    work.folds.begin(settled)
    for lead in work.order:
        # Chunks before a skipped one are still finished, so what is kept does not depend on the
        # order of calls.
        is_given_up = any(skipped < lead.place for skipped in work.skipping)
        if lead.place in work.dialogues or is_given_up:
            continue
        if needed[lead.place] > kept or not work.scheduler.has_room:
            return
        dialogue = _dialogue(work, lead)
        work.dialogues[lead.place] = dialogue
        work.scheduler.begin(dialogue)


def _dialogue(work: _Chunks, lead: Lead) -> RunningDialogue[Keep]:
    """Return the dialogue about one chunk of the plan, with the request that can go ahead of it."""
    survey = work.survey
    chunk = survey.plan.work[lead.place]
    ahead = None
    if lead.place not in survey.plan.hindsight_places:
        sheet, entries = worksheet_of_chunk(survey, chunk), survey.passage(chunk, ()).chunk
        ahead = chunk_analysis(sheet, entries, chunk.tokens, survey.roles)
    # The dialogue to follow is missing where it was never begun: a chunk before it is skipped.
    behind = None if lead.waits_for is None else work.dialogues.get(lead.waits_for)
    return RunningDialogue(_steps(work, lead), len(work.dialogues), behind, ahead)


def _steps(work: _Chunks, lead: Lead) -> Steps[Keep]:
    """Write about one chunk, as soon as the folds exist that its prompts begin with."""
    chunk = work.plan.work[lead.place]
    while (before := work.folds.before(chunk.memories_before)) is None:
        yield None
    passage = work.survey.passage(chunk, before, lead.breaks)
    try:
        if lead.place in work.plan.hindsight_places:
            keep = yield from _hindsight(work, chunk, passage)
        else:
            is_again = lead.place < len(work.plan.again)
            keep = yield from _memory(work, chunk, passage, is_again=is_again)
    except ChatSkipped as fault:
        work.skipping.add(lead.place)
        return partial(_give_up, fault)
    return partial(_keep_and_tell, work, lead.place, keep)


def _give_up(fault: ChatSkipped) -> NoReturn:
    """Skip the chat, once everything before in the plan is kept."""
    raise fault


def _keep_and_tell(work: _Chunks, place: int, keep: Keep) -> None:
    """Keep what was written at a place of the plan, and tell that it was."""
    keep()
    plan = work.plan
    number = plan.work[place].number
    work.context.tell(MemoryMade(plan.chat_id, plan.title, number, place + 1, len(plan.work)))


def _memory(work: _Chunks, chunk: PlannedChunk, passage: Passage, *, is_again: bool) -> Steps[Keep]:
    """Make the memory of a chunk, or another as-of edition of the memory that it has."""
    survey = work.survey
    existing = chunk_memory(work.memories, chunk) if is_again else None
    sheet = worksheet_of_chunk(survey, chunk)
    memory = yield from make_memory(sheet, passage, survey.roles, work.context.clock)
    due = survey.plan.layers
    layers: list[Layer] = []
    if any(other.number == chunk.number for other in due.core):
        layers.append("core")
    if any(other.number == chunk.number for other in due.facts):
        layers.append("facts")
    if existing is None:
        return lambda: _keep_new(work, memory, layers)
    return lambda: _keep_again(work, existing, memory.edition, layers)


def _keep_new(work: _Chunks, memory: Memory, layers: Sequence[Layer]) -> None:
    """Keep a new memory, with the layers that become due, in one transaction."""
    archive = work.archive
    with archive.transaction():
        keep_memory(archive, work.plan.chat_id, memory)
        begin_steps(archive, memory.memory_id, memory.edition.number, layers)
    work.memories.append(memory)


def _keep_again(work: _Chunks, existing: Memory, edition: Edition, layers: Sequence[Layer]) -> None:
    """Keep another edition of a memory, except an extracted one where nothing demands one.

    Facts are taken from its chunk in either case; core memory waits for a model's edition.
    """
    archive = work.archive
    with archive.transaction():
        if not existing.due and edition.is_extracted:
            taken: list[Layer] = [layer for layer in layers if layer == "facts"]
            begin_steps(archive, existing.memory_id, existing.in_prompts.number, taken)
            return
        number = keep_edition(archive, existing.memory_id, edition)
        begin_steps(archive, existing.memory_id, number, layers)
        if existing.due:
            renew_chunk(archive, existing.memory_id)
    _renew(work, existing)


def _hindsight(work: _Chunks, chunk: PlannedChunk, passage: Passage) -> Steps[Keep]:
    """Write a memory's hindsight edition. Return what keeps it and ends the memory's turn.

    The turn ends even if no usable edition came of it. Where the edition in the prompts is
    extracted, no hindsight is written and nothing is kept.
    """
    context, survey = work.context, work.survey
    existing = chunk_memory(work.memories, chunk)
    if existing.in_prompts.is_extracted:
        return lambda: None
    after = _messages_after(survey, chunk)
    after_tokens = sum(survey.counts.all[entry.message.digest] for entry in after)
    sheet = worksheet_of_chunk(survey, chunk, after_tokens)
    try:
        edition = yield from make_hindsight(
            sheet, passage, after, existing.in_prompts, survey.roles, context.clock
        )
    except TooLong:
        # The provider counts more tokens than was foreseen. The work can go on without this
        # edition.
        yield Noted("hindsight too long for the window")
        edition = Refused("too long", "What came after does not fit into the model's window.")
    return lambda: _keep_hindsight(work, existing, edition)


def _keep_hindsight(work: _Chunks, existing: Memory, edition: Edition | Refused) -> None:
    """Keep a memory's hindsight edition if one was written, and end the memory's turn."""
    archive = work.archive
    with archive.transaction():
        if isinstance(edition, Edition):
            keep_edition(archive, existing.memory_id, edition)
        end_turn(archive, existing.memory_id)
    if isinstance(edition, Edition):
        _renew(work, existing)


def _messages_after(survey: Survey, chunk: PlannedChunk) -> tuple[Entry, ...]:
    """Return the messages after a chunk, at least one: what hindsight may see and the window holds.

    Messages that the person has deleted or forgotten are left out.
    """
    forgotten = survey.reading.forgotten
    tokens_left = HINDSIGHT_TOKENS
    if limit := survey.roles.limit:
        factor = survey.roles.factor_beforehand
        tokens_left = min(tokens_left, room_left(chunk, survey.plan.fixed_tokens, factor, limit))
    later: list[Entry] = []
    for entry in as_they_are(survey.reading.entries[chunk.stop :]):
        if entry.memory in forgotten:
            continue
        tokens_left -= survey.counts.all[entry.message.digest]
        if tokens_left < 0 and later:
            break
        later.append(entry)
    return tuple(later)


def _renew(work: _Chunks, memory: Memory) -> None:
    """Replace a memory in `work` with its current state in the archive."""
    place = [other.memory_id for other in work.memories].index(memory.memory_id)
    preferred = work.survey.config.memory.editions
    work.memories[place] = read_memory(work.archive, memory.memory_id, preferred)
