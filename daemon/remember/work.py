"""What is written about one chunk of the plan, and how it is kept: a memory, a memory again, or with hindsight.

Each function holds the dialogue and returns what keeps its end: that is called in the order of the plan.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from daemon.archive.core_events import Layer, begin_steps
from daemon.archive.jobs import is_news
from daemon.archive.memories import (
    begin_round,
    editions,
    end_turn,
    keep_edition,
    keep_memory,
    next_edition,
    renew_chunk,
)
from daemon.chat.survey import Survey, as_they_are
from daemon.context import House, Notice, Planned, Remembered
from daemon.models.scheduler import Blocked, Front, Talk
from daemon.models.tokens import count
from daemon.remember.asking import desk_for
from daemon.remember.core_memory import Chain, core_chain
from daemon.remember.dialogue import Passage
from daemon.remember.fact_taking import facts_chain
from daemon.remember.folds import Folds, Keep, stand_before
from daemon.remember.hindsight import make_hindsight
from daemon.remember.ladder import chunk_analysis, make_memory
from primer.models import token_factor
from primer.reply import Refused
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Edition, Memory, shown, told
from rules.errors import ChatSetAside, TooLong
from rules.plan.cache_order import Lead, leads, needs
from rules.plan.folds import shown_tokens, told_tokens
from rules.plan.window import room_left
from rules.plan.work import PlannedChunk

KeepOne = Callable[[], bool]
"""Keeps what came of a chunk; whether it was extracted, and not written by a model."""


@dataclass(frozen=True, slots=True)
class Task:
    """A chat whose memories are written: where models are asked, what is known of it, and its memories so far."""

    front: Front
    found: Survey
    memories: list[Memory]


def write_new(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A chunk becomes a memory."""
    archive = task.front.house.archive
    memory = _written(task, chunk, passage, 1)

    def keep() -> bool:
        with archive.transaction():
            keep_memory(archive, task.found.plan.chat_id, memory)
            begin_steps(archive, memory.memory_id, memory.edition.number, _followed_by(task, chunk.number))
        task.memories.append(memory)
        return memory.edition.made == EXTRACTED

    return keep


def write_again(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A memory gets another as-of edition, unless it would be one more of the engine's."""
    archive = task.front.house.archive
    at, before = _of(chunk, task.memories)
    memory = _written(task, chunk, passage, next_edition(archive, before.memory_id))

    def keep() -> bool:
        extracted = memory.edition.made == EXTRACTED
        if before.due or not extracted:
            with archive.transaction():
                keep_edition(archive, before.memory_id, memory.edition)
                begin_steps(archive, before.memory_id, memory.edition.number, _followed_by(task, chunk.number))
                if before.due:
                    renew_chunk(archive, before.memory_id)
            task.memories[at] = _renewed(task, replace(before, due=""))
        return extracted

    return keep


def _followed_by(task: Task, number: int) -> Iterator[Layer]:
    """The layers that are to be looked after when this memory is kept."""
    layers = task.found.plan.layers
    if number in {chunk.number for chunk in layers.core}:
        yield "core"
    if number in {chunk.number for chunk in layers.facts}:
        yield "facts"


def look_back(task: Task, chunk: PlannedChunk, passage: Passage) -> KeepOne:
    """A memory gets its hindsight edition; none, where it could not be had, or no model's is there to keep to."""
    house, found = task.front.house, task.found
    at, before = _of(chunk, task.memories)
    if before.told.made == EXTRACTED:
        return lambda: True
    after = _seen_later(found, chunk)
    number = next_edition(house.archive, before.memory_id)
    desk = desk_for(task.front, found, chunk, sum(found.counts.all[entry.message.digest] for entry in after))
    try:
        edition = make_hindsight(desk, passage, after, before.told, found.roles, count, house.clock(), number)
    except TooLong:
        # The provider counts more than was foreseen. Without this edition the work can go on all the same.
        desk.note("hindsight too long for the window")
        edition = Refused("too long", "What came after does not fit into the model's window.")

    def keep() -> bool:
        with house.archive.transaction():
            if isinstance(edition, Edition):
                keep_edition(house.archive, before.memory_id, edition)
            end_turn(house.archive, before.memory_id)
        if isinstance(edition, Edition):
            task.memories[at] = _renewed(task, before)
        return isinstance(edition, Refused)

    return keep


def _written(task: Task, chunk: PlannedChunk, passage: Passage, number: int) -> Memory:
    desk = desk_for(task.front, task.found, chunk)
    return make_memory(desk, passage, task.found.roles, count, task.front.house.clock(), number)


def _seen_later(found: Survey, chunk: PlannedChunk) -> tuple[Entry, ...]:
    """The raw messages behind a chunk, as many as hindsight may see and the window holds; at least one.

    What the person has deleted or forgotten is not among them.
    """
    forgotten = {memory.number for memory in found.reading.chunk_memories if memory.forgotten}
    left = found.memory.hindsight_tokens
    if found.limit is not None:
        factor = token_factor(found.roles.agent.name)
        left = min(left, room_left(chunk, found.plan.fixed_tokens, factor, found.limit))
    seen: list[Entry] = []
    for entry in as_they_are(found.reading.entries[chunk.stop :]):
        if entry.memory in forgotten:
            continue
        left -= found.counts.all[entry.message.digest]
        if left < 0 and seen:
            break
        seen.append(entry)
    return tuple(seen)


def _renewed(task: Task, memory: Memory) -> Memory:
    """The memory with all editions that the archive has of it by now."""
    every = editions(task.front.house.archive, memory.memory_id)
    preferred = task.found.memory.editions
    return replace(memory, edition=shown(every, memory.chosen, preferred), told=told(every, memory.chosen))


def _of(chunk: PlannedChunk, memories: Sequence[Memory]) -> tuple[int, Memory]:
    return next((at, one) for at, one in enumerate(memories) if not one.is_fold and one.number == chunk.number)


def compress(house: House, found: Survey) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """Make all that is planned. All memories and folds of the chat, and those of them that are to be shown.

    Raises ModelError where a model cannot be asked, ChatSetAside where a chunk does not fit its window.
    """
    plan = found.plan
    _tell_once(house, found)
    if plan.calls:
        house.tell(Planned(plan))
    if plan.work:
        begin_round(house.archive, plan.chat_id, found.round)
    memories = list(found.reading.memories)
    models = house.config.of(found.chat).models
    with Front(house, plan.chat_id, models.concurrency, models.batch) as front:
        order = leads(plan)
        chains = (core_chain(front, found, memories, order), facts_chain(front, found, memories))
        _do_all(_Work(Task(front, found, memories), Folds(front, found, memories), chains, needs(plan), order))
        chunks = sum(not memory.is_fold for memory in memories)
        stand_before(front, found, memories, chunks, told_tokens)
        shown_now = stand_before(front, found, memories, chunks, shown_tokens)
    return tuple(memories), shown_now


@dataclass(frozen=True, slots=True)
class _Work:
    """What the work on a chat goes on with; `talks` are those of the plan that have been begun, by their place."""

    task: Task
    folds: Folds
    chains: tuple[Chain, ...]
    needs: tuple[int, ...]
    leads: tuple[Lead, ...]
    talks: dict[int, Talk[Keep]] = field(default_factory=dict)
    set_aside: set[int] = field(default_factory=set)
    """The places at which the chat will be set aside, when what comes before is kept."""


def _do_all(work: _Work) -> None:
    plan = work.task.found.plan
    kept = 0
    _begin(work, kept)
    while kept < len(plan.work) or work.folds.under_way or any(chain.under_way for chain in work.chains):
        work.task.front.go_on()
        work.folds.keep()
        for chain in work.chains:
            chain.keep()
        while kept in work.talks and (keep := work.talks[kept].result):
            keep()
            kept += 1
        _begin(work, kept)


def _begin(work: _Work, kept: int) -> None:
    """Begin the fold and all the chunks that can be begun when the first `kept` of the plan are done."""
    plan = work.task.found.plan
    chunks = sum(not memory.is_fold for memory in work.task.memories)
    looked_back = range(len(plan.again), len(plan.again) + len(plan.hindsight))
    waiting = {chunk.number for at, chunk in enumerate(plan.work) if at >= kept and at not in looked_back}
    for chain in work.chains:
        chain.begin(waiting)
    work.folds.begin(min((chunk.number - 1 for chunk in plan.again[kept:]), default=chunks))
    for lead in work.leads:
        # Those before one that cannot be made are finished first: what is kept does not depend on who was asked first.
        if lead.place in work.talks or lead.place > min(work.set_aside, default=lead.place):
            continue
        if work.needs[lead.place] > kept or not work.task.front.has_room:
            return
        work.talks[lead.place] = _talk(work, lead)
        work.task.front.begin(work.talks[lead.place])


def _talk(work: _Work, lead: Lead) -> Talk[Keep]:
    """The dialogue about one chunk of the plan."""
    found, plan, at = work.task.found, work.task.found.plan, lead.place
    chunk = plan.work[at]
    looks_back = len(plan.again) <= at < len(plan.again) + len(plan.hindsight)
    write = look_back if looks_back else write_again if at < len(plan.again) else write_new
    passage: Passage | None = None

    def hold() -> Keep:
        nonlocal passage
        if passage is None:
            before = work.folds.before(chunk.memories_before)
            if before is None:
                raise Blocked
            passage = found.passage(chunk, before, lead.breaks)
        try:
            return partial(_keep, work, at, write(work.task, chunk, passage))
        except ChatSetAside as fault:
            work.set_aside.add(at)
            return partial(_give_up, fault)

    ahead = (
        None if looks_back else chunk_analysis(found.texts, found.passage(chunk, ()).chunk, chunk.tokens, found.roles)
    )
    # The one it would follow is not there where that comes after one that cannot be made.
    behind = None if lead.behind is None else work.talks.get(lead.behind)
    return Talk(hold, len(work.talks), behind, ahead)


def _give_up(fault: ChatSetAside) -> None:
    raise fault


def _keep(work: _Work, at: int, keep: KeepOne) -> None:
    plan = work.task.found.plan
    extracted = keep()
    work.task.front.house.tell(Remembered(plan, plan.work[at].number, at + 1, extracted))


def _tell_once(house: House, found: Survey) -> None:
    for address in found.roles.addresses:
        if address not in house.told:
            house.told.add(address)
            house.tell(Notice(address))
    for notice in found.roles.notices:
        if is_news(house.archive, notice, house.clock()):
            house.tell(Notice(notice))
