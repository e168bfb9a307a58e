"""Look at a chat: what its messages are, its whole history, their tokens, and the plan. Nothing is sent or written."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.memories import memories
from daemon.archive.messages import past
from daemon.models.tokens import count, count_known
from primer.prompt import closing, opening
from primer.texts import Texts
from rules.assemble import Canned
from rules.chat import Chat, read_messages
from rules.compose import Draft, memory_drafts
from rules.history import Entry, history
from rules.marker import Marker
from rules.memory import Memory
from rules.plan import ChatPlan, Limits, plan_chat
from rules.recognise import Place, recognise
from rules.warn import warnings


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it stands before the work on it."""

    chat: Chat
    places: tuple[Place, ...]
    entries: tuple[Entry, ...]
    memories: tuple[Memory, ...]
    counts: Mapping[str, int]
    """Tokens of the history's messages, by content digest."""
    plan: ChatPlan


def survey(archive: Archive, chat: Chat, texts: Texts, limits: Limits) -> Survey:
    """Read, recognise and plan one chat. Raises ChatSetAside where it cannot be processed as it is."""
    made = memories(archive, chat.chat_id)
    places = recognise(read_messages(chat), _ours(chat.chat_id, made, canned(texts)))
    entries = history(past(archive, chat.chat_id), places)
    counts = count_known(archive, {entry.message.digest: entry.message.text for entry in entries})
    tokens = [counts[entry.message.digest] for entry in entries]
    fixed = count(chat.system_message) + count(texts.primer)
    plan = plan_chat(chat.chat_id, chat.title, entries, tokens, places, limits, warnings(chat, places), fixed)
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
