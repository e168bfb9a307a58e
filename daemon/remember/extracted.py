"""Extracted memories: whether a model could write one now, and extracting them by newer rules.

Whether a model could is rehearsed: its dialogue is played through with the answers that the journal
has, and no model is asked. Extracting again is free. Nothing of before is lost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.memories import count_extracted, keep_edition, next_edition
from daemon.archive.signs import set_sign, sign
from daemon.chat.reading import read_archive
from daemon.chat.survey import Survey, survey_read, told_before
from daemon.chat.work_due import free_memories
from daemon.models.context import Context
from daemon.models.roles import Roles
from daemon.models.scheduler import RunningDialogue, Scheduler, rehearse
from daemon.models.tokens import count
from daemon.remember.ladder import make_memory
from daemon.remember.question import Worksheet, worksheet_of_chunk
from primer.models import ENGINE
from primer.reply import RULES
from rules.conversation.memory import EXTRACTED, WRITTEN, Edition, Memory, with_members
from rules.plan.folds import as_told, section
from rules.plan.work import PlannedChunk
from rules.wording import counted

_SIGN = "rules of extracted memories"
_BY_ENGINE = Roles(ENGINE, ENGINE)


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


def survey_archived(context: Context, chat_id: str) -> Survey:
    """Survey a chat as the archive knows it, which has all raw messages under memories."""
    archive, chat = context.archive, known_chat(context.archive, chat_id)
    config = context.config.of(chat)
    reading = read_archive(archive, chat_id, config.memory.editions)
    can_write = partial(could_write, archive)
    return survey_read(archive, chat, reading, config, context.key, context.clock(), can_write)


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
