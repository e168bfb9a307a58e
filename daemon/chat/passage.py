"""A chunk, all that its memory is written from, and the subject that its memory is named after."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from primer.prompt import Turn, agent_context
from primer.wording import Texts
from rules.conversation.history import Entry
from rules.conversation.memory import Memory
from rules.conversation.memory_title import TitlePair, title_pair, write_title
from rules.layers.core import NO_CORE_MEMORY, CoreMemory
from rules.layers.names import WhoIsWho, persons_names
from rules.typingmind.dates import in_zone

_UNKNOWN = WhoIsWho()


@dataclass(frozen=True, slots=True)
class Passage:
    """What the agent and the context manager are shown of a chat to write one memory."""

    chat_id: str
    number: int
    system_message: str
    memories: Sequence[Memory]
    """The memories whose chunks end before the tail, the older ones folded."""
    tail: Sequence[Entry]
    chunk: Sequence[Entry]
    tokens: int
    """Tokens of the chunk."""
    guidance: str = ""
    """The person's words about this memory (`memproc retry --say`)."""
    breaks: Sequence[int] = ()
    """Numbers of messages of the tail after which a provider's cache may break off."""
    ahead: int = 0
    """The distance by which titles run ahead of the archive's numbers."""
    dates: Sequence[str | None] = ()
    """The dates of the chunk's messages, also of those that the person has deleted since."""
    core: CoreMemory = NO_CORE_MEMORY
    """The core memory, which may tell the person's name."""
    subject: str = ""
    """Words that tell the passage from those before it; the memory's name has them."""
    zone: tzinfo = UTC
    """The zone of the person's days."""
    who: WhoIsWho = _UNKNOWN
    """What the two who speak are called, by all that was said until the chunk ends."""
    first_question: str = ""
    """That of the memory which is written again; empty for a new one."""

    def date(self, entry: Entry) -> str | None:
        """Return when a message was said, by the clocks of the person's zone; None if unknown."""
        return in_zone(entry.message.created_at, self.zone) or None

    @property
    def titles(self) -> TitlePair:
        """Return the memory's title with its days in UTC, and with those that are shown."""
        number = self.number + self.ahead
        days = [in_zone(date, self.zone)[:10] for date in self.dates]
        return title_pair(number, number, self.dates, days, self.first_question)

    def title(self, *, extracted: bool = False, with_subject: bool = True) -> str:
        """Return the name of the memory in requests, where its first question begins with it."""
        number = self.number + self.ahead
        subject = self.subject if with_subject else ""
        return write_title(number, number, self.dates, extracted=extracted, subject=subject)

    def context(self, texts: Texts) -> tuple[Turn, ...]:
        """Return the turns that the agent reads before it is asked about the chunk."""
        return agent_context(
            texts, self.system_message, self.memories, self.tail, self.chunk, self.breaks
        )

    @property
    def spoken(self) -> list[str]:
        """Return the words of the chunk, message by message."""
        return [entry.message.words for entry in self.chunk]

    @property
    def by_person(self) -> list[str]:
        """Return the words of the chunk that the person said."""
        return [entry.message.words for entry in self.chunk if entry.message.speaker == "user"]

    @property
    def by_persona(self) -> list[str]:
        """Return the words of the chunk that the persona said."""
        return [entry.message.words for entry in self.chunk if entry.message.speaker != "user"]

    @property
    def names(self) -> frozenset[str]:
        """Return the person's names, by the core memory and what both said in tail and chunk."""
        said = [entry.message for entry in (*self.tail, *self.chunk)]
        by_person = [message.words for message in said if message.speaker == "user"]
        own = [message.words for message in said if message.speaker != "user"]
        return persons_names(self.core, by_person, [self.system_message, *own])


def as_they_are(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the messages as they read now, without those that the person has deleted since."""
    return tuple(
        entry if entry.newest is None else replace(entry, message=entry.newest)
        for entry in entries
        if not entry.gone
    )
