"""What is known of a chat before its export is read, and the export as it is recognized."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from rules.conversation.history import Group, Past, Place, group_by_memory
from rules.conversation.marker import Canned, Marker, known_markers
from rules.conversation.memory import Edition, Memory, map_aliases, memories_of_chunks
from rules.recognize.recognize import recognize
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message
from rules.typingmind.originals import DeletionList, deletion_list


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A raw message that the archive has seen in the chat."""

    key: str
    uuid: str | None
    digest: str
    role: str | None
    created_at: str | None
    seen_at: str = ""
    """The time when an export first held it; "" if unknown."""


@dataclass(frozen=True, slots=True)
class Known:
    """All that the archive knows of a chat, read once; for a fork, with what it takes over."""

    chat_id: str
    memories: Sequence[Memory] = ()
    """Oldest first, then the folds."""
    editions: Mapping[str, Sequence[Edition]] = field(default_factory=dict)
    """All editions of each memory, by its id."""
    past: Sequence[Past] = ()
    openings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The openings that its exports may show, by the id of the chat that each was written for.

    That is this chat, or one that it was forked from.
    """
    live: Sequence[KnownMessage] = ()
    """The messages under no memory in its last export, oldest first."""
    left_out: Sequence[KnownMessage] = ()
    """Those that no memory is made of.

    A deletion cannot name one without a uuid, such as a divider.
    """
    seen: Mapping[str, str] = field(default_factory=dict)
    """The time when each raw message was first seen, by its key."""
    missing: Set[str] = frozenset()
    """Keys of the messages that were missing before, as the person was told then."""
    deleted: Set[str] = frozenset()
    """The uuids that its last export listed as deleted."""

    @property
    def excused(self) -> frozenset[str]:
        """Return the keys of the messages that an export may lack without that being news.

        They were missing before, or are under memories that the person deleted and that the chat
        has not shown since.
        """
        chunks = memories_of_chunks(self.memories)
        not_shown = (memory.keys for memory in chunks if memory.forgotten or memory.recalled)
        return frozenset(self.missing).union(*not_shown)


@dataclass(frozen=True, slots=True)
class Recognized:
    """The messages of an export, recognized with the help of what is known of its chat."""

    known: Known
    listed: DeletionList
    ours: Mapping[str, Marker]
    """The markers of all messages that memproc may have written into the chat, by uuid stem."""
    places: tuple[Place, ...]
    shown: Mapping[str, Group]
    """The messages of each memory that the export shows, by the memory's id and by slot."""


def recognize_export(
    known: Known, chat: Chat, messages: Sequence[Message], words: Canned
) -> Recognized:
    """Tell of each message of an export whose it is, and what it is there for."""
    listed = deletion_list(chat)
    ours = known_markers(known.openings, known.memories, known.editions, words)
    digests = {old.key: old.digests for old in known.past}
    under = {}
    for memory in known.memories:
        under[memory.memory_id] = {key: digests[key] for key in memory.keys}
    before = (*known.live, *known.left_out)
    live = {(message.uuid, message.digest) for message in before if message.uuid}
    places = recognize(messages, ours, under, map_aliases(known.memories), live)
    return Recognized(known, listed, ours, places, group_by_memory(places))
