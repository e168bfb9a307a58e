"""Ask for a memory or a fold once more, with a word of guidance from the person; nothing before is lost."""

from dataclasses import dataclass, replace

from daemon.archive.chats import known_chat
from daemon.archive.memories import editions, find_memory, keep_edition, next_edition
from daemon.chat.reading import read_archive
from daemon.chat.survey import Survey
from daemon.context import Context
from daemon.events import Event, ModelAnswered, Tell
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from daemon.models.tokens import count
from daemon.remember.dialogue import worksheet_of_chunk, worksheet_of_fold
from daemon.remember.folds import Folds, fold_plan, make_fold
from daemon.remember.ladder import make_memory
from daemon.remember.planning import survey_read
from primer.reply import ENGINE
from rules.conversation.memory import EXTRACTED, Edition, Memory
from rules.plan.folds import as_told


@dataclass(frozen=True, slots=True)
class UnchangedMemory:
    """The memory stays as it was, and why."""

    memory_id: str
    reason: str
    next_step: str


def retry(context: Context, name: str, guidance: str) -> Memory | UnchangedMemory:
    """The memory of this name in a new edition, which is shown from now on, or why it has none.

    Raises NotFound, ModelError where the model cannot be asked, and ChatSetAside where it does not fit.
    """
    chat_id, before = find_memory(context.archive, name)
    survey = _surveyed(context, chat_id)
    if survey.roles.agent == ENGINE:
        reason = " ".join(survey.roles.notices) or "The built-in engine is the agent in memproc.toml."
        return UnchangedMemory(before.memory_id, reason, "It would answer as it did. Choose a model, then try again.")
    if not before.keys:
        reason = "The archive has none of the raw messages that it stands for."
        return UnchangedMemory(before.memory_id, reason, "Bring them back with: memproc rebuild")
    new: list[ModelAnswered] = []
    edition = _written(replace(context, tell=_counting(context, new)), survey, before, guidance.strip())
    known = {edition.texts for edition in editions(context.archive, before.memory_id)}
    if edition.texts in known or edition.made == EXTRACTED:
        asked = f"{len(new)} new questions were asked" if new else "All this has been asked before"
        return UnchangedMemory(
            before.memory_id,
            f"{asked}, and no new memory came of it.",
            'Say something about it: memproc retry MEMORY --say "..."; or set models.fallback in memproc.toml.',
        )
    keep_edition(context.archive, before.memory_id, edition, chosen=True)
    return find_memory(context.archive, before.memory_id)[1]


def _surveyed(context: Context, chat_id: str) -> Survey:
    """The chat as the archive knows it: all that stands under memories comes from there."""
    chat = known_chat(context.archive, chat_id)
    config = context.config.of(chat)
    reading = read_archive(context.archive, chat_id, config.memory.editions)
    return survey_read(context.archive, chat, reading, config, context.key, context.today())


def _written(context: Context, survey: Survey, before: Memory, guidance: str) -> Edition:
    number = next_edition(context.archive, before.memory_id)
    concurrency = context.config.of(survey.chat).models.concurrency
    with Scheduler(context.asking, survey.plan.chat_id, concurrency) as scheduler:
        if before.is_fold:
            steps = _fold(context, survey, before, guidance)
        else:
            steps = _memory(context, scheduler, survey, before, guidance)
        edition = scheduler.finish(RunningDialogue(steps)).edition
    return replace(edition, number=number)


def _memory(context: Context, scheduler: Scheduler, survey: Survey, before: Memory, guidance: str) -> Steps[Memory]:
    chunk = next(chunk for chunk in survey.plan.made if chunk.number == before.number)
    folds = Folds(context, scheduler, survey, list(survey.reading.memories))
    passage = survey.passage(chunk, folds.make_all(chunk.memories_before, as_told))
    guided = replace(passage, guidance=guidance)
    return make_memory(worksheet_of_chunk(survey, chunk), guided, survey.roles, count, context.clock)


def _fold(context: Context, survey: Survey, before: Memory, guidance: str) -> Steps[Memory]:
    plan = fold_plan(survey.reading.memories, before.members, before.level)
    return make_fold(
        worksheet_of_fold(survey, plan.members),
        survey.plan.chat_id,
        survey.chat.system_message,
        plan,
        survey.roles,
        count,
        context.clock,
        guidance,
    )


def _counting(context: Context, new: list[ModelAnswered]) -> Tell:
    """Tell as the context does, and gather the replies that models gave just now."""

    def tell(event: Event) -> None:
        if isinstance(event, ModelAnswered):
            new.append(event)
        context.tell(event)

    return tell
