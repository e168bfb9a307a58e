"""The work on a chat's memories: several of its chunks at once, and each kept in the order of the plan.

again        memories of the engine's that a model can write now, and those whose raw messages changed
hindsight    the last memories before the new ones, with what came after in view
chunks       new memories, oldest first
layers       behind each memory an edit of the core memory, and the facts of its chunk

A chunk is begun when the memories before its tail are kept, and the folds that stand for them are made. So what it is
asked, and all that comes of it, is the same with one call at a time and with sixteen.
"""

from dataclasses import dataclass, field
from functools import partial

from daemon.archive.notices import is_news
from daemon.archive.rounds import begin_round
from daemon.house import House, Notice, Planned, Remembered
from daemon.layers.chain import Chain
from daemon.layers.core import core_chain
from daemon.layers.facts import facts_chain
from daemon.remembering.compress import chunk_analysis
from daemon.remembering.dialogue import Passage
from daemon.section import Folds, Keep, stand_before
from daemon.survey import Survey
from daemon.wavefront.front import Front
from daemon.wavefront.talk import Blocked, Talk
from daemon.writing import KeepOne, Task, look_back, write_again, write_new
from rules.conversation.memory import Memory
from rules.errors import ChatSetAside
from rules.plan.cache_order import Lead, leads, needs
from rules.plan.folds import shown_tokens, told_tokens


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
