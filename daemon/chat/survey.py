"""What is known of a chat before the work on it: its messages, its whole history, their tokens, and the plan."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.chat.opening import ShownChat
from daemon.config import MemorySettings
from daemon.config.tables import CoreSettings, FactSettings
from daemon.models.roles import Roles
from daemon.models.tokens import Counts
from primer.prompt import closing, opening
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.layers.layout import Layout
from rules.output.assemble import Canned
from rules.plan.chat_plan import ChatPlan
from rules.plan.folds import Bounds, section, told_tokens
from rules.plan.window import Limit, TooLarge
from rules.plan.work import PlannedChunk, Round
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with all that its memory is written from."""

    chat_id: str
    number: int
    system_message: str
    memories: Sequence[Memory]
    """Those whose chunks end before the tail, the older ones folded."""
    tail: Sequence[Entry]
    chunk: Sequence[Entry]
    tokens: int
    guidance: str = ""
    """What the person says about this memory (`memproc retry --say`)."""
    breaks: Sequence[int] = ()
    """Behind how many messages of the tail a provider's cache may break off."""

    @property
    def spoken(self) -> list[str]:
        """What was said in the chunk, message by message."""
        return [entry.message.words for entry in self.chunk]


@dataclass(frozen=True, slots=True)
class Survey:
    """A chat as it stands before the work on it, and who does that work."""

    chat: Chat
    reading: ChatReading
    counts: Counts
    """Tokens of the history's messages, by content digest, and of the texts that are always the same."""
    texts: Texts
    roles: Roles
    plan: ChatPlan
    round: Round
    bounds: Bounds
    memory: MemorySettings
    facts: FactSettings
    core: CoreSettings
    layout: Layout
    """The core memory's, with the sections that memproc.toml says."""
    limit: Limit | None
    """What the agent's requests are kept under."""
    too_large: TooLarge | None
    """The first planned chunk that does not fit into the limit."""

    @property
    def shown(self) -> ShownChat:
        """The export as core memory and facts see it."""
        plan = self.plan
        places = self.reading.places
        return ShownChat(plan.chat_id, plan.title, places, self.texts, self.core, self.layout, self.facts)

    def passage(self, chunk: PlannedChunk, told: Sequence[Memory], breaks: Sequence[int] = ()) -> Passage:
        """What the memory of a chunk is written from; `told` are the memories and folds that stand before its tail.

        A provider's cache may break off before the entries that `breaks` names.

        What the person has forgotten is left out, raw messages too. What they have edited or deleted since its
        memory was made is as it is now.
        """
        forgotten = {memory.number for memory in self.reading.chunk_memories if memory.forgotten}
        entries = self.reading.entries
        tail = [entry for entry in entries[chunk.tail_start : chunk.start] if entry.memory not in forgotten]
        before = [entries[chunk.tail_start : end] for end in breaks]
        return Passage(
            chat_id=self.plan.chat_id,
            number=chunk.number,
            system_message=self.chat.system_message,
            memories=told,
            tail=as_they_are(tail),
            chunk=as_they_are(entries[chunk.start : chunk.stop]),
            tokens=chunk.tokens,
            breaks=[sum(entry.memory not in forgotten for entry in part) for part in before],
        )


def as_they_are(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The messages as they read now, without those that the person has deleted since their memory was made."""
    return tuple(
        entry if entry.newest is None else replace(entry, message=entry.newest) for entry in entries if not entry.gone
    )


def told_before(found: Survey, memories: Sequence[Memory], upto: int) -> tuple[Memory, ...]:
    """The memories and folds that stand for the first `upto` memories in a prompt, as far as folds are made."""
    by_id = {memory.memory_id: memory for memory in memories}
    view = section(found.plan.chat_id, memories, upto, found.bounds, told_tokens)
    return tuple(by_id[item.name] for item in view.standing)


def canned(texts: Texts) -> Canned:
    """The two canned messages as they stand in an export."""
    return Canned(opening(texts), closing(texts))
