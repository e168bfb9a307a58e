"""The built-in engine, which asks no model: what it reads of a chunk or a fold, and its answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import chain, groupby

from daemon.chat.passage import Passage
from primer import prompt
from primer.prompt import Turn
from primer.wording import restore_tags
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.extract import answers
from rules.extract.prose import PERSONA, Said
from rules.extract.wishes import find_promises, find_stated
from rules.typingmind.dates import in_zone

_MOST_BEFORE = 1_024
"""The most messages that the engine reads before a passage: its tail, and some 150 memories."""
_MESSAGES_A_MEMORY = 6


@dataclass(frozen=True, slots=True)
class Material:
    """A passage as the engine reads it, and what was said before it.

    `besides` are the other texts of the same memory: what they say is repeated only where nothing
    else is left. The same goes for the person's standing wishes, which a memory lists separately.
    """

    stretches: tuple[tuple[Said, ...], ...]
    """The messages of the passage, grouped by memory."""
    before: tuple[Said, ...] = ()

    @property
    def passage(self) -> tuple[Said, ...]:
        """Return all messages of the passage."""
        return tuple(chain.from_iterable(self.stretches))

    @property
    def _wishes(self) -> tuple[str, ...]:
        stated = (
            find_promises(message.text) if message.role == PERSONA else find_stated(message.text)
            for message in self.passage
        )
        return tuple(
            wish.text
            for wish in chain.from_iterable(stated)
            if wish.is_sure and wish.kind != "done"
        )

    def quote(self, words: int) -> str:
        """Return the best quote of the passage, of about `words` words; empty where it has none."""
        return answers.pick_quote(self.passage, words, self.before, self._wishes)

    def perspective(self, words: int, besides: Sequence[str]) -> str:
        """Return what the persona says of itself, or the next best sentences."""
        return answers.write_perspective(
            self.passage, words, (*besides, *self._wishes), self.before
        )

    def analysis(self, words: int, besides: Sequence[str]) -> str:
        """Return what the person asked, or a line of what both sides said."""
        return answers.write_analysis(self.passage, words, (*besides, *self._wishes), self.before)

    def refinement(self, words: int, besides: Sequence[str]) -> str:
        """Return what both sides said, in paragraphs where there are several stretches."""
        return answers.in_paragraphs(self.stretches, words, (*besides, *self._wishes), self.before)


@dataclass(frozen=True, slots=True)
class RawFold:
    """The raw messages that a fold stands for, and some of those before them."""

    before: Sequence[Entry]
    passage: Sequence[Entry]
    numbers: Mapping[str, int]
    """The number of the memory that each message of the passage is under, by its key."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Return the messages as a context manager reads them."""
        return (*prompt.raw_turns(self.before), *prompt.numbered_turns(self.passage, self.numbers))

    def material(self, zone: tzinfo) -> Material:
        """Return the messages as the engine reads them; only those of the passage have a day."""
        memories = groupby(self.passage, key=lambda entry: self.numbers[entry.key])
        stretches = tuple(_said(entries, zone) for _, [*entries] in memories)
        before = tuple(replace(message, date="") for message in _said(self.before, zone))
        return Material(stretches, before)


def in_view(passage: Passage) -> Passage:
    """Return the passage without its older memories, which the engine does not read.

    With all of them, its work would grow with the square of the conversation's length.
    """
    newest = passage.memories[-(_MOST_BEFORE // _MESSAGES_A_MEMORY + 1) :]
    return replace(passage, memories=newest)


def chunk_material(passage: Passage, context: Sequence[Turn] = ()) -> Material:
    """Return a chunk with the newest turns before it in `context`, whose first is the system's."""
    before = context[1 : -len(passage.chunk)][-_MOST_BEFORE:]
    said_before = tuple(Said(turn.role, restore_tags(turn.content), "") for turn in before)
    return Material((_said(passage.chunk, passage.zone),), said_before)


def memories_told(
    memories: Sequence[Memory], zone: tzinfo, slots: slice = prompt.ANSWERS
) -> Material:
    """Return what memories tell, as words of the persona."""
    said = []
    for memory in memories:
        text = restore_tags("\n\n".join(prompt.told_texts(memory, slots)))
        said.append(Said(PERSONA, text, in_zone(memory.began_at, zone)[:10]))
    return Material((tuple(said),))


def _said(entries: Sequence[Entry], zone: tzinfo) -> tuple[Said, ...]:
    """Return messages as they were said, each with its day in the person's zone."""
    messages = [entry.message for entry in entries]
    return tuple(
        Said(
            message.speaker,
            message.text.strip() or prompt.EMPTY,
            in_zone(message.created_at, zone)[:10],
        )
        for message in messages
    )
