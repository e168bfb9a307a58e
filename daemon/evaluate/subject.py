"""The chat that is evaluated: its memories as shown, its raw messages, the contexts to ask with."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from daemon.archive.chats import find_chat
from daemon.archive.messages import LiveMessage, live_conversation
from daemon.archive.seals import refuse_damage
from daemon.chat.holding import holding
from daemon.chat.kept import lines_shown
from daemon.chat.opening import canned, opening_text
from daemon.chat.passage import as_they_are
from daemon.chat.survey import Survey
from daemon.models.context import Context
from daemon.remember.extracted import survey_archived
from primer.evaluation_questions import finished_chat
from primer.prompt import Turn
from rules.conversation.history import Entry
from rules.conversation.memory import Memory, memories_by_id, shown_in
from rules.errors import ChatSkipped
from rules.wording import cut_title

ArmName = Literal["memories", "tail", "full", "recall"]
"""What the context holds: the finished chat, its live tail alone, every raw message, or the
finished chat and the hits of a search for the questions."""
_SETTINGS = {"tail", "chunk", "memory", "fold", "core", "facts", "texts"}
"""The tables of memproc.toml that affect memories."""


@dataclass(frozen=True)  # without slots, for the cached properties
class EvaluatedChat:
    """A chat as the archive has it, whose memories are evaluated."""

    survey: Survey
    shown: tuple[Memory, ...]
    """Memories and folds as the export shows them, oldest first."""
    opening: str
    live: tuple[LiveMessage, ...]
    """The messages after the memories, including those that the chat lacks but should have."""

    @property
    def chat_id(self) -> str:
        """Return the chat's id."""
        return self.survey.plan.chat_id

    @property
    def chunks(self) -> tuple[Memory, ...]:
        """Return the memories of chunks that are shown, alone or in a fold, oldest first."""
        memories = self.survey.reading.chunk_memories
        return tuple(memory for memory in memories if memory.memory_id in self.entries)

    @cached_property
    def shown_as(self) -> Mapping[str, Memory]:
        """Return the memory or fold that is shown for each memory, by the memory's id."""
        by_id = memories_by_id(self.shown)
        outermost = shown_in(by_id.keys(), self.survey.reading.memories)
        return {name: by_id[shown] for name, shown in outermost.items()}

    @cached_property
    def entries(self) -> Mapping[str, tuple[Entry, ...]]:
        """Return the raw messages of each chunk that is shown, by the id of its memory."""
        by_number: defaultdict[int | None, list[Entry]] = defaultdict(list)
        for entry in as_they_are(self.survey.reading.entries):
            by_number[entry.memory].append(entry)
        return {
            memory.memory_id: tuple(by_number[memory.number])
            for memory in self.survey.reading.chunk_memories
            if memory.memory_id in self.shown_as and memory.number in by_number
        }

    def turns(self, arm: ArmName) -> tuple[Turn, ...]:
        """Return the context of an arm, without the hits of a search."""
        system = self.survey.chat.system_message
        if arm == "full":
            past = [entry.message for entry in as_they_are(self.survey.reading.entries)]
            past += (live.message for live in self.live)
            return finished_chat(system, "", (), "", past)
        tail = [live.message for live in self.live if not live.is_missing]
        if arm == "tail":
            return finished_chat(system, "", (), "", tail)
        closing = canned(self.survey.texts).closing
        return finished_chat(system, self.opening, self.shown, closing, tail)

    @property
    def alone(self) -> tuple[Turn, ...]:
        """Return the context without any conversation."""
        return finished_chat(self.survey.chat.system_message, "", (), "", ())

    @cached_property
    def version(self) -> str:
        """Return a hash of the finished chat's prompt."""
        return _digest([turn.content for turn in self.turns("memories")])

    @cached_property
    def settings(self) -> str:
        """Return a hash of the settings that affect memories."""
        config, days = self.survey.config, {"memory": {"zone"}}
        return _digest([config.model_dump_json(include=_SETTINGS, exclude=days)])


def find_subject(context: Context, name: str) -> EvaluatedChat:
    """Read the chat of this id or title from the archive.

    Raises NotFound, ChatSkipped where it has no memories yet, and DamagedChat where rows are
    damaged or missing: the figures would then be about less than the person has.
    """
    archive = context.archive
    chat_id = find_chat(archive, name).chat_id
    refuse_damage(archive.run, chat_id)
    survey = survey_archived(context, chat_id)
    shown = holding(archive, context.config, chat_id).shown
    if not shown:
        raise ChatSkipped(
            f'"{cut_title(survey.plan.title)}" has no memories yet, so there is nothing to ask about.',
            "Drop its export into the inbox, then: memproc run",
        )
    live = live_conversation(archive, chat_id)
    present = [message for message in live if not message.is_missing]
    sent = [
        Entry(live_message.key, live_message.message, None, place)
        for place, live_message in enumerate(present)
    ]
    kept_lines = lines_shown(survey.passages, sent, ())
    return EvaluatedChat(
        survey=survey,
        shown=survey.shown_within(shown),
        opening=opening_text(archive, survey, kept_lines),
        live=live,
    )


def _digest(texts: Sequence[str]) -> str:
    """Return one hash of several texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
