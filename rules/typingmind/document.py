"""One JSON text of an export: where its chats are, and how they are put back.

Containers are `{"data": {"chats": [...]}}`, `{"chats": [...]}`, the older one with a checksum, and
the parts of a ZIP (a `data.json`, and for large exports chunk files that are bare arrays of
chats). They are recognized by their content, never by their names.
"""

import codecs
from array import array
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import starmap, zip_longest

from rules.typingmind import spans
from rules.typingmind.chat import outline_chat
from rules.typingmind.foreign_files import (
    ENOUGH,
    explain_bytes,
    explain_cut,
    explain_encoding,
    explain_root,
)
from rules.typingmind.spans import BadJson, Reel, Span, Walker

_BLOCK_BYTES = 1 << 16
"""The bytes to check at a time: they fit the processor's cache, which is ten times as quick."""
_BYTE_ORDER_MARK = codecs.BOM_UTF8.decode("latin-1")


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The spans of the chats in one JSON text of an export.

    There may be a million chats, so a span takes a few bytes and no object.
    """

    chat_ids: tuple[str, ...]
    """The id of each chat, in order; empty for one without an id."""
    offsets: "array[int]"
    """The offsets in bytes where each chat starts and stops: two for each chat."""
    chunks: tuple[str, ...] = ()
    """The names of further files of a ZIP that have chats."""

    @property
    def spans(self) -> Iterator[Span]:
        """Yield the span of each chat, in order."""
        return starmap(Span, zip(self.offsets[::2], self.offsets[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class _Container:
    """What a walk over a container has found so far."""

    chat_ids: list[str] = field(default_factory=list)
    offsets: "array[int]" = field(default_factory=partial(array, "Q"))
    chunks: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    """The keys of `data`."""

    def walk_chat(self, reel: Reel, at: int) -> int:
        """Walk over a chat, and note its id and its span. Return where it ends."""
        outline = outline_chat(reel, at)
        self.chat_ids.append(outline.chat_id)
        self.offsets.extend((outline.span.start, outline.span.stop))
        return outline.span.stop

    def layout(self) -> DocumentLayout:
        """Return the layout of all chats that were noted."""
        return DocumentLayout(tuple(self.chat_ids), self.offsets, tuple(self.chunks))


def lay_out_document(name: str, blocks: Iterable[bytes]) -> DocumentLayout:
    """Walk over a container that comes in blocks, of which only a few are in memory at once.

    `name` is what errors call the file. Raises NotAnExport, which says what the file is instead, or
    BadJson.
    """
    container = _Container()
    _walk(name, blocks, partial(_walk_root, container, name))
    return container.layout()


def lay_out_chunk(name: str, blocks: Iterable[bytes]) -> DocumentLayout:
    """Walk over a chunk file of a ZIP, a bare array of chats. Raises NotAnExport or BadJson."""
    container = _Container()

    def walk_array(reel: Reel, at: int) -> int:
        stop = spans.walk_items(reel, at, container.walk_chat)
        spans.end(reel, stop)
        return stop

    _walk(name, blocks, walk_array)
    return container.layout()


def without_chats(data: bytes, layout: DocumentLayout, chat_ids: Set[str]) -> bytes:
    """Return the document without the chats with these ids, and without their commas."""
    cuts: list[tuple[int, int]] = []
    kept_until: int | None = None
    chats = list(layout.spans)
    for chat_id, span, following in zip_longest(layout.chat_ids, chats, chats[1:]):
        is_last = following is None or data[span.stop : following.start].strip() != b","
        if chat_id not in chat_ids:
            kept_until = span.stop
        elif is_last:
            cuts.append((span.start if kept_until is None else kept_until, span.stop))
        else:
            cuts.append((span.start, following.start))
        kept_until = None if is_last else kept_until
    pieces, at = list[bytes](), 0
    for start, stop in sorted(cuts):
        pieces.append(data[at:start])
        at = max(at, stop)
    return b"".join([*pieces, data[at:]])


def chat_container(chat: bytes) -> bytes:
    """Return the smallest export that TypingMind imports: one chat, so that only it is replaced."""
    return b"".join(container_blocks(chat))


def container_blocks(chat: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the same export in blocks, so that a large chat is not copied."""
    return b'{"data":{"chats":[', chat, b"]}}"


def _walk_root(container: _Container, name: str, reel: Reel, at: int) -> int:
    if reel.sign(at) != "{":
        raise explain_root(name, frozenset(), reel.value(at)[0])
    walkers = {
        "data": partial(_walk_data, container),
        "chats": partial(_walk_chats, container),
    }
    members, stop = spans.read_members(reel, at, walkers)
    spans.end(reel, stop)
    keys = {member.key for member in members}
    if "chats" not in keys | container.keys:
        raise explain_root(name, keys, None)
    return stop


def _walk_data(container: _Container, reel: Reel, at: int) -> int:
    if reel.sign(at) != "{":
        return reel.value(at)[1]
    members, stop = spans.read_members(reel, at, {"chats": partial(_walk_chats, container)})
    container.keys.update(member.key for member in members)
    return stop


def _walk_chats(container: _Container, reel: Reel, at: int) -> int:
    """Note each chat of an array, or the names of the files that have the chats."""
    if reel.sign(at) == "[":
        return spans.walk_items(reel, at, container.walk_chat)
    index, stop = reel.value(at)
    if not isinstance(index, dict) or not isinstance(index.get("chunks"), list):
        raise BadJson("`chats` is a JSON array, and this is none", at)
    container.chunks.extend(str(path) for path in index["chunks"])
    return stop


def _walk(name: str, blocks: Iterable[bytes], walker: Walker) -> None:
    """Walk over the one value of a text; a fault of encoding is raised before one of JSON."""
    pieces = _texts(name, blocks)
    reel = Reel(next(pieces, ""), pieces)
    start = len(_BYTE_ORDER_MARK) if reel.seen(0, 3) == "\ufeff" else 0
    try:
        walker(reel, reel.blank(start))
    finally:
        reel.pass_over()


def _texts(name: str, blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the blocks decoded as latin-1, after checking that they are UTF-8.

    Raises NotAnExport.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    head, size = b"", 0
    try:
        for block in blocks:
            head = head or block[:ENOUGH]
            if not size and (refusal := explain_bytes(name, head)):
                raise refusal
            for at in range(0, len(block), _BLOCK_BYTES):
                decoder.decode(block[at : at + _BLOCK_BYTES])
                size += len(block[at : at + _BLOCK_BYTES])
            yield block.decode("latin-1")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as fault:
        if fault.reason == "unexpected end of data":
            raise explain_cut(name, size) from fault
        half = decoder.getstate()[0]  # the first bytes of a character that is split between blocks
        raise explain_encoding(name, head, fault, size - len(half) + fault.start) from fault
