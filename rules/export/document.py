"""An export: bytes in, its chats out, with every byte still in its place (requirement 1, D1).

Containers: `{"data": {"chats": [...]}}`, `{"chats": [...]}`, the older one with a checksum, and the parts
of a ZIP (a `data.json`, and for large exports chunk files that are bare arrays of chats). They are known
by what they hold, never by their names.
"""

import codecs
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rules.errors import NotAnExport
from rules.export import spans
from rules.export.chat import Chat, walk_chat
from rules.export.foreign import explain_bad_json, explain_bytes, explain_cut, explain_root
from rules.export.spans import Member, Span

_BLOCK_BYTES = 1 << 16  # it fits into the processor's cache, where checking it is ten times as quick


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON text of an export. `text` holds its bytes as latin-1; `chunks` names further files of a ZIP."""

    name: str
    text: str
    chats: tuple[Chat, ...]
    chunks: tuple[str, ...] = ()


def read_document(name: str, data: bytes) -> Document:
    """Read a container. `name` is what errors call the file. Raises NotAnExport, which says what it is instead."""
    text = _text(name, data)
    start = _start(text)
    chats: list[Chat] = []
    chunks: list[str] = []

    def walk_chats(text: str, at: int) -> int:
        if text[at : at + 1] == "[":
            return spans.items(text, at, walk_chat(chats.append))[1]
        found, stop = spans.value(text, at)
        if not isinstance(found, dict) or not isinstance(found.get("chunks"), list):
            raise spans.BadJson("`chats` is a JSON array, and this is none", at)
        chunks.extend(str(path) for path in found["chunks"])
        return stop

    data_keys: list[Member] = []

    def walk_data(text: str, at: int) -> int:
        if text[at : at + 1] != "{":
            return spans.value(text, at)[1]
        members, stop = spans.members(text, at, {"chats": walk_chats})
        data_keys.extend(members)
        return stop

    try:
        if text[start : start + 1] != "{":
            raise explain_root(name, (), spans.value(text, start)[0])
        root, stop = spans.members(text, start, {"data": walk_data, "chats": walk_chats})
        spans.end(text, stop)
    except spans.BadJson as fault:
        raise explain_bad_json(name, text, fault) from fault
    if not any(member.key == "chats" for member in [*root, *data_keys]):
        raise explain_root(name, [member.key for member in root], None)
    return Document(name, text, tuple(chats), tuple(chunks))


def read_chunk(name: str, data: bytes) -> Document:
    """Read a chunk file of a ZIP: a bare array of chats. Raises NotAnExport."""
    text = _text(name, data)
    chats: list[Chat] = []
    try:
        _, stop = spans.items(text, _start(text), walk_chat(chats.append))
        spans.end(text, stop)
    except spans.BadJson as fault:
        raise explain_bad_json(name, text, fault) from fault
    return Document(name, text, tuple(chats))


def with_chats(document: Document, finished: Mapping[Span, bytes]) -> Iterator[bytes]:
    """The document's bytes, block by block, with finished chats in the place of those at these spans (D1)."""
    at = 0
    for span in sorted(finished, key=lambda span: span.start):
        yield from _blocks(document.text, at, span.start)
        yield finished[span]
        at = span.stop
    yield from _blocks(document.text, at, len(document.text))


def twice(chats: Sequence[Chat]) -> frozenset[str]:
    """The ids that more than one chat of an export bears: TypingMind would keep only the last of them."""
    ids = Counter(str(chat.field("chatID") or chat.field("id")) for chat in chats)
    return frozenset(chat_id for chat_id, times in ids.items() if times > 1)


def _blocks(text: str, start: int, stop: int) -> Iterator[bytes]:
    """The bytes [start, stop) in pieces, so that a large file is not copied whole."""
    for at in range(start, stop, _BLOCK_BYTES):
        yield text[at : min(stop, at + _BLOCK_BYTES)].encode("latin-1")


def _start(text: str) -> int:
    byte_order_mark = codecs.BOM_UTF8.decode("latin-1")
    return spans.blank(text, len(byte_order_mark) if text.startswith(byte_order_mark) else 0)


def _text(name: str, data: bytes) -> str:
    refusal = explain_bytes(name, data[:64])
    if refusal is not None:
        raise refusal
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _BLOCK_BYTES):
            decoder.decode(data[at : at + _BLOCK_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as fault:
        if fault.reason == "unexpected end of data":
            raise explain_cut(name, len(data)) from fault
        raise NotAnExport(
            f"{name} is not UTF-8 text: {fault.reason} near byte {at + fault.start:,}.",
            "Drop the file exactly as TypingMind wrote it; a text editor may have saved it in another encoding.",
        ) from fault
    return data.decode("latin-1")


def chat_container(chat: bytes) -> bytes:
    """The smallest export that TypingMind imports: one chat, and nothing else that import could replace (D3)."""
    return b'{"data":{"chats":[' + chat + b"]}}"
