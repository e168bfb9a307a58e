"""One JSON text of an export: where its chats stand, and how they are put back; or why it is no export.

Containers: `{"data": {"chats": [...]}}`, `{"chats": [...]}`, the older one with a checksum, and the parts of a ZIP (a
`data.json`, and for large exports chunk files that are bare arrays of chats). They are recognised by what they hold,
never by their names.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import zip_longest

from rules.errors import NotAnExport
from rules.typingmind import spans
from rules.typingmind.chat import Outline, walk_chat
from rules.typingmind.spans import BadJson, Reel, TooDeep, Walker

_BLOCK_BYTES = (
    1 << 16
)  # it fits into the processor's cache, where checking it is ten times as quick
_BYTE_ORDER_MARK = codecs.BOM_UTF8.decode("latin-1")


@dataclass(frozen=True, slots=True)
class DocumentLayout:
    """The places of the chats in one JSON text of an export."""

    outlines: tuple[Outline, ...]
    chunks: tuple[str, ...] = ()
    """Further files of a ZIP that it names."""


def lay_out_document(name: str, blocks: Iterable[bytes]) -> DocumentLayout:
    """Walk over a container that comes in blocks, of which only a few are in memory at once.

    `name` is what errors call the file. Raises NotAnExport, which says what it is instead, or BadJson.
    """
    outlines: list[Outline] = []
    chunks: list[str] = []
    keys: set[str] = set()

    def walk_chats(reel: Reel, at: int) -> int:
        if reel.sign(at) == "[":
            return spans.items(reel, at, walk_chat(outlines.append))[1]
        index, stop = reel.value(at)
        if not isinstance(index, dict) or not isinstance(index.get("chunks"), list):
            raise BadJson("`chats` is a JSON array, and this is none", at)
        chunks.extend(str(path) for path in index["chunks"])
        return stop

    def walk_data(reel: Reel, at: int) -> int:
        if reel.sign(at) != "{":
            return reel.value(at)[1]
        members, stop = spans.members(reel, at, {"chats": walk_chats})
        keys.update(member.key for member in members)
        return stop

    def walk_root(reel: Reel, at: int) -> int:
        if reel.sign(at) != "{":
            raise explain_root(name, frozenset(), reel.value(at)[0])
        root, stop = spans.members(reel, at, {"data": walk_data, "chats": walk_chats})
        spans.end(reel, stop)
        root_keys = {member.key for member in root}
        if "chats" not in root_keys | keys:
            raise explain_root(name, root_keys, None)
        return stop

    _walk(name, blocks, walk_root)
    return DocumentLayout(tuple(outlines), tuple(chunks))


def lay_out_chunk(name: str, blocks: Iterable[bytes]) -> DocumentLayout:
    """Walk over a chunk file of a ZIP, a bare array of chats, that comes in blocks. Raises NotAnExport or BadJson."""
    outlines: list[Outline] = []

    def walk_array(reel: Reel, at: int) -> int:
        _, stop = spans.items(reel, at, walk_chat(outlines.append))
        spans.end(reel, stop)
        return stop

    _walk(name, blocks, walk_array)
    return DocumentLayout(tuple(outlines))


def without_chats(data: bytes, layout: DocumentLayout, chat_ids: Set[str]) -> bytes:
    """The document's bytes without the chats of these ids, and without the commas that go with them."""
    cuts: list[tuple[int, int]] = []
    kept_until: int | None = None
    for outline, following in zip_longest(layout.outlines, layout.outlines[1:]):
        span = outline.span
        is_last = following is None or data[span.stop : following.span.start].strip() != b","
        if outline.chat_id not in chat_ids:
            kept_until = span.stop
        elif is_last:
            cuts.append((span.start if kept_until is None else kept_until, span.stop))
        else:
            cuts.append((span.start, following.span.start))
        kept_until = None if is_last else kept_until
    pieces, at = list[bytes](), 0
    for start, stop in sorted(cuts):
        pieces.append(data[at:start])
        at = max(at, stop)
    return b"".join([*pieces, data[at:]])


def chat_container(chat: bytes) -> bytes:
    """The smallest export that TypingMind imports: one chat, and nothing else that import could replace."""
    return b"".join(container_blocks(chat))


def container_blocks(chat: bytes) -> tuple[bytes, bytes, bytes]:
    """The same in blocks, so that a large chat is not copied."""
    return b'{"data":{"chats":[', chat, b"]}}"


def _walk(name: str, blocks: Iterable[bytes], walker: Walker) -> None:
    """Walk over the one value of a text. Where any of it is no UTF-8, that is what is told."""
    pieces = _texts(name, blocks)
    reel = Reel(next(pieces, ""), pieces)
    start = len(_BYTE_ORDER_MARK) if reel.seen(0, 3) == "\ufeff" else 0
    try:
        walker(reel, reel.blank(start))
    finally:
        reel.pass_over()


def _texts(name: str, blocks: Iterable[bytes]) -> Iterator[str]:
    """The blocks read as latin-1, once they are known to be UTF-8; at least one. Raises NotAnExport."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    size = 0
    try:
        for block in blocks:
            if not size and (refusal := explain_bytes(name, block[:64])):
                raise refusal
            for at in range(0, len(block), _BLOCK_BYTES):
                decoder.decode(block[at : at + _BLOCK_BYTES])
                size += len(block[at : at + _BLOCK_BYTES])
            yield block.decode("latin-1")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as fault:
        if fault.reason == "unexpected end of data":
            raise explain_cut(name, size) from fault
        at = (
            size - len(decoder.getstate()[0]) + fault.start
        )  # it holds the first bytes of half a character
        raise NotAnExport(
            f"{name} is not UTF-8 text: {fault.reason} near byte {at:,}.",
            "Drop the file exactly as TypingMind wrote it; a text editor may have saved it in another encoding.",
        ) from fault


def explain_bytes(name: str, head: bytes) -> NotAnExport | None:
    """Why the first bytes alone show that the file is no export; None where they may begin a JSON text."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start and len(head) < 64:
        return NotAnExport(
            f"{name} is empty.", "If the download was interrupted, export the chat again."
        )
    what, remedy = of_bytes(head)
    return NotAnExport(f"{name} is {what}.", remedy) if what else None


def explain_root(name: str, keys: Set[str], root: object) -> NotAnExport:
    """Why a JSON text has no chats, judged by the keys of its root, or by the root itself where that is no object."""
    foreign, remedy = of_root(keys, root)
    remedy = remedy or EXPORT_AGAIN
    if foreign:
        what = foreign
    elif {"localStorage", "indexedDB"} & keys:
        what = "a backup of a TypingMind extension, not an export"
        remedy = "Restore it in TypingMind, then export the chats from there."
    elif "chatID" in keys:
        what = "a single chat without the container that TypingMind imports"
    elif "messages" in keys:
        what = "a Share file (JSON for reading or fine-tuning), which TypingMind cannot import"
    elif "data" in keys:
        what = "a part of an export, and this part has no chats"
        remedy = "Drop the parts that hold the chats (usually those with the higher numbers), or export single chats."
    elif isinstance(root, list):
        what = "a bare list, not an export"
    else:
        what = "JSON, but not an export: it has no `data` and no `chats`"
    return NotAnExport(f"{name} is {what}.", remedy)


def explain_cut(name: str, size: int) -> NotAnExport:
    """The file stops after `size` bytes: its download goes on, or was broken off."""
    return NotAnExport(
        f"{name} is cut off: it stops at byte {size:,}, and its JSON is not closed.",
        "If it is still being written, wait; otherwise export the chat again.",
    )


def explain_bad_json(name: str, text: str, fault: BadJson) -> NotAnExport:
    """The error that says where and why the text is not JSON, or what it is; in lines and characters, from 1."""
    what, remedy = of_text(text[:ENOUGH].encode("latin-1").decode("utf-8", "replace"))
    if what:
        return NotAnExport(f"{name} is {what}.", remedy)
    line_start = text.rfind("\n", 0, fault.at) + 1
    line = text.count("\n", 0, fault.at) + 1
    before = text[line_start : fault.at].encode("latin-1").decode("utf-8", "replace")
    column = len(before.removeprefix("\ufeff")) + 1
    if isinstance(fault, TooDeep):
        return NotAnExport(
            f"{name} is nested too deep near line {line}, column {column}: no export looks like that.",
            EXPORT_AGAIN,
        )
    if fault.open_ended:
        return explain_cut(name, len(text))
    return NotAnExport(
        f"{name} is not proper JSON at line {line}, column {column}: {fault.reason}.",
        "Drop the file exactly as TypingMind wrote it; if it was edited by hand, mend that place.",
    )


ENOUGH = 4096
"""So many of a file's first bytes are enough."""
EXPORT_AGAIN = "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
_DECRYPT = (
    "an encrypted backup",
    "Restore it in TypingMind with its password, then export the chats from there.",
)
_UTF_16 = (
    "text in UTF-16, not UTF-8",
    "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.",
)
_UNPACK = "Unpack it, and drop the JSON file that is inside."
_SIGNS = (
    (b"ENCRYPTED:", *_DECRYPT),
    (b"Salted__", *_DECRYPT),
    (b"\xff\xfe", *_UTF_16),
    (b"\xfe\xff", *_UTF_16),
    (b"\x1f\x8b", "a gzip file", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip file", _UNPACK),
    (b"Rar!", "a RAR file", _UNPACK),
    (b"<", "a web page or XML, not JSON", EXPORT_AGAIN),
    (b"%PDF", "a PDF", EXPORT_AGAIN),
    (b"{\\rtf", "a text in RTF", EXPORT_AGAIN),
    (b"\xd0\xcf\x11\xe0", "a document of an old Microsoft Office", EXPORT_AGAIN),
    (b"SQLite format 3", "an SQLite database", EXPORT_AGAIN),
    (b"\x89PNG", "a picture (PNG)", EXPORT_AGAIN),
    (b"\xff\xd8\xff", "a picture (JPEG)", EXPORT_AGAIN),
    (b"GIF8", "a picture (GIF)", EXPORT_AGAIN),
    (b"OggS", "a sound or film (Ogg)", EXPORT_AGAIN),
    (b"ID3", "a sound (MP3)", EXPORT_AGAIN),
    (b"RIFF", "a picture, sound or film (RIFF)", EXPORT_AGAIN),
)
_OF_CHATGPT = ("a ChatGPT export", "memproc reads chats of TypingMind alone: export them there.")
_OF_CLAUDE = (
    "an export of Claude's own app",
    "memproc reads chats of TypingMind alone: export them there.",
)
_OF_SILLYTAVERN = (
    "a chat of SillyTavern (JSONL)",
    "memproc reads chats of TypingMind: export them there.",
)
_CARD = ("a character of SillyTavern", "memproc reads chats of TypingMind: export them there.")
_CHATGPT_PART = re.compile(r"conversations-\d{3}\.json")
"""ChatGPT's exports since 2026 have their conversations in numbered files, and a manifest."""
_MARKDOWN = re.compile(r"^(#{1,6} \S|\*\*\S|[-*] \S|> |```|---$)", re.MULTILINE)
_SILLYTAVERN = re.compile(r'\{\s*"(?:chat_metadata|user_name|character_name)"')
_SECOND_LINE = re.compile(r"^\s*\{[^\n]*\}\s*\n\s*\{")


def looks_like(head: bytes) -> tuple[str, str]:
    """The kind of file that begins so, as `a PDF`, and what to do; empty texts where it may be JSON of any kind."""
    what, remedy = of_bytes(head)
    return (what, remedy) if what else of_text(head.decode("utf-8", "replace"))


def of_bytes(head: bytes) -> tuple[str, str]:
    """The same where bytes alone show it, which no JSON text begins with."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    for sign, what, remedy in _SIGNS:
        if start.startswith(sign):
            return what, remedy
    return ("a film or picture (MP4, HEIC)", EXPORT_AGAIN) if start[4:8] == b"ftyp" else ("", "")


def of_text(text: str) -> tuple[str, str]:
    """The same for the beginning of a text."""
    start = text[:ENOUGH].lstrip("\ufeff \t\r\n")
    if _SILLYTAVERN.match(start):
        return _OF_SILLYTAVERN
    if _SECOND_LINE.match(start):
        return "a list of JSON lines (JSONL)", EXPORT_AGAIN
    if start[:1] == "[" and '"chat_messages"' in start:
        return _OF_CLAUDE
    if start[:1] == "[" and '"mapping"' in start:
        return _OF_CHATGPT
    if not start or start[0] in '{["' or start[0] == "\0":
        return "", ""
    if sum(not letter.isprintable() and letter not in "\r\n\t" for letter in start) * 20 > len(
        start
    ):
        return "no text at all", EXPORT_AGAIN
    kind = "a Markdown text" if _MARKDOWN.search(start) else "a plain text"
    return f"{kind}, not JSON", EXPORT_AGAIN


def of_root(keys: Set[str], root: object) -> tuple[str, str]:
    """The same for a JSON text that was read: by the keys of its root, or by the root where that is no object."""
    first = root[0] if isinstance(root, list) and root else None
    inside: Set[str] = first.keys() if isinstance(first, dict) else set()
    if "mapping" in inside:
        return _OF_CHATGPT
    if "chat_messages" in inside | keys:
        return _OF_CLAUDE
    if {"character_name", "chat_metadata"} & keys:
        return _OF_SILLYTAVERN
    return _CARD if {"spec", "spec_version"} <= keys else ("", "")


def of_archive(names: Set[str]) -> tuple[str, str]:
    """The same for a ZIP, by the names of what is in it."""
    if "[Content_Types].xml" in names:
        return "a document of Microsoft Office", EXPORT_AGAIN
    if "export_manifest.json" in names or any(map(_CHATGPT_PART.fullmatch, names)):
        return _OF_CHATGPT
    if "conversations.json" in names:
        return _OF_CHATGPT if {"chat.html", "message_feedback.json"} & names else _OF_CLAUDE
    return ("an e-book or an OpenDocument text", EXPORT_AGAIN) if "mimetype" in names else ("", "")
