"""Rehearse a memory: play its dialogue through with the answers that the journal has, and ask no model."""

from daemon.archive.archive import Archive
from daemon.chat.survey import Survey, told_before
from daemon.models.scheduler import rehearse
from daemon.models.tokens import count
from daemon.remember.ladder import make_memory
from daemon.remember.worksheet import Worksheet
from rules.conversation.memory import WRITTEN
from rules.plan.folds import as_told, section
from rules.plan.work import PlannedChunk


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
