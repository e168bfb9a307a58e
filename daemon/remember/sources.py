"""What the built-in engine reads: the messages of a chunk or a fold as they were said, or what memories tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import groupby

from daemon.chat.passage import Passage
from primer import prompt
from primer.prompt import Turn
from primer.wording import restore_tags
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.extract.prose import PERSONA, Said
from rules.extract.source import Source
from rules.typingmind.dates import in_zone

_MOST_BEFORE = 1_024
"""Messages before a passage that the engine has in view: its tail, and some 150 memories."""
_MESSAGES_A_MEMORY = 6


@dataclass(frozen=True, slots=True)
class RawFold:
    """The raw messages that a fold stands for, and some of those before them."""

    before: Sequence[Entry]
    passage: Sequence[Entry]
    numbers: Mapping[str, int]
    """The number of the memory that each message of the passage is under, by its key."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return them as a context manager reads them."""
        return (*prompt.lived(self.before), *prompt.by_memory(self.passage, self.numbers))

    def source(self, zone: tzinfo) -> Source:
        """Return them as the engine reads them; only those of the passage have a day."""
        memories = groupby(self.passage, key=lambda entry: self.numbers[entry.key])
        stretches = tuple(_said(entries, zone) for _, [*entries] in memories)
        before = tuple(replace(message, date="") for message in _said(self.before, zone))
        return Source(stretches, before)


def in_view(passage: Passage) -> Passage:
    """Return the passage without the memories of long ago, which the engine does not read.

    With all of them, its work would grow with the square of a conversation.
    """
    newest = passage.memories[-(_MOST_BEFORE // _MESSAGES_A_MEMORY + 1) :]
    return replace(passage, memories=newest)


def chunk_in_context(passage: Passage, context: Sequence[Turn]) -> Source:
    """Return a chunk with the newest of what comes before it in its context, but for the system's part."""
    before = context[1 : -len(passage.chunk)][-_MOST_BEFORE:]
    said_before = tuple(Said(turn.role, restore_tags(turn.content), "") for turn in before)
    return replace(chunk_alone(passage), before=said_before)


def chunk_alone(passage: Passage) -> Source:
    """Return a chunk with nothing before it."""
    return Source((_said(passage.chunk, passage.zone),))


def memories_told(
    memories: Sequence[Memory], zone: tzinfo, slots: slice = prompt.ANSWERS
) -> Source:
    """Return what memories tell, as words of the persona."""
    return Source((tuple(_told(memory, zone, slots) for memory in memories),))


def _told(memory: Memory, zone: tzinfo, slots: slice) -> Said:
    text = "\n\n".join(prompt.told_in(memory, slots))
    return Said(PERSONA, restore_tags(text), in_zone(memory.began_at, zone)[:10])


def _said(entries: Sequence[Entry], zone: tzinfo) -> tuple[Said, ...]:
    """Return messages as they were said, each with its day in the person's zone."""
    messages = (entry.message for entry in entries)
    return tuple(
        Said(
            message.speaker,
            message.text.strip() or prompt.EMPTY,
            in_zone(message.created_at, zone)[:10],
        )
        for message in messages
    )
