"""Write memories once more, when asked to or by the rules of this version; nothing before is lost.

A person may add a word of guidance. Extracted memories are written again for free. Whether a model
could write one now is rehearsed: its dialogue is played through with the answers that the journal
has, and no model is asked.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.evaluation import note_named
from daemon.archive.memories import (
    count_extracted,
    editions,
    find_memory,
    keep_edition,
    next_edition,
)
from daemon.archive.signs import set_sign, sign
from daemon.chat.reading import read_archive
from daemon.chat.survey import Survey, survey_read, told_before
from daemon.chat.work_due import free_memories
from daemon.events import Event, ModelAnswered
from daemon.models.context import Context
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Scheduler, rehearse
from daemon.models.tokens import count
from daemon.remember.fold_plan import fold_plan
from daemon.remember.folds import Folds, fold_of
from daemon.remember.ladder import make_memory
from daemon.remember.work import ChatWork, Worksheet, worksheet_of_chunk
from primer.models import ENGINE
from primer.reply import RULES
from rules.conversation.memory import EXTRACTED, WRITTEN, Edition, Memory, with_members
from rules.plan.folds import as_told, section
from rules.plan.work import PlannedChunk
from rules.wording import counted

_SIGN = "rules of extracted memories"
_BY_ENGINE = Roles(ENGINE, ENGINE)


@dataclass(frozen=True, slots=True)
class UnchangedMemory:
    """The memory stays as it was, and why."""

    memory_id: str
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class ExtractedAgain:
    """What became of the extracted memories of a chat."""

    chat_id: str
    title: str
    written: int
    same: int
    """Those that the rules of this version write just as they are."""
    stayed: int
    """Those that are the person's, or part of a fold that a model wrote."""


def could_write(archive: Archive, survey: Survey, chunk: PlannedChunk) -> bool:
    """Return whether a model could write an extracted memory now.

    False where the answers that it has given are known to be of no use. Where its prompt begins with
    a fold that is still to be made, no answer to it is known yet.
    """
    memories, upto = survey.reading.memories, chunk.memories_before
    if section(survey.plan.chat_id, memories, upto, survey.bounds, as_told).missing:
        return True
    passage = survey.passage(chunk, told_before(survey, memories, upto))
    sheet = Worksheet(survey.shown.texts, survey.plan.questions_tokens, former=survey.former)
    memory = rehearse(archive, make_memory(sheet, passage, survey.roles, count, lambda: ""))
    return memory is None or memory.in_prompts.made == WRITTEN


def retry(
    context: Context, name: str, guidance: str, named: Collection[int] = ()
) -> Memory | UnchangedMemory:
    """Give the memory of this name a new edition, shown from now on. Return it, or why it has none.

    `named` are the numbers of the evaluation's questions that the guidance names: they count no
    more from the moment at which the edition is kept.

    Raises NotFound, ModelError where the model cannot be asked, and ChatSkipped where it does not
    fit.
    """
    chat_id, before = find_memory(context.archive, name)
    survey = survey_archived(context, chat_id)
    if survey.roles.agent == ENGINE:
        no_model = "The built-in engine is the agent in memproc.toml."
        reason = " ".join(survey.roles.notices) or no_model
        next_step = "It would answer as it did. Choose a model, then try again."
        return UnchangedMemory(before.memory_id, reason, next_step)
    if not before.keys:
        reason = "The archive has none of the raw messages that it was made of."
        return UnchangedMemory(before.memory_id, reason, "Bring them back with: memproc rebuild")
    new: list[ModelAnswered] = []

    def tell(event: Event) -> None:
        if isinstance(event, ModelAnswered):
            new.append(event)  # a reply that a model gave just now
        context.tell(event)

    edition = _written(replace(context, tell=tell), survey, before, guidance.strip())
    known = {edition.texts for edition in editions(context.archive, before.memory_id)}
    if edition.texts in known or edition.made == EXTRACTED:
        asked = f"{len(new)} new questions were asked" if new else "All this has been asked before"
        return UnchangedMemory(
            before.memory_id,
            f"{asked}, and no new memory came of it.",
            'Say something about it: memproc retry MEMORY --say "..."; or set models.fallback in memproc.toml.',
        )
    with context.archive.transaction():
        keep_edition(context.archive, before.memory_id, edition, chosen=True)
        note_named(context.archive, named)
    return find_memory(context.archive, before.memory_id)[1]


def survey_archived(context: Context, chat_id: str) -> Survey:
    """Survey a chat as the archive knows it, which has all raw messages under memories."""
    archive, chat = context.archive, known_chat(context.archive, chat_id)
    config = context.config.of(chat)
    reading = read_archive(archive, chat_id, config.memory.editions)
    can_write = partial(could_write, archive)
    return survey_read(archive, chat, reading, config, context.key, context.clock(), can_write)


def _written(context: Context, survey: Survey, before: Memory, guidance: str) -> Edition:
    number = next_edition(context.archive, before.memory_id)
    memories, roles = survey.reading.memories, survey.roles
    with Scheduler(context, survey.plan.chat_id, survey.config.models.concurrency) as scheduler:
        if before.is_fold:
            plan = fold_plan(memories, before.members, before.level, survey.reading.entries)
            steps = fold_of(survey, plan, context.clock, guidance)
        else:
            chunk = next(chunk for chunk in survey.plan.made if chunk.number == before.number)
            folds = Folds(ChatWork(context, scheduler, survey, list(memories)))
            passage = survey.passage(chunk, folds.make_all(chunk.memories_before, as_told))
            guided = replace(passage, guidance=guidance)
            steps = make_memory(
                worksheet_of_chunk(survey, chunk), guided, roles, count, context.clock
            )
        edition = scheduler.finish(RunningDialogue(steps)).edition
    return replace(edition, number=number)


def extract_again(context: Context, chat_id: str) -> ExtractedAgain:
    """Give each extracted memory of a chat an edition by the rules of this version.

    No model is asked. Those stay that are pinned, edited or forgotten, or whose edition was
    chosen, and those of a model's fold, which would be paid for once more. Raises NotFound.
    """
    set_sign(context.archive, _SIGN, str(RULES), context.clock())
    survey = survey_archived(context, chat_id)
    memories = list(survey.reading.memories)
    chosen = list(_to_extract(survey, memories))
    written = 0
    with Scheduler(context, chat_id, survey.config.models.concurrency) as scheduler:
        for chunk, before in chosen:
            edition = _extracted(context, scheduler, survey, chunk, memories)
            edition = replace(edition, number=next_edition(context.archive, before.memory_id))
            if edition.texts == before.in_prompts.texts:
                continue
            keep_edition(context.archive, before.memory_id, edition)
            at = memories.index(before)
            memories[at] = replace(before, edition=edition, in_prompts=edition)
            written += 1
    extracted = sum(not memory.is_fold and _is_extracted(memory) for memory in memories)
    return ExtractedAgain(
        chat_id=chat_id,
        title=survey.plan.title,
        written=written,
        same=len(chosen) - written,
        stayed=extracted - len(chosen),
    )


def _to_extract(
    survey: Survey, memories: Sequence[Memory]
) -> Iterator[tuple[PlannedChunk, Memory]]:
    """Yield each memory that may be extracted again, with its chunk, oldest first."""
    folds = [memory for memory in memories if memory.is_fold]
    by_model = [fold.memory_id for fold in folds if fold.in_prompts.made == WRITTEN]
    folded = with_members(by_model, memories)
    for chunk, memory in free_memories(survey.reading, survey.plan):
        is_theirs = memory.chosen is not None or memory.memory_id in folded
        if _is_extracted(memory) and not is_theirs:
            yield chunk, memory


def _is_extracted(memory: Memory) -> bool:
    """Return whether the engine wrote the edition in prompts, and the person has not edited it."""
    return memory.in_prompts.made == EXTRACTED and memory.in_prompts.kind == "as-of"


def _extracted(
    context: Context,
    scheduler: Scheduler,
    survey: Survey,
    chunk: PlannedChunk,
    memories: Sequence[Memory],
) -> Edition:
    passage = survey.passage(chunk, told_before(survey, memories, chunk.memories_before))
    sheet = worksheet_of_chunk(survey, chunk)
    steps = make_memory(sheet, passage, _BY_ENGINE, count, context.clock)
    return scheduler.finish(RunningDialogue(steps)).edition


def news_of_rules(archive: Archive, now: str) -> str:
    """Return what a run says once: memories were extracted by an earlier version's rules; else ""."""
    known = sign(archive, _SIGN)
    if known is not None and known.value == str(RULES):
        return ""
    extracted = count_extracted(archive)
    set_sign(archive, _SIGN, str(RULES), now)
    if not extracted:
        return ""
    were = counted(extracted, "memory was", "memories were")
    return (
        f"{were} extracted by the rules of an earlier version. "
        "To write again by those of this one, free: memproc retry --extracted"
    )
