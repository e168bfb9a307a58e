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
"""Messages before a passage that the engine has in view: its tail, and some 150 memories."""
_MESSAGES_A_MEMORY = 6


@dataclass(frozen=True, slots=True)
class Material:
    """A passage, and what was said before it.

    `besides` are the other texts of the same memory: what they say is not said again, unless
    nothing else is left. The person's standing wishes, which a memory has apart, are among them.
    """

    stretches: tuple[tuple[Said, ...], ...]
    """The messages of the passage, those of each memory apart."""
    before: tuple[Said, ...] = ()

    @property
    def passage(self) -> tuple[Said, ...]:
        """Return all messages of the passage."""
        return tuple(chain.from_iterable(self.stretches))

    @property
    def _wishes(self) -> tuple[str, ...]:
        stated = (
            find_promises(said.text) if said.role == PERSONA else find_stated(said.text)
            for said in self.passage
        )
        return tuple(
            each.text
            for each in chain.from_iterable(stated)
            if each.is_sure and each.kind != "done"
        )

    def quote(self, words: int) -> str:
        """Return what the passage is best quoted by; empty where nothing can be quoted."""
        return answers.quote(self.passage, words, self.before, self._wishes)

    def perspective(self, words: int, besides: Sequence[str]) -> str:
        """Return what the persona says of itself, or the next best."""
        return answers.perspective(self.passage, words, (*besides, *self._wishes), self.before)

    def analysis(self, words: int, besides: Sequence[str]) -> str:
        """Return what the person asked, or a line of what both sides said."""
        return answers.analysis(self.passage, words, (*besides, *self._wishes), self.before)

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
        """Return them as a context manager reads them."""
        return (*prompt.raw_turns(self.before), *prompt.numbered_turns(self.passage, self.numbers))

    def material(self, zone: tzinfo) -> Material:
        """Return them as the engine reads them; only those of the passage have a day."""
        memories = groupby(self.passage, key=lambda entry: self.numbers[entry.key])
        stretches = tuple(_said(entries, zone) for _, [*entries] in memories)
        before = tuple(replace(message, date="") for message in _said(self.before, zone))
        return Material(stretches, before)


def in_view(passage: Passage) -> Passage:
    """Return the passage without the memories of long ago, which the engine does not read.

    With all of them, its work would grow with the square of a conversation.
    """
    newest = passage.memories[-(_MOST_BEFORE // _MESSAGES_A_MEMORY + 1) :]
    return replace(passage, memories=newest)


def chunk_material(passage: Passage, context: Sequence[Turn] = ()) -> Material:
    """Return a chunk with the newest of what is before it in a context, but for the system's part."""
    before = context[1 : -len(passage.chunk)][-_MOST_BEFORE:]
    said_before = tuple(Said(turn.role, restore_tags(turn.content), "") for turn in before)
    return Material((_said(passage.chunk, passage.zone),), said_before)


def memories_told(
    memories: Sequence[Memory], zone: tzinfo, slots: slice = prompt.ANSWERS
) -> Material:
    """Return what memories tell, as words of the persona."""
    told = []
    for memory in memories:
        text = restore_tags("\n\n".join(prompt.told_texts(memory, slots)))
        told.append(Said(PERSONA, text, in_zone(memory.began_at, zone)[:10]))
    return Material((tuple(told),))


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
