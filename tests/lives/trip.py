"""Describe one run over one chat: its input, its output, and the archive before and after."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property

from tests.chats import Json
from tests.lives.ours import SLOTS, Ours, groups, said
from tests.lives.witness import Account, Edition


@dataclass(frozen=True)
class Trip:
    """Everything that the checks of a run need."""

    chat_id: str
    given: Json
    """The chat as it was exported."""
    finished: Json
    """The chat as the person would import it now."""
    archive_before: Mapping[str, Account]
    archive: Mapping[str, Account]
    ours: Ours
    budget: int
    keeps_originals: bool
    recalled: Set[str]
    """The memories that were recalled and have not been in an export since."""
    chooses: bool
    """Whether the person has chosen editions: then what they wrote is not necessarily shown."""
    canned: str
    """The opening without core memory and facts."""
    layers: Set[str]
    """Those of "core" and "facts" that are switched on."""
    layers_asked: Set[str]
    """Those of them that a model is asked about."""
    fact_budget: int
    renewed: bool
    """Whether memproc's messages have other uuids than it gave them."""
    words: Set[str]
    """The texts that the person has written into sections."""
    crossed_out: Set[str]
    """Facts that the person has taken out of the opening since it was written."""
    taken_out: Set[str]
    """Kept passages that the person has taken out of the opening since it was written."""
    released: Set[str]
    """Kept passages that the person has released, by a command or in the opening."""
    unpinned: Set[str]
    """Texts of messages that the person has unpinned."""

    @property
    def before(self) -> Account:
        """Return the chat in the archive before the run."""
        return self.archive_before.get(self.chat_id, Account())

    @property
    def after(self) -> Account:
        """Return the chat in the archive after the run."""
        return self.archive[self.chat_id]

    @cached_property
    def shown(self) -> list[tuple[int, Edition]]:
        """Return the memories in the finished chat, each with the index at which it begins."""
        return groups(self.finished["messages"], {self.chat_id: self.after})

    @cached_property
    def inside(self) -> frozenset[int]:
        """Return the indices of all messages of memories in the finished chat."""
        rows = (range(first, first + SLOTS) for first, _ in self.shown)
        return frozenset(at for row in rows for at in row)

    @cached_property
    def raw_given(self) -> list[Json]:
        """Return the messages of the conversation itself, as they were exported."""
        return self.ours.others(self.given["messages"])

    @cached_property
    def raw_finished(self) -> list[Json]:
        """Return the messages of the conversation itself in the finished chat."""
        return self.ours.others(self.finished["messages"])

    @cached_property
    def told(self) -> frozenset[str]:
        """Return the memories of which the export surely has messages (`Account.told_of`).

        Originals that are kept beside a memory do not count.
        """
        texts = {said(message) for message in self.given["messages"] if kind(message) != "original"}
        return self.before.told_of(texts - self._excluded)

    @cached_property
    def hinted_at(self) -> frozenset[str]:
        """Return the memories of which the export may have anything."""
        whole = {
            at
            for first, _ in groups(self.given["messages"], self.archive)
            for at in range(first, first + SLOTS)
        }
        rest = [message for at, message in enumerate(self.given["messages"]) if at not in whole]
        if any(kind(message) == "memory" for message in rest):
            return self.before.standing
        texts = {said(message) for message in self.given["messages"] if kind(message) != "original"}
        return self.before.hinted_at(texts)

    @property
    def _excluded(self) -> set[str]:
        return {said(message) for message in self.raw_given if message.get("contextClearedAt")}


def kind(message: Json) -> str:
    """Return the kind of a message of memproc's, by its marker; "" for all others."""
    return str((message.get("memproc") or {}).get("kind", ""))
