"""Write a memory once more at the person's request, with any guidance; former editions are kept."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from daemon.archive.evaluation import note_named
from daemon.archive.memories import editions, find_memory, keep_edition, renew_chunk
from daemon.chat.survey import Survey
from daemon.events import Event, ModelAnswered
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler
from daemon.remember.extracted import survey_archived
from daemon.remember.fold_plan import fold_plan
from daemon.remember.folds import Folds, write_fold
from daemon.remember.ladder import make_memory
from daemon.remember.lanes import ChatWork
from daemon.remember.question import worksheet_of_chunk
from rules.conversation.memory import Edition, Memory
from rules.plan.folds import version_in_prompts

_SAY_MORE = (
    'Say something about it: memproc retry {} --say "..."; or set models.fallback in memproc.toml.'
)


@dataclass(frozen=True, slots=True)
class UnchangedMemory:
    """Why a memory stays as it was."""

    memory_id: str
    reason: str
    next_step: str


def retry(
    context: Context, name: str, guidance: str, named: Collection[int] = ()
) -> Memory | UnchangedMemory:
    """Give the memory of this name a new edition, shown from now on. Return it, or why it has none.

    `named` are the numbers of the evaluation's questions that the guidance quotes: they no longer
    count once the edition is kept.

    Raises NotFound, ModelError where the model cannot be asked, and ChatSkipped where it does not
    fit.
    """
    archive = context.archive
    chat_id, before = find_memory(archive, name)
    survey = survey_archived(context, chat_id)
    if refused := _why_not(survey, before):
        return refused
    new: list[ModelAnswered] = []

    def tell(event: Event) -> None:
        if isinstance(event, ModelAnswered):
            new.append(event)  # a reply that a model gave just now
        context.tell(event)

    edition = _written(replace(context, tell=tell), survey, before, guidance.strip())
    known = {edition.texts for edition in editions(archive, before.memory_id)}
    if edition.texts in known or edition.is_extracted:
        asked = f"{len(new)} new questions were asked" if new else "All this has been asked before"
        reason = f"{asked}, and no new memory came of it."
        return UnchangedMemory(before.memory_id, reason, _SAY_MORE.format(before.memory_id))
    with archive.transaction():
        keep_edition(archive, before.memory_id, edition, chosen=True)
        if before.due:
            renew_chunk(archive, before.memory_id)
        note_named(archive, named)
    return find_memory(archive, before.memory_id)[1]


def _why_not(survey: Survey, memory: Memory) -> UnchangedMemory | None:
    """Return why no model can be asked for the memory; None where one can."""
    if not survey.roles.has_agent:
        no_model = "The built-in engine is the agent in memproc.toml."
        reason = " ".join(notice.sentence for notice in survey.roles.notices) or no_model
        next_step = "Choose a model, then try again: without one the answer would be the same."
        return UnchangedMemory(memory.memory_id, reason, next_step)
    if not memory.keys:
        reason = "The archive has none of the raw messages that it was made of."
        return UnchangedMemory(memory.memory_id, reason, "Bring them back with: memproc rebuild")
    return None


def _written(context: Context, survey: Survey, memory: Memory, guidance: str) -> Edition:
    """Have the memory or fold written again. Return its edition."""
    most = survey.config.models.concurrency
    with Scheduler(context, survey.plan.chat_id, most, asks_again=True) as scheduler:
        work = ChatWork(context, scheduler, survey, list(survey.reading.memories))
        if memory.is_fold:
            plan = fold_plan(work.memories, memory.members, memory.level)
            steps = write_fold(survey, plan, context.clock, guidance)
        else:
            chunk = next(chunk for chunk in survey.plan.made if chunk.number == memory.number)
            memories_before = Folds(work).make_all(chunk.memories_before, version_in_prompts)
            passage = replace(survey.passage(chunk, memories_before), guidance=guidance)
            sheet = worksheet_of_chunk(survey, chunk)
            steps = make_memory(sheet, passage, survey.roles, context.clock)
        return scheduler.finish(RunningDialogue(steps)).edition
