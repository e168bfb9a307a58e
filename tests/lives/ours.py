"""Which messages of a chat are memproc's own: by what they say, without any look at their markers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.chats import Json
from tests.lives.opening import is_tagged
from tests.lives.witness import Account, Edition, Six
from tests.typingmind.texts import text_of

SLOTS = 6


@dataclass(frozen=True)
class Ours:
    """The texts by which they are known."""

    closing: str
    openings: frozenset[str]
    """What the person has made of openings; as memproc writes them, they are known by their tag."""
    memories: frozenset[str]
    """The texts of all editions, and whatever the person has made of them, but for those that are ambiguous."""
    touched_up: frozenset[str]
    """Those that the person has written."""
    ambiguous: frozenset[str]
    """Those that were said in the conversation as well: a short message is quoted as a whole."""
    archive: Mapping[str, Account]

    def where(self, messages: Sequence[Json]) -> frozenset[int]:
        """The indices of the messages that are ours."""
        found = {
            at
            for at, message in enumerate(messages)
            if said(message) in self.memories or self.is_canned(message)
        }
        rows = (range(at, at + SLOTS) for at, _ in groups(messages, self.archive))
        found |= {at for row in rows for at in row if said(messages[at]) in self.ambiguous}
        return frozenset(found)

    def is_canned(self, message: Json) -> bool:
        """It is an opening or a closing."""
        return said(message) == self.closing or self.is_opening(message)

    def is_opening(self, message: Json) -> bool:
        """It is an announcement in its tag, or what the person has made of one."""
        return is_tagged(said(message)) or said(message) in self.openings

    def opening_of(self, messages: Sequence[Json]) -> int | None:
        """Where the opening stands: before the first memory."""
        found = groups(messages, self.archive)
        at = found[0][0] - 1 if found else -1
        return (
            at
            if at >= 0 and self.is_opening(messages[at]) and said(messages[at]) != self.closing
            else None
        )

    def others(self, messages: Sequence[Json]) -> list[Json]:
        """The messages that are the conversation's."""
        where = self.where(messages)
        return [message for at, message in enumerate(messages) if at not in where]


def said(message: Json) -> str:
    """What a message says."""
    return text_of(message.get("content"))


def groups(messages: Sequence[Json], archive: Mapping[str, Account]) -> list[tuple[int, Edition]]:
    """Where six messages in a row are an edition of a memory, word for word; the first chat that has it counts."""
    texts = [said(message) for message in messages]
    found = []
    at = 0
    while at <= len(texts) - SLOTS:
        edition = _edition(tuple(texts[at : at + SLOTS]), archive)
        if edition:
            found.append((at, edition))
        at += SLOTS if edition else 1
    return found


def _edition(six: Six, archive: Mapping[str, Account]) -> Edition | None:
    return next(
        (account.by_texts[six] for account in archive.values() if six in account.by_texts), None
    )
