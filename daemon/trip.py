"""The whole trip of one export, from top to bottom: READ THIS FIRST.

    read       the file, block by block, every byte in its place     files/read, rules/export
    rest       a chat that is as it was, and had nothing to do       resting
    survey     what is new, what the person did, what to compress    survey, reading, rules/history, rules/plan
    archive    every raw message, for ever                           archive/messages
    take over  what the person edited in the opening message         layers/taking_over
    compress   each planned chunk into a memory, one by one          compress, remembering, models/ask
    layers     core memory and facts, after each memory              layers, remembering/core, remembering/facts
    fold       the oldest memories, where there are too many         section, rules/plan/fold
    assemble   opening, memories, closing, live tail                 rules/output/arrange, assemble
    prove      no faults, or nothing is written                      rules/output/verify
    keep       the first original, and what is replaced              deliver, files/backup
    write      the updated export, in its place at once              deliver, files/write

A trip that ends early, by a fault or a kill, leaves the old output whole. What was archived and every
answer that a model has given stay, so the next trip goes on from there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from daemon.archive.archive import Archive, damage_behind
from daemon.archive.chat_states import record_doubt, record_processed, was_processed
from daemon.archive.chats import Rest, seen_again
from daemon.archive.exports import keep_parts, known_parts, record_export
from daemon.archive.messages import MessageCounts, remember
from daemon.archive.outputs import acknowledge, last_output
from daemon.chat.deliver import Ready, deliver, in_new_chat, mode_for, place_of, stand_already
from daemon.chat.opening import keep_written, opening_place, opening_text, read
from daemon.chat.resting import AtRest, at_rest, keep_at_rest, noting, rest_after
from daemon.chat.survey import Survey, canned, survey
from daemon.config import Config
from daemon.context import House, Notice, UserEdits, Written
from daemon.files.packed import sha256_of
from daemon.files.read import Export, fingerprint_of, read_export
from daemon.models.ask import Unsent
from daemon.models.prices import price_of
from daemon.models.tokens import count, keep
from daemon.recovery.restore import held_back
from daemon.remember.taking_over import take_over
from daemon.remember.work import compress
from daemon.status.unforeseen import account
from rules.conversation.history import Entry
from rules.conversation.marker import text_digest
from rules.conversation.memory import Memory
from rules.errors import (
    ArchiveError,
    ChatSetAside,
    DamagedChat,
    FaultyOutput,
    FileTrouble,
    MemprocError,
    NotAccepted,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
)
from rules.output.arrange import Canned, Section
from rules.output.assemble import Assembled, Mode, assemble
from rules.output.prove import Finished, verify
from rules.plan.chat_plan import LeftAlone
from rules.plan.folds import over_budget, shown_tokens, standing
from rules.plan.folds import section as memory_section
from rules.recognize.reading import user_edits
from rules.typingmind.chat import Chat
from rules.typingmind.document import twice
from rules.typingmind.warnings import refuse_doubled, why_not

_COMPRESSED = "it is compressed already, and nothing new has left the live tail"


def process(house: House, export: Export, chat: Chat) -> Ready | LeftAlone | AtRest:
    """Take one chat from its export to the finished, proved bytes that `deliver` puts in their place.

    Raises ChatSetAside, ModelError or FaultyOutput where this chat cannot go on, and ArchiveError, OverBudget or
    ProviderRefuses where nothing can.
    """
    config = house.config.of(chat)
    if reason := why_not(chat, config.chats.include, config.chats.exclude):
        return LeftAlone(chat.chat_id, chat.title, reason)
    if reason := held_back(house.archive, chat, export):
        return LeftAlone(chat.chat_id, chat.title, reason)
    if resting := at_rest(house.archive, chat, config, house.key, house.clock()):
        return resting
    keys: dict[str, str] = {}
    found = survey(house.archive, chat, config, noting(house.key, keys), house.clock())
    keep(house.archive, found.counts)
    if not found.plan.chunks and not found.reading.memories:
        return _left_alone(house, chat, found.plan.reason, rest_after(found, config, keys, house.clock()))
    _refuse_unaskable(found, config)
    remembered = _remember(house, export, found)
    taken = take_over(house.archive, found.shown, house.clock())
    if taken.notice:
        house.tell(Notice(taken.notice))
    memories, shown = compress(house, found)
    done = _assembled(house.archive, found, config, memories, shown, house.clock())
    entries, words, assembled = done.entries, done.words, done.assembled
    if not assembled.changed and (found.reading.hand.is_news or taken.is_news):
        acknowledge(house.archive, chat.chat_id, assembled.ours_sha256)
    rest = rest_after(found, config, keys, house.clock(), remembered)
    too_many = over_budget(standing(shown, shown_tokens), found.bounds)
    if not assembled.changed and not _stands_otherwise(house.archive, chat, assembled):
        reason = "; ".join(filter(None, (_COMPRESSED, too_many)))
        return _left_alone(house, chat, reason, rest)
    keep_written(house.archive, found.shown, words.opening, house.clock())
    _prove(found, entries, done.section, words, assembled)
    if fingerprint_of(export.path) != export.fingerprint:
        raise ChatSetAside(
            f'{export.path.name} was replaced while the chat "{chat.title}" was worked on, so nothing was written.',
            "Run memproc again: every answer of a model is kept, and not asked for again.",
        )
    tokens = _tokens(words, found, entries, shown)
    ready = Ready(chat, found.plan, shown, assembled, tokens, chat.chat_id, chat.title, rest, too_many)
    return in_new_chat(house, ready) if done.mode == "new-chat" else ready


def is_written_anew(archive: Archive, found: Survey, config: Config, now: str) -> bool:
    """Whether `process` writes the chat though nothing is asked for: what it says of memories or facts has changed.

    Where the person has edited the opening, that is taken over first, and nobody can say it beforehand.
    """
    plan, hand = found.plan, found.reading.hand
    view = memory_section(plan.chat_id, found.reading.memories, plan.memories, found.bounds, shown_tokens)
    opening = opening_place(found.shown)
    is_edited = opening is not None and opening.ours and opening.ours.text != text_digest(opening.message.text)
    if plan.calls or view.wanted or is_edited or not found.reading.memories:
        return False
    by_id = {memory.memory_id: memory for memory in found.reading.memories}
    shown = tuple(by_id[item.name] for item in view.standing)
    done = _assembled(archive, found, config, found.reading.memories, shown, now).assembled
    if not done.changed and (hand.is_news or not _stands_otherwise(archive, found.chat, done)):
        return False
    last = last_output(archive, plan.chat_id)
    stands = last is not None and last.messages_sha256 == done.messages_sha256
    return not stands or last is None or sha256_of(Path(last.path)) != last.sha256


@dataclass(frozen=True, slots=True)
class _Done:
    """A finished chat that is not proved yet, and what it was made of."""

    entries: tuple[Entry, ...]
    section: Section
    words: Canned
    mode: Mode
    assembled: Assembled


def _assembled(
    archive: Archive, found: Survey, config: Config, memories: tuple[Memory, ...], shown: tuple[Memory, ...], now: str
) -> _Done:
    chat, places = found.chat, found.reading.places
    entries = _under_memories(found.reading.entries, memories)
    section = Section(memories, shown, found.reading.hand.touched)
    words = _words(archive, found)
    mode = mode_for(archive, config.output.mode, chat.chat_id, places)
    return _Done(entries, section, words, mode, assemble(chat, places, entries, section, words, now, mode))


def _remember(house: House, export: Export, found: Survey) -> MessageCounts:
    """Keep what the export holds, and tell what the person did, where this state of the chat is new."""
    chat, now = found.chat, house.clock()
    is_new = not was_processed(house.archive, chat.chat_id, chat.sha256)
    with house.archive.transaction():
        remembered = remember(house.archive, chat, found.reading, now)
        record_processed(house.archive, chat.chat_id, chat.sha256, export.sha256, export.fingerprint.modified_ns, now)
    if is_new and (text := user_edits(found.reading)):
        house.tell(UserEdits(chat.chat_id, chat.title, text))
    return remembered


def _words(archive: Archive, found: Survey) -> Canned:
    """The canned messages; the opening with core memory and facts as they are now."""
    plain = canned(found.texts)
    text = opening_text(archive, found.shown)
    return replace(plain, opening=text, has_layers=read(found.shown, text).headed)


def _left_alone(house: House, chat: Chat, reason: str, rest: Rest | None) -> LeftAlone:
    keep_at_rest(house.archive, chat.chat_id, rest, reason)
    return LeftAlone(chat.chat_id, chat.title, reason)


def _refuse_unaskable(found: Survey, config: Config) -> None:
    """Raise ChatSetAside where a chunk does not fit the agent's window, UnknownPrice where one is not known."""
    if found.too_large:
        raise ChatSetAside(f'"{found.plan.title}": {found.too_large.reason}', found.too_large.next_step)
    if found.plan.calls:
        for model in found.roles.all:
            price_of(model, config.budget)


def _stands_otherwise(archive: Archive, chat: Chat, assembled: Assembled) -> bool:
    """Whether the updated export says other things of ours than this export does, which is as it should be.

    That happens where a setting or the person's choice was changed and changed back, and the same export came twice.
    """
    last = last_output(archive, chat.chat_id)
    return last is not None and last.ours_sha256 not in ("", assembled.ours_sha256)


def _under_memories(entries: tuple[Entry, ...], memories: tuple[Memory, ...]) -> tuple[Entry, ...]:
    """The history once more, with every message that now stands under a memory."""
    number = {key: memory.number for memory in memories if not memory.is_fold for key in memory.keys}
    return tuple(replace(entry, memory=number.get(entry.key)) for entry in entries)


def _prove(found: Survey, entries: tuple[Entry, ...], section: Section, words: Canned, assembled: Assembled) -> None:
    """Raise FaultyOutput, with every fault, unless the finished chat is what it must be."""
    faults = verify(
        Finished(found.chat, assembled.chat, found.reading.places, entries, section, assembled.removed, words.opening)
    )
    if faults:
        raise FaultyOutput(
            f'The finished chat "{found.plan.title}" has faults, so it was not written: {"; ".join(faults)}.',
            "The old files are as they were. This is a mistake in memproc: please report these sentences.",
        )


def _tokens(words: Canned, found: Survey, entries: tuple[Entry, ...], shown: tuple[Memory, ...]) -> int:
    """Tokens that TypingMind sends after the compression: memories, canned messages, live messages."""
    live = sum(found.counts.all[entry.message.digest] for entry in entries if entry.memory is None)
    return count(words.opening) + count(words.closing) + live + sum(memory.edition.tokens for memory in shown)


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file, or a chat in it, that could not be processed; everything of it is as it was."""

    what: str
    reason: str
    next_step: str
    later: bool = False
    """Nothing is wrong with it: a disk was full, or a provider out of reach. Another time it may go well."""
    chat_id: str = ""
    """Empty for a file, and for a chat without one."""


def set_aside(archive: Archive, what: str, fault: Exception, chat_id: str = "") -> SetAside:
    """What is told of a file or a chat in which something went wrong, foreseen or not, so that the rest goes on.

    Raises the fault again where nothing can go on: the archive cannot be used, the money or the memory is used up, a
    provider refuses, the work is to end, or nobody is left to be told.
    """
    if isinstance(fault, _FATAL) and not isinstance(fault, DamagedChat):
        raise fault
    fault = damage_behind(archive, fault) or fault
    told = (fault.message, fault.next_step) if isinstance(fault, MemprocError) else account(fault)
    return SetAside(what, *told, later=isinstance(fault, _PASSING), chat_id=chat_id)


def without_chats(export: Export) -> SetAside:
    """An export that holds nothing to work on."""
    name = export.path.name
    return SetAside(name, f"{name} is an export without any chats.", "Choose the chats when you export.")


Outcome = Written | LeftAlone | SetAside
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, Unsent, MemoryError, BrokenPipeError)
_PASSING = (FileTrouble, OSError, OutOfReach)


def go_round(house: House, paths: Sequence[Path]) -> Iterator[Outcome]:
    """Process every export, and tell what became of each chat.

    Raises what `set_aside` does not take: nothing can go on then.
    """
    for path in paths:
        try:
            yield from _file(house, path)
        except Exception as fault:
            yield set_aside(house.archive, path.name, fault)


def _file(house: House, path: Path) -> Iterator[Outcome]:
    export = read_export(path, partial(known_parts, house.archive))
    keep_parts(house.archive, export)
    record_export(house.archive, export.sha256, str(path), export.fingerprint.size, house.clock())
    if not export.chat_ids:
        yield without_chats(export)
    one_by_one = house.config.output.container == "chat"
    doubled = twice(export.chat_ids)
    ready: list[Ready] = []
    resting: list[str] = []
    for chat in export.chats():
        outcome = _chat(house, export, chat, doubled)
        if isinstance(outcome, AtRest):
            resting.append(chat.chat_id)
            yield LeftAlone(chat.chat_id, chat.title, outcome.reason)
        elif not isinstance(outcome, Ready):
            yield outcome
        elif one_by_one:
            yield from _delivered(house, export, [outcome])
        else:
            ready.append(outcome)
    seen_again(house.archive, resting, house.clock())
    if ready:
        yield from _delivered(house, export, ready)


def _chat(house: House, export: Export, chat: Chat, doubled: frozenset[str]) -> Ready | LeftAlone | AtRest | SetAside:
    try:
        refuse_doubled(chat, doubled)
        return process(house, export, chat)
    except Exception as fault:
        if isinstance(fault, NotAccepted):
            record_doubt(house.archive, chat.chat_id, fault.sha256, export.sha256, fault.message, house.clock())
        return set_aside(house.archive, chat.title, fault, chat.text_field("chatID"))


def _delivered(house: House, export: Export, chats: Sequence[Ready]) -> Sequence[Outcome]:
    """Write them, unless every one of them stands in its updated file already."""
    try:
        if stand_already(house, export, chats):
            return [_unchanged(house, export, chats, ready) for ready in chats]
        return deliver(house, export, chats)
    except Exception as fault:
        return [set_aside(house.archive, ", ".join(ready.plan.title for ready in chats), fault)]


def _unchanged(house: House, export: Export, chats: Sequence[Ready], ready: Ready) -> LeftAlone:
    reason = "; ".join(filter(None, ("its updated export is in its place already", ready.over_budget)))
    keep_at_rest(house.archive, ready.plan.chat_id, ready.rest, reason, place_of(house, export, chats))
    return LeftAlone(ready.plan.chat_id, ready.plan.title, reason)
