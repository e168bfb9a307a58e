"""The work on a chat's memories: several of its chunks at once (D16), and each kept in the order of the plan.

again        memories of the engine's that a model can write now (D8), and those whose raw messages changed (D11)
hindsight    the last memories before the new ones, with what came after in view (D12)
chunks       new memories, oldest first
layers       behind each memory an edit of the core memory, and the facts of its chunk (D14)

A chunk is begun when the memories before its tail are kept, and the folds that stand for them are made. So what it is
asked, and all that comes of it, is the same with one call at a time and with sixteen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from daemon.archive.layers import Layer, begin_steps
from daemon.archive.memories import editions, keep_edition, keep_memory, next_edition, renew_chunk
from daemon.archive.notices import is_news
from daemon.archive.rounds import begin_round, end_turn
from daemon.house import House, Notice, Planned, Remembered
from daemon.layers.chain import Chain
from daemon.layers.core import core_chain
from daemon.layers.facts import facts_chain
from daemon.models.tokens import count
from daemon.remembering.asking import desk_for
from daemon.remembering.compress import chunk_analysis, make_memory
from daemon.remembering.dialogue import Passage
from daemon.remembering.hindsight import make_hindsight
from daemon.section import Folds, Keep, stand_before
from daemon.survey import Survey, as_they_are
from daemon.wavefront.front import Front
from daemon.wavefront.talk import Blocked, Talk
from primer.models import token_factor
from primer.reply import Refused
from rules.errors import ChatSetAside, TooLong
from rules.history.entries import Entry
from rules.memory.edition import EXTRACTED, Edition, shown, told
from rules.memory.memory import Memory
from rules.plan.lead import Lead, leads
from rules.plan.planned import PlannedChunk
from rules.plan.section import shown_tokens, told_tokens
from rules.plan.wavefront import needs
from rules.plan.window import room_left

_KeepOne = Callable[[], bool]
"""Keeps what came of a chunk; whether it was extracted, and not written by a model."""


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
        _do_all(_Work(front, found, memories, Folds(front, found, memories), chains, needs(plan), order))
        chunks = sum(not memory.is_fold for memory in memories)
        stand_before(front, found, memories, chunks, told_tokens)
        shown_now = stand_before(front, found, memories, chunks, shown_tokens)
    return tuple(memories), shown_now


@dataclass(frozen=True, slots=True)
class _Work:
    """What the work on a chat goes on with; `talks` are those of the plan that have been begun, by their place."""

    front: Front
    found: Survey
    memories: list[Memory]
    folds: Folds
    chains: tuple[Chain, ...]
    needs: tuple[int, ...]
    leads: tuple[Lead, ...]
    talks: dict[int, Talk[Keep]] = field(default_factory=dict)
    set_aside: set[int] = field(default_factory=set)
    """The places at which the chat will be set aside, when what comes before is kept."""


def _do_all(work: _Work) -> None:
    plan = work.found.plan
    kept = 0
    _begin(work, kept)
    while kept < len(plan.work) or work.folds.under_way or any(chain.under_way for chain in work.chains):
        work.front.go_on()
        work.folds.keep()
        for chain in work.chains:
            chain.keep()
        while kept in work.talks and (keep := work.talks[kept].result):
            keep()
            kept += 1
        _begin(work, kept)


def _begin(work: _Work, kept: int) -> None:
    """Begin the fold and all the chunks that can be begun when the first `kept` of the plan are done."""
    plan = work.found.plan
    chunks = sum(not memory.is_fold for memory in work.memories)
    looked_back = range(len(plan.again), len(plan.again) + len(plan.hindsight))
    waiting = {chunk.number for at, chunk in enumerate(plan.work) if at >= kept and at not in looked_back}
    for chain in work.chains:
        chain.begin(waiting)
    work.folds.begin(min((chunk.number - 1 for chunk in plan.again[kept:]), default=chunks))
    for lead in work.leads:
        # Those before one that cannot be made are finished first: what is kept does not depend on who was asked first.
        if lead.place in work.talks or lead.place > min(work.set_aside, default=lead.place):
            continue
        if work.needs[lead.place] > kept or not work.front.has_room:
            return
        work.talks[lead.place] = _talk(work, lead)
        work.front.begin(work.talks[lead.place])


def _talk(work: _Work, lead: Lead) -> Talk[Keep]:
    """The dialogue about one chunk of the plan."""
    found, plan, at = work.found, work.found.plan, lead.place
    chunk = plan.work[at]
    looks_back = len(plan.again) <= at < len(plan.again) + len(plan.hindsight)
    write = _look_back if looks_back else _write_again if at < len(plan.again) else _write_new
    passage: Passage | None = None

    def hold() -> Keep:
        nonlocal passage
        if passage is None:
            before = work.folds.before(chunk.memories_before)
            if before is None:
                raise Blocked
            passage = found.passage(chunk, before, lead.breaks)
        try:
            return partial(_keep, work, at, write(work, chunk, passage))
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


def _keep(work: _Work, at: int, keep: _KeepOne) -> None:
    plan = work.found.plan
    extracted = keep()
    work.front.house.tell(Remembered(plan, plan.work[at].number, at + 1, extracted))


def _write_new(work: _Work, chunk: PlannedChunk, passage: Passage) -> _KeepOne:
    """A chunk becomes a memory."""
    archive = work.front.house.archive
    memory = _written(work, chunk, passage, 1)

    def keep() -> bool:
        with archive.transaction():
            keep_memory(archive, work.found.plan.chat_id, memory)
            begin_steps(archive, memory.memory_id, memory.edition.number, _followed_by(work, chunk.number))
        work.memories.append(memory)
        return memory.edition.made == EXTRACTED

    return keep


def _write_again(work: _Work, chunk: PlannedChunk, passage: Passage) -> _KeepOne:
    """A memory gets another as-of edition, unless it would be one more of the engine's."""
    archive = work.front.house.archive
    at, before = _of(chunk, work.memories)
    memory = _written(work, chunk, passage, next_edition(archive, before.memory_id))

    def keep() -> bool:
        extracted = memory.edition.made == EXTRACTED
        if before.due or not extracted:
            with archive.transaction():
                keep_edition(archive, before.memory_id, memory.edition)
                begin_steps(archive, before.memory_id, memory.edition.number, _followed_by(work, chunk.number))
                if before.due:
                    renew_chunk(archive, before.memory_id)
            work.memories[at] = _renewed(work, replace(before, due=""))
        return extracted

    return keep


def _followed_by(work: _Work, number: int) -> Iterator[Layer]:
    """The layers that are to be looked after when this memory is kept (D14)."""
    layers = work.found.plan.layers
    if number in {chunk.number for chunk in layers.core}:
        yield "core"
    if number in {chunk.number for chunk in layers.facts}:
        yield "facts"


def _look_back(work: _Work, chunk: PlannedChunk, passage: Passage) -> _KeepOne:
    """A memory gets its hindsight edition; none, where it could not be had, or no model's is there to keep to."""
    house, found = work.front.house, work.found
    at, before = _of(chunk, work.memories)
    if before.told.made == EXTRACTED:
        return lambda: True
    after = _seen_later(found, chunk)
    number = next_edition(house.archive, before.memory_id)
    desk = desk_for(work.front, found, chunk, sum(found.counts.all[entry.message.digest] for entry in after))
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
            work.memories[at] = _renewed(work, before)
        return isinstance(edition, Refused)

    return keep


def _written(work: _Work, chunk: PlannedChunk, passage: Passage, number: int) -> Memory:
    desk = desk_for(work.front, work.found, chunk)
    return make_memory(desk, passage, work.found.roles, count, work.front.house.clock(), number)


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


def _renewed(work: _Work, memory: Memory) -> Memory:
    """The memory with all editions that the archive has of it by now."""
    every = editions(work.front.house.archive, memory.memory_id)
    preferred = work.found.memory.editions
    return replace(memory, edition=shown(every, memory.chosen, preferred), told=told(every, memory.chosen))


def _of(chunk: PlannedChunk, memories: Sequence[Memory]) -> tuple[int, Memory]:
    return next((at, one) for at, one in enumerate(memories) if not one.is_fold and one.number == chunk.number)


def _tell_once(house: House, found: Survey) -> None:
    for notice in found.roles.notices:
        if is_news(house.archive, notice, house.clock()):
            house.tell(Notice(notice))
