"""The whole trip of one export, from top to bottom: READ THIS FIRST.

    read       the file, once, with every byte in its place          files/read, rules/export
    survey     what is new in each chat, and what to compress        survey, rules/history, rules/plan
    archive    every raw message, for ever                           archive/messages
    compress   each planned chunk into a memory, one by one          remembering, models/ask
    assemble   opening, memories, closing, live tail                 rules/output/assemble
    prove      no faults, or nothing is written                      rules/output/verify
    keep       the first original, and what is replaced              deliver, files/backup
    write      the updated export, in its place at once              deliver, files/write

A trip that ends early, by a fault or a kill, leaves the old output whole. What was archived and every
answer that a model has given stay, so the next trip goes on from there.
"""

from dataclasses import replace

from daemon.archive.memories import keep_edition, keep_memory, next_edition
from daemon.archive.messages import remember
from daemon.archive.notices import is_news
from daemon.deliver import Ready
from daemon.files.read import Export, stand_of
from daemon.house import House, Notice, Planned, Remembered
from daemon.models.tokens import count, keep
from daemon.remembering.asking import desk_for
from daemon.remembering.compress import make_memory
from daemon.survey import Survey, canned, survey
from rules.errors import ChatSetAside, FaultyOutput
from rules.export.chat import Chat
from rules.history.entries import Entry
from rules.memory.memory import EXTRACTED, Memory
from rules.output.assemble import Assembled, Canned, assemble
from rules.output.verify import Finished, verify
from rules.plan.chat_plan import LeftAlone
from rules.plan.selection import why_not


def process(house: House, export: Export, chat: Chat) -> Ready | LeftAlone:
    """Take one chat from its export to the finished, proved bytes that `deliver` puts in their place.

    Raises ChatSetAside, ModelError or FaultyOutput where this chat cannot go on, and ArchiveError where
    nothing can.
    """
    config = house.config.of(chat)
    if reason := why_not(chat, config.chats.include, config.chats.exclude):
        return LeftAlone(chat.chat_id, chat.title, reason)
    found = survey(house.archive, chat, config, house.key, house.today())
    keep(house.archive, found.counts)
    if not found.plan.chunks and not found.memories:
        return LeftAlone(chat.chat_id, chat.title, found.plan.reason)
    if found.too_large:
        raise ChatSetAside(f'"{chat.title}": {found.too_large.reason}', found.too_large.next_step)
    remember(house.archive, chat, found.places, found.entries, house.clock())
    memories = _compress(house, found)
    entries = _under_memories(found.entries, memories)
    words = canned(found.texts)
    assembled = assemble(chat, found.places, entries, memories, words, house.clock())
    if not assembled.changed:
        return LeftAlone(chat.chat_id, chat.title, "it is compressed already, and nothing new has left the live tail")
    _prove(found, entries, memories, assembled)
    if stand_of(export.path) != export.stand:
        raise ChatSetAside(
            f'{export.path.name} was replaced while the chat "{chat.title}" was worked on, so nothing was written.',
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )
    return Ready(chat, found.plan, memories, assembled, _tokens(words, found, entries, memories))


def _compress(house: House, found: Survey) -> tuple[Memory, ...]:
    """Make the planned memories, oldest first; each is kept before the next is begun."""
    plan = found.plan
    memories = list(found.memories)
    _tell_once(house, found)
    if plan.work:
        house.tell(Planned(plan))
    for done, chunk in enumerate(plan.work, 1):
        before = memories[chunk.number - 1] if chunk in plan.again else None
        edition = next_edition(house.archive, before.memory_id) if before else 1
        desk = desk_for(house, found, chunk)
        memory = make_memory(desk, found.passage(chunk, memories), found.roles, count, house.clock(), edition)
        if before is None:
            keep_memory(house.archive, plan.chat_id, memory)
            memories.append(memory)
        elif memory.edition.made != EXTRACTED:
            keep_edition(house.archive, memory)
            memories[chunk.number - 1] = memory
        house.tell(Remembered(plan, chunk.number, done, memory.edition.made == EXTRACTED))
    return tuple(memories)


def _tell_once(house: House, found: Survey) -> None:
    for notice in found.roles.notices:
        if is_news(house.archive, notice, house.clock()):
            house.tell(Notice(notice))


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


def _tokens(words: Canned, found: Survey, entries: tuple[Entry, ...], memories: tuple[Memory, ...]) -> int:
    """Tokens that TypingMind sends after the compression: memories, canned messages, live messages."""
    live = sum(found.counts.all[entry.message.digest] for entry in entries if entry.memory is None)
    return count(words.opening) + count(words.closing) + live + sum(memory.edition.tokens for memory in memories)
