"""Tell which messages of a chat are memproc's own by their texts, without using their markers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.chats import Json
from tests.lives.opening import is_tagged
from tests.lives.witness import Account, Edition, Six
from tests.typingmind.texts import text_of

SLOTS = 6


@dataclass(frozen=True)
class Ours:
    """The texts by which memproc's messages are told."""

    closing: str
    openings: frozenset[str]
    """Openings that the person has edited; unedited ones are told by their tag."""
    memories: frozenset[str]
    """The texts of all editions, with the person's edits, without the ambiguous ones."""
    touched_up: frozenset[str]
    """The texts of memories that the person has written."""
    ambiguous: frozenset[str]
    """Texts of memories that are in the conversation, too: a short message is quoted as a whole."""
    archive: Mapping[str, Account]

    def where(self, messages: Sequence[Json]) -> frozenset[int]:
        """Return the indices of the messages that are memproc's."""
        indices = {
            at
            for at, message in enumerate(messages)
            if said(message) in self.memories or self.is_canned(message)
        }
        rows = (range(at, at + SLOTS) for at, _ in groups(messages, self.archive))
        indices |= {at for row in rows for at in row if said(messages[at]) in self.ambiguous}
        indices |= self._beside_their_memory(messages)
        return frozenset(indices)

    def _beside_their_memory(self, messages: Sequence[Json]) -> set[int]:
        """Return where ambiguous texts stand beside a message of their memory, which need not be whole.

        A fork may have cut the others off, or the person have put a message between.
        """
        texts = [said(message) for message in messages]
        sixes = [six for account in self.archive.values() for six in account.by_texts]
        beside = {
            pair for six in sixes for pair in pairwise(six) if not self.memories.isdisjoint(pair)
        }
        at_pairs = [at for at, pair in enumerate(pairwise(texts)) if pair in beside]
        return {at for pair in at_pairs for at in (pair, pair + 1) if texts[at] in self.ambiguous}

    def is_canned(self, message: Json) -> bool:
        """Return whether the message is an opening or a closing."""
        return said(message) == self.closing or self.is_opening(message)

    def is_opening(self, message: Json) -> bool:
        """Return whether the message is an opening in its tag, or one that the person has edited."""
        return is_tagged(said(message)) or said(message) in self.openings

    def opening_of(self, messages: Sequence[Json]) -> int | None:
        """Return the index of the opening, right before the first memory; None where there is none."""
        shown_groups = groups(messages, self.archive)
        at = shown_groups[0][0] - 1 if shown_groups else -1
        return (
            at
            if at >= 0 and self.is_opening(messages[at]) and said(messages[at]) != self.closing
            else None
        )

    def others(self, messages: Sequence[Json]) -> list[Json]:
        """Return the messages that are not memproc's."""
        where = self.where(messages)
        return [message for at, message in enumerate(messages) if at not in where]


def said(message: Json) -> str:
    """Return the text of a message."""
    return text_of(message.get("content"))


def groups(messages: Sequence[Json], archive: Mapping[str, Account]) -> list[tuple[int, Edition]]:
    """Return each place where six consecutive messages are an edition of a memory word for word, with the edition.

    If several chats have the edition, it is that of the first.
    """
    texts = [said(message) for message in messages]
    places = []
    at = 0
    while at <= len(texts) - SLOTS:
        edition = _edition(tuple(texts[at : at + SLOTS]), archive)
        if edition:
            places.append((at, edition))
        at += SLOTS if edition else 1
    return places


def _edition(six: Six, archive: Mapping[str, Account]) -> Edition | None:
    return next(
        (account.by_texts[six] for account in archive.values() if six in account.by_texts), None
    )
