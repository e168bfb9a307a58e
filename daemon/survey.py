"""Look at a chat: what its messages are, its whole history, their tokens, and the plan. Nothing is sent or written."""

import hashlib
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.memories import memories
from daemon.archive.messages import past
from daemon.models.tokens import Counts, count_once
from primer.prompt import closing, opening
from primer.texts import Texts
from rules.export.chat import Chat, read_messages
from rules.history.entries import Entry, history
from rules.history.marker import Marker
from rules.history.recognise import Place, memories_present, recognise
from rules.memory.memory import Memory
from rules.output.assemble import Canned
from rules.output.compose import Draft, memory_drafts
from rules.plan.chat_plan import ChatPlan, Limits, plan_chat
from rules.plan.warn import warnings


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it stands before the work on it."""

    chat: Chat
    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    counts: Counts
    """Tokens of the history's messages, by content digest, and of the texts that every call begins with."""
    plan: ChatPlan


def survey(archive: Archive, chat: Chat, texts: Texts, limits: Limits) -> Survey:
    """Read, recognise and plan one chat. Raises ChatSetAside where it cannot be processed as it is."""
    made = memories(archive, chat.chat_id)
    before = past(archive, chat.chat_id)
    digests = {old.key: old.message.digest for old in before}
    under = {memory.memory_id: {key: digests[key] for key in memory.keys} for memory in made}
    places = recognise(read_messages(chat), _ours(chat.chat_id, made, canned(texts)), under)
    memories_present(places)  # a memory that lost a message sets the chat aside before anything is asked
    entries = history(before, places)
    # What every call begins with is counted once too: the tokenizer's tables take half a second to load.
    fixed = {hashlib.sha256(text.encode()).hexdigest(): text for text in (chat.system_message, texts.primer)}
    counts = count_once(archive, fixed | {entry.message.digest: entry.message.text for entry in entries})
    tokens = [counts.all[entry.message.digest] for entry in entries]
    fixed_tokens = sum(counts.all[digest] for digest in fixed)
    plan = plan_chat(chat.chat_id, chat.title, entries, tokens, places, limits, warnings(chat, places), fixed_tokens)
    return Survey(chat, places, entries, made, counts, plan)


def canned(texts: Texts) -> Canned:
    """The two canned messages as they stand in an export."""
    return Canned(opening(texts), closing(texts))


def _ours(chat_id: str, made: tuple[Memory, ...], words: Canned) -> dict[str, Marker]:
    """The markers of all messages that we may have written into this chat, by uuid (D10, the second means)."""
    drafts = [draft for memory in made for draft in memory_drafts(memory)]
    drafts += [Draft.closing(memory.memory_id, words.closing) for memory in made]
    drafts.append(Draft.opening(chat_id, words.opening))
    return {draft.uuid: draft.marker for draft in drafts}
