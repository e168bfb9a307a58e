"""The whole trip of one export, from top to bottom: READ THIS FIRST.

    read       the file, once, with every byte in its place          files/read, rules/export
    survey     what is new in each chat, and what to compress        survey, rules/history, rules/plan
    archive    every raw message, for ever                           archive/messages
    compress   each planned chunk into a memory, one by one          compress, models/ask
    assemble   opening, memories, closing, live tail                 rules/output/assemble
    prove      no faults, or nothing is written                      rules/output/verify
    keep       the first original, and what is replaced              deliver, files/backup
    write      the updated export, in its place at once              deliver, files/write

A trip that ends early, by a fault or a kill, leaves the old output whole. What was archived and every
answer that a model has given stay, so the next trip goes on from there.
"""

from collections.abc import Iterator
from dataclasses import replace

from daemon.archive.memories import keep_memory
from daemon.archive.messages import remember
from daemon.compress import Passage, Roles, make_memory
from daemon.deliver import Ready
from daemon.files.read import Export, stand_of
from daemon.house import House, Planned, Remembered
from daemon.models.ask import ask
from daemon.models.tokens import count, keep
from daemon.survey import Survey, canned, survey
from rules.errors import ChatSetAside, FaultyOutput
from rules.export.chat import Chat
from rules.history.entries import Entry
from rules.memory.memory import EXTRACTED, Memory
from rules.output.assemble import Assembled, assemble
from rules.output.verify import Finished, verify
from rules.plan.chat_plan import LeftAlone, PlannedChunk
from rules.plan.selection import why_not


def process(house: House, export: Export, chat: Chat) -> Ready | LeftAlone:
    """Take one chat from its export to the finished, proved bytes that `deliver` puts in their place.

    Raises ChatSetAside, ModelError or FaultyOutput where this chat cannot go on, and ArchiveError where
    nothing can.
    """
    settings = house.config.chats
    if reason := why_not(chat, settings.include, settings.exclude):
        return LeftAlone(chat.chat_id, chat.title, reason)
    found = survey(house.archive, chat, house.texts, house.config.limits)
    keep(house.archive, found.counts)
    if not found.plan.chunks and not found.memories:
        return LeftAlone(chat.chat_id, chat.title, found.plan.reason)
    remember(house.archive, chat, found.places, found.entries, house.clock())
    memories = (*found.memories, *_compress(house, found))
    entries = _under_memories(found.entries, memories)
    assembled = assemble(chat, found.places, entries, memories, canned(house.texts), house.clock())
    if not assembled.changed:
        return LeftAlone(chat.chat_id, chat.title, "it is compressed already, and nothing new has left the live tail")
    _prove(found, entries, memories, assembled)
    if stand_of(export.path) != export.stand:
        raise ChatSetAside(
            f'{export.path.name} was replaced while the chat "{chat.title}" was worked on, so nothing was written.',
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )
    return Ready(chat, found.plan, memories, assembled, _tokens(house, found, entries, memories))


def _compress(house: House, found: Survey) -> Iterator[Memory]:
    """Make the planned memories, oldest first; each is kept before the next is begun."""
    roles = Roles(house.config.models.agent, house.config.models.context_manager)
    chat_id = found.plan.chat_id
    memories = list(found.memories)
    if found.plan.chunks:
        house.tell(Planned(found.plan))
    for done, chunk in enumerate(found.plan.chunks, 1):
        memory = make_memory(
            _passage(found, memories, chunk),
            roles,
            house.texts,
            lambda request: ask(house.archive, request, chat_id, house.complete, house.clock),
            count,
            house.clock(),
        )
        keep_memory(house.archive, chat_id, memory)
        memories.append(memory)
        house.tell(Remembered(found.plan, chunk.number, done, memory.edition.made == EXTRACTED))
        yield memory


def _passage(found: Survey, memories: list[Memory], chunk: PlannedChunk) -> Passage:
    return Passage(
        chat_id=found.plan.chat_id,
        number=chunk.number,
        system_message=found.chat.system_message,
        memories=memories[: chunk.memories_before],
        tail=found.entries[chunk.tail_start : chunk.start],
        chunk=found.entries[chunk.start : chunk.stop],
        tokens=chunk.tokens,
    )


def _under_memories(entries: tuple[Entry, ...], memories: tuple[Memory, ...]) -> tuple[Entry, ...]:
    """The history once more, with every message that now stands under a memory."""
    number = {key: memory.number for memory in memories for key in memory.keys}
    return tuple(replace(entry, memory=number.get(entry.key)) for entry in entries)


def _prove(found: Survey, entries: tuple[Entry, ...], memories: tuple[Memory, ...], assembled: Assembled) -> None:
    """Raise FaultyOutput, with every fault, unless the finished chat is what it must be."""
    before = found.chat.slice(found.chat.span)
    faults = verify(Finished(before, assembled.chat, found.places, entries, memories, assembled.removed))
    if faults:
        raise FaultyOutput(
            f'The finished chat "{found.plan.title}" has faults, so it was not written: {"; ".join(faults)}.',
            "The old files are as they were. This is a mistake in memproc: please report these sentences.",
        )


def _tokens(house: House, found: Survey, entries: tuple[Entry, ...], memories: tuple[Memory, ...]) -> int:
    """Tokens that TypingMind sends after the compression: memories, canned messages, live messages."""
    words = canned(house.texts)
    live = sum(found.counts.all[entry.message.digest] for entry in entries if entry.memory is None)
    return count(words.opening) + count(words.closing) + live + sum(memory.edition.tokens for memory in memories)
