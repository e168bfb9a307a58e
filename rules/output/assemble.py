"""Assemble the finished chat: memories in their places, and every other byte as it was.

What is not compressed stays, byte for byte and in its order; memories that the export has
already are kept as they are there. Only the bytes between the first and the last changed message,
`updatedAt` and `syncMetadata` are ours.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.conversation.history import Entry
from rules.conversation.marker import Draft, memory_drafts, text_digest
from rules.conversation.memory import Memory
from rules.conversation.place import Place
from rules.output.anchors import MemorySection
from rules.output.arrange import Canned, Part, arrange
from rules.output.writing import OutputMessage, write_parts
from rules.typingmind import spans
from rules.typingmind.chat import Chat
from rules.typingmind.originals import add_deleted_uuids, deleted_uuids
from rules.typingmind.splice import mark_changed, replace_messages, splice

Mode = Literal["replace", "new-chat", "keep-originals"]


@dataclass(frozen=True, slots=True)
class Assembled:
    """A finished chat, whether its messages differ from the input's, and what was taken out."""

    chat: bytes
    changed: bool
    removed: tuple[str, ...]
    """uuids of the messages that the input had and the output has not."""
    messages_sha256: str
    """Hash of the content of all messages; chats that share it differ in their own fields alone."""
    ours_sha256: str
    """Hash of the kind and text of our own messages, without uuid, date and order of keys."""


def assemble(
    chat: Chat,
    places: Sequence[Place],
    entries: Sequence[Entry],
    section: MemorySection,
    canned: Canned,
    now: str,
    mode: Mode = "replace",
) -> Assembled:
    """Put memories in place of what they were made of, or next to it.

    What names a file that TypingMind keeps stays in the chat, shown and no longer sent.
    """
    # Our uuids follow from names, so one can be taken: forged, deleted once, or edited.
    taken = deleted_uuids(chat) | {place.message.uuid for place in places if place.message.uuid}
    parts = arrange(chat.chat_id, places, entries, section, canned, keep=mode == "keep-originals")
    pieces = write_parts(parts, section.shown, places, taken)
    kept = [piece.at for piece in pieces]
    ours = hashlib.sha256("\n".join(_our_lines(parts)).encode()).hexdigest()
    messages = hash_of_messages(piece.raw for piece in pieces)
    if kept == list(range(len(places))):
        return Assembled(chat.slice(chat.span), False, (), messages, ours)
    # A new chat never had the messages that are taken out.
    removed = () if mode == "new-chat" else _removed(places, pieces)
    edits = [
        replace_messages(chat, kept, [piece.raw for piece in pieces]),
        *mark_changed(chat, now),
        *add_deleted_uuids(chat, removed),
    ]
    return Assembled(splice(chat, edits), True, removed, messages, ours)


def _removed(places: Sequence[Place], pieces: Sequence[OutputMessage]) -> tuple[str, ...]:
    staying = {piece.uuid for piece in pieces}
    uuids = (place.message.uuid for place in places)
    return tuple(dict.fromkeys(uuid for uuid in uuids if uuid and uuid not in staying))


def hash_of_messages(raws: Iterable[bytes]) -> str:
    """Return a hash of the content of messages, however they are spelled.

    The same export comes minified, and in a ZIP indented; a client writes escapes and numbers in
    its own way, and a sync may put keys in another order.
    """
    digests: list[bytes] = []
    for raw in raws:
        spelled = json.dumps(
            spans.without_bulk(json.loads(spans.decoded(raw), parse_int=float)), sort_keys=True
        )
        digests.append(hashlib.sha256(spelled.encode("ascii")).digest())
    return hashlib.sha256(b"\n".join(digests)).hexdigest()


def _our_lines(parts: Sequence[Part]) -> Iterator[str]:
    """Yield a line per message of ours: its kind, its memory and slot, and the hash of its text."""
    for part in parts:
        if isinstance(part, Place) and part.ours is not None:
            marked = [(part.ours, part.message.text)]
        elif isinstance(part, Memory):
            marked = [(draft.marker, draft.text) for draft in memory_drafts(part)]
        elif isinstance(part, Draft):
            marked = [(part.marker, part.text)]
        else:
            continue
        for marker, text in marked:
            yield f"{marker.kind} {marker.memory} {marker.slot} {text_digest(text)}"
