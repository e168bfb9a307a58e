"""Look at a chat: what its messages are, its whole history, their tokens, and the plan. Nothing is sent or written."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from daemon.archive.archive import Archive
from daemon.archive.memories import editions, memories
from daemon.archive.messages import past
from daemon.config import Config
from daemon.models.roles import FindKey, Roles, choose_roles
from daemon.models.tokens import Counts, count_once
from daemon.remembering.again import worth_asking
from daemon.remembering.dialogue import Passage
from daemon.texts import load_texts
from primer.models import token_factor
from primer.prompt import closing, opening
from primer.texts import Texts
from rules.export.chat import Chat, read_messages
from rules.history.edited import edited_memories
from rules.history.entries import Entry, history
from rules.history.marker import Marker
from rules.history.recognise import Place, memories_present, recognise
from rules.memory.memory import Memory
from rules.output.assemble import Canned
from rules.output.compose import Draft, memory_drafts
from rules.plan.chat_plan import ChatPlan, PlannedChunk, plan_chat
from rules.plan.warn import warnings
from rules.plan.window import TooLarge, too_large


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it stands before the work on it, and who does that work."""

    chat: Chat
    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    counts: Counts
    """Tokens of the history's messages, by content digest, and of the texts that every call begins with."""
    texts: Texts
    roles: Roles
    plan: ChatPlan
    too_large: TooLarge | None
    """The first planned chunk that does not fit the agent's window."""

    def passage(self, chunk: PlannedChunk, memories: Sequence[Memory]) -> Passage:
        """What the memory of a chunk is written from; `memories` are all that there are by now."""
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=memories[: chunk.memories_before],
            tail=self.entries[chunk.tail_start : chunk.start],
            chunk=self.entries[chunk.start : chunk.stop],
            tokens=chunk.tokens,
        )


def survey(archive: Archive, chat: Chat, config: Config, key: FindKey, today: date) -> Survey:
    """Read, recognise and plan one chat; `config` is the one that counts for this chat.

    Raises ChatSetAside where it cannot be processed as it is, ConfigurationError where its texts cannot be used.
    """
    texts = load_texts(config.texts.path)
    made = memories(archive, chat.chat_id)
    before = past(archive, chat.chat_id)
    digests = {old.key: old.message.digest for old in before}
    under = {memory.memory_id: {key: digests[key] for key in memory.keys} for memory in made}
    places = recognise(read_messages(chat), _ours(archive, chat.chat_id, made, canned(texts)), under)
    memories_present(places)  # a memory that lost a message sets the chat aside before anything is asked
    entries = history(before, places)
    # What every call begins with is counted once too: the tokenizer's tables take half a second to load.
    fixed = {hashlib.sha256(text.encode()).hexdigest(): text for text in (chat.system_message, texts.primer)}
    counts = count_once(archive, fixed | {entry.message.digest: entry.message.text for entry in entries})
    tokens = [counts.all[entry.message.digest] for entry in entries]
    fixed_tokens = sum(counts.all[digest] for digest in fixed)
    noted = warnings(chat, places)
    plan = plan_chat(chat.chat_id, chat.title, entries, tokens, places, config.limits, noted, fixed_tokens)
    roles = choose_roles(chat, [entry.message for entry in entries], config.models, key, today)
    found = Survey(chat, places, entries, made, counts, texts, roles, plan, None)
    plan = plan.with_again(_again(archive, found))
    return replace(found, plan=plan, too_large=_too_large(plan, roles))


def _again(archive: Archive, found: Survey) -> frozenset[int]:
    """Numbers of the extracted memories that a model can be asked for now; never of one that the person edited."""
    pinned = edited_memories(found.places)
    made = [(chunk, memory) for chunk, memory in zip(found.plan.made, found.memories, strict=True)]
    free = [(found.passage(chunk, found.memories), memory) for chunk, memory in made if memory.memory_id not in pinned]
    passages, free_memories = [passage for passage, _ in free], [memory for _, memory in free]
    return frozenset(worth_asking(archive, passages, free_memories, found.roles, found.texts))


def _too_large(plan: ChatPlan, roles: Roles) -> TooLarge | None:
    factor = token_factor(roles.agent.name)
    each = (too_large(chunk, plan.fixed_tokens, factor, roles.window) for chunk in plan.work)
    return next((found for found in each if found is not None), None)


def canned(texts: Texts) -> Canned:
    """The two canned messages as they stand in an export."""
    return Canned(opening(texts), closing(texts))


def _ours(archive: Archive, chat_id: str, made: tuple[Memory, ...], words: Canned) -> dict[str, Marker]:
    """The markers of all messages that we may have written into this chat, by uuid (D10, the second means)."""
    every = [replace(memory, edition=one) for memory in made for one in editions(archive, memory.memory_id)]
    drafts = [draft for memory in every for draft in memory_drafts(memory)]
    drafts += [Draft.closing(memory.memory_id, words.closing) for memory in made]
    drafts.append(Draft.opening(chat_id, words.opening))
    return {draft.uuid: draft.marker for draft in drafts}
