"""Whether a model could now write a memory that was extracted.

The dialogue is rehearsed: it is played through with the answers in the journal, and no model is
asked.
"""

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.chat.reading import read_archive
from daemon.chat.survey import Survey, survey_read
from daemon.config.keys import FindKey
from daemon.config.settings import Config
from daemon.models.context import Context
from daemon.models.scheduler import rehearse
from daemon.remember.ladder import is_written
from daemon.remember.question import Worksheet
from rules.plan.folds import version_in_prompts
from rules.plan.work import PlannedChunk
from rules.typingmind.chat import Chat


def could_write(archive: Archive, survey: Survey, chunk: PlannedChunk) -> bool:
    """Return whether a model could now write a memory that was extracted.

    That is false where the journal's answers are known to be of no use. Where the prompt begins
    with a fold that is still to be made, there can be no answer yet, and it is true.
    """
    missing, before = survey.view_section(
        survey.reading.memories, chunk.memories_before, version_in_prompts
    )
    if missing:
        return True
    passage = survey.passage(chunk, before)
    sheet = Worksheet(survey.texts, survey.plan.questions_tokens)
    return rehearse(archive, is_written(sheet, passage, survey.roles)) is not False


def survey_archived(context: Context, chat_id: str) -> Survey:
    """Survey a chat from the archive, which has all raw messages that memories were made of."""
    archive, chat = context.archive, known_chat(context.archive, chat_id)
    return survey_known(archive, chat, context.config.of(chat), context.key, context.clock())


def survey_known(archive: Archive, chat: Chat, config: Config, key: FindKey, now: str) -> Survey:
    """Survey a known chat from the archive; `config` has this chat's own settings applied."""
    return survey_read(archive, read_archive(archive, chat, config), key, now, could_write)
