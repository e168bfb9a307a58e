"""Our own messages before they have a date and a chat program's form: opening, memories and closing."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Self

from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, text_digest
from rules.conversation.memory import Edition, Memory


@dataclass(frozen=True, slots=True)
class Draft:
    """A message of ours that is still to be dated and shaped. `name` decides its uuid."""

    name: str
    role: str
    text: str
    marker: Marker

    @classmethod
    def opening(cls, chat_id: str, text: str, *, layers: bool = False) -> Self:
        """The canned message before the memories.

        With `layers` it holds core memory or facts, and is another message whenever these have changed.
        """
        name = f"{chat_id}/opening/{text_digest(text)}" if layers else f"{chat_id}/opening"
        return cls(name, "user", text, Marker(OPENING, text_digest(text)))

    @classmethod
    def closing(cls, memory_id: str, text: str) -> Self:
        """The canned message after the last memory."""
        return cls(f"{memory_id}/closing", "user", text, Marker(CLOSING, text_digest(text)))

    @property
    def uuid(self) -> str:
        """In the form of version 4, but from the name alone: the same run gives the same bytes."""
        return str(uuid.UUID(bytes=hashlib.sha256(self.name.encode()).digest()[:16], version=4))

    def apart_from(self, taken: Set[str]) -> "Draft":
        """The same message, under another name where its uuid is taken."""
        draft = self
        while draft.uuid in taken:
            draft = replace(draft, name=f"{draft.name}+")
        return draft


def memory_drafts(memory: Memory) -> list[Draft]:
    """The six messages of a memory: three questions with their answers."""
    return [
        Draft(
            name=f"{memory.memory_id}/{memory.edition.number}/{slot}",
            role="assistant" if slot % 2 == 0 else "user",
            text=text,
            marker=Marker(
                kind=MEMORY,
                text=text_digest(text),
                memory=memory.memory_id,
                level=memory.level,
                edition=memory.edition.number,
                slot=slot,
                made=memory.edition.made,
                first=memory.first,
                last=memory.last,
                messages=len(memory.keys),
            ),
        )
        for slot, text in enumerate(memory.edition.texts, 1)
    ]


def drafts_of(
    chat_id: str,
    memories: Sequence[Memory],
    editions: Mapping[str, Sequence[Edition]],
    opening: str,
    closing: str,
    deleted: Set[str] = frozenset(),
    layered: Sequence[str] = (),
) -> dict[str, Marker]:
    """The markers of all messages that we may have written into a chat, by uuid (the second means).

    `layered` are the openings that held core memory or facts.
    Where a message of ours was deleted in TypingMind, so that its uuid is among `deleted`, it may be back under
    another one.
    """
    drafts = [Draft.opening(chat_id, opening), Draft.closing(chat_id, closing)]
    drafts += [Draft.opening(chat_id, text, layers=True) for text in layered]
    for memory in memories:
        for name in (memory.memory_id, *memory.origins):
            named = replace(memory, memory_id=name)
            drafts += [
                draft
                for edition in editions[memory.memory_id]
                for draft in memory_drafts(replace(named, edition=edition))
            ]
            drafts.append(Draft.closing(name, closing))
    return {version.uuid: version.marker for draft in drafts for version in (draft, draft.apart_from(deleted))}
