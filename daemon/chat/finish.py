"""Finish a chat: assemble it from what stays and what was made, and prove it. Nothing is written here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import Rest, is_known
from daemon.archive.outputs import last_output, was_written
from daemon.chat.opening import opening_text, read
from daemon.chat.survey import Survey, canned
from daemon.config import Config
from daemon.models.tokens import count, digest_of
from rules.conversation.history import Entry
from rules.conversation.memory import EXTRACTED, Memory
from rules.errors import FaultyOutput
from rules.output.arrange import Canned, MemorySection
from rules.output.assemble import Assembled, Mode, assemble
from rules.output.naming import file_name
from rules.output.prove import Finished, verify
from rules.plan.chat_plan import ChatPlan
from rules.plan.section import over_budget, shown_tokens, standing
from rules.recognize.recognize import Place
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat
from rules.typingmind.copies import as_new_chat, memories_title, new_chat_id


@dataclass(frozen=True, slots=True)
class Assembly:
    """A chat that is assembled, not proved yet, and what it was assembled from."""

    entries: tuple[Entry, ...]
    """The history, each message with the memory that it stands under now."""
    section: MemorySection
    words: Canned
    mode: Mode
    assembled: Assembled


@dataclass(frozen=True, slots=True)
class ReadyChat:
    """A chat that is finished and proved, with what its file and its outcome need."""

    chat: Chat
    plan: ChatPlan
    memories: tuple[Memory, ...]
    """The memories and folds that it shows."""
    assembled: Assembled
    tokens_after: int
    chat_id: str
    """Its own id, or that of the new chat that its memories go into."""
    title: str
    over_budget: str
    """That its memories take more than `fold.budget`, and why, as half a sentence; empty where they do not."""
    rest: Rest | None = None
    """Kept where the updated export is in its place already."""

    @property
    def extracted(self) -> int:
        """How many of the memories the built-in engine wrote, and nobody has rewritten since."""
        editions = [memory.edition for memory in self.memories]
        return sum(edition.made == EXTRACTED and edition.kind != "person" for edition in editions)


def assemble_chat(
    archive: Archive, found: Survey, config: Config, memories: Sequence[Memory], shown: Sequence[Memory], now: str
) -> Assembly:
    """Put `shown` in the place of what they stand for; `memories` are all that the chat has, `config` is the chat's."""
    chat, places = found.chat, found.reading.places
    number = {key: memory.number for memory in memories if not memory.is_fold for key in memory.keys}
    entries = tuple(replace(entry, memory=number.get(entry.key)) for entry in found.reading.entries)
    section = MemorySection(memories, shown, found.reading.edits.touched)
    opening = opening_text(archive, found.shown)
    words = replace(canned(found.texts), opening=opening, has_layers=read(found.shown, opening).headed)
    mode = _mode(archive, config.output.mode, chat.chat_id, places)
    assembled = assemble(chat, places, entries, section, words, now, mode)
    return Assembly(entries, section, words, mode, assembled)


def _mode(archive: Archive, configured: Mode, chat_id: str, places: Sequence[Place]) -> Mode:
    """`output.mode`; but a chat that holds memories, or was written by memproc, goes on in its own place."""
    goes_on = groups(places) or _was_written(archive, chat_id)
    return "replace" if configured == "new-chat" and goes_on else configured


def is_in_export(archive: Archive, assembly: Assembly, chat_id: str) -> bool:
    """Whether the export itself is the finished chat already, and the updated export does not say something else.

    It says something else where a setting or a choice was changed and changed back, and the same export came twice.
    """
    last = last_output(archive, chat_id)
    return not assembly.assembled.changed and (last is None or last.ours_sha256 in ("", assembly.assembled.ours_sha256))


def prove(found: Survey, assembly: Assembly) -> None:
    """Raise FaultyOutput, with every fault, unless the finished chat is what it must be."""
    assembled, words = assembly.assembled, assembly.words
    faults = verify(
        Finished(
            before=found.chat,
            after=assembled.chat,
            places=found.reading.places,
            entries=assembly.entries,
            section=assembly.section,
            removed=assembled.removed,
            opening=words.opening,
        )
    )
    if faults:
        raise FaultyOutput(
            f'The finished chat "{found.plan.title}" has faults, so it was not written: {"; ".join(faults)}.',
            "The old files are as they were. This is a mistake in memproc: please report these sentences.",
        )


def ready_chat(archive: Archive, found: Survey, assembly: Assembly, rest: Rest | None, now: str) -> ReadyChat:
    """The chat as it goes out, under an id of its own where its memories go into a new chat."""
    shown = tuple(assembly.section.shown)
    ready = ReadyChat(
        chat=found.chat,
        plan=found.plan,
        memories=shown,
        assembled=assembly.assembled,
        tokens_after=_tokens_after(found, assembly),
        chat_id=found.chat.chat_id,
        title=found.chat.title,
        over_budget=memories_over_budget(found, shown),
        rest=rest,
    )
    return _in_new_chat(archive, ready, now) if assembly.mode == "new-chat" else ready


def memories_over_budget(found: Survey, shown: Sequence[Memory]) -> str:
    """That these memories take more than `fold.budget`, and why, as half a sentence; empty where they do not."""
    return over_budget(standing(shown, shown_tokens), found.bounds)


def _tokens_after(found: Survey, assembly: Assembly) -> int:
    """Tokens that TypingMind sends from now on: memories, canned messages, live messages."""
    live = sum(found.counts.all[entry.message.digest] for entry in assembly.entries if entry.memory is None)
    # Most often the survey has counted them: the tokenizer's tables take a quarter of a second to load.
    words = (assembly.words.opening, assembly.words.closing)
    canned_tokens = sum(found.counts.all.get(digest_of(text)) or count(text) for text in words)
    return canned_tokens + live + sum(memory.edition.tokens for memory in assembly.section.shown)


def _in_new_chat(archive: Archive, ready: ReadyChat, now: str) -> ReadyChat:
    """The same chat under a new id, never one in which the person may talk on already.

    Where nothing is different from what was written before, the id stays, so that nothing is written twice.
    """
    old, title = ready.plan.chat_id, memories_title(ready.plan.title)
    last = last_output(archive, old)
    same = Path(last.path).name if last and ready.assembled.has_messages_of(last.messages_sha256) else None
    new_ids = (new_chat_id(old, number) for number in numbers(1))
    chat_id = next(new for new in new_ids if file_name(title, new) == same or _is_free(archive, new))
    chat = as_new_chat(ready.assembled.chat, chat_id, title, now)
    return replace(ready, assembled=replace(ready.assembled, chat=chat), chat_id=chat_id, title=title)


def _is_free(archive: Archive, chat_id: str) -> bool:
    """Whether no chat of this id was ever read, and none written, which the person may have imported since."""
    return not is_known(archive, chat_id) and not _was_written(archive, chat_id)


def _was_written(archive: Archive, chat_id: str) -> bool:
    """Whether an updated export was ever written under this id, whatever the chat's title was then."""
    return was_written(archive, file_name("A", chat_id).removeprefix("A "))
