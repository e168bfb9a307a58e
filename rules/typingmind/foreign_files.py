"""Recognize files that are no export by their content, and say what the person can do."""

import re
import shlex
from collections.abc import Set
from dataclasses import dataclass

from rules.errors import NotAnExport
from rules.typingmind.spans import BadJson, TooDeep

ENOUGH = 1 << 16
"""The first bytes of a file by which it is recognized."""
_ENOUGH_TEXT = 4096

_EXPORT_AGAIN = "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
_EXPORT_THERE = "memproc reads chats of TypingMind, ChatGPT, Claude and DeepSeek."
_FILE = "FILE"
_BRING = f"To choose what to bring from it: memproc bring {_FILE}"
_AS_WRITTEN = "Drop the file exactly as TypingMind wrote it; "


@dataclass(frozen=True, slots=True)
class Foreign:
    """A kind of file that is no export, as in "FILE is a PDF", and what the person can do."""

    what: str
    next_step: str = _EXPORT_AGAIN

    def refusal(self, name: str) -> NotAnExport:
        """Return the error that says that the file `name` is of this kind."""
        return NotAnExport(f"{name} is {self.what}.", self.step_for(name))

    def step_for(self, name: str) -> str:
        """Return what the person can do with the file `name`."""
        return self.next_step.replace(_FILE, shlex.quote(name))


_ENCRYPTED = Foreign(
    "an encrypted backup",
    "Restore it in TypingMind with its password, then export the chats from there.",
)
_UTF_16 = Foreign(
    "text in UTF-16, not UTF-8",
    "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.",
)
_BACKUP = Foreign(
    "a backup of a TypingMind extension, not an export",
    "Restore it in TypingMind, then export the chats from there.",
)
_PART = Foreign(
    "a part of an export, and this part has no chats",
    "Drop the parts that hold the chats (usually those with the higher numbers), "
    "or export single chats.",
)
_SHARE = Foreign("a Share file (JSON for reading or fine-tuning), which TypingMind cannot import")
_NEITHER = Foreign("neither a ZIP file nor JSON, so it is no TypingMind export")
_CHATGPT = Foreign("a ChatGPT export", _BRING)
_CLAUDE = Foreign("an export of Claude's own app", _BRING)
_DEEPSEEK = Foreign("a DeepSeek export", _BRING)
_SILLYTAVERN = Foreign("a chat of SillyTavern (JSONL)", _EXPORT_THERE)

_BY_FIRST_BYTES = {
    b"ENCRYPTED:": _ENCRYPTED,
    b"Salted__": _ENCRYPTED,
    b"\xff\xfe": _UTF_16,
    b"\xfe\xff": _UTF_16,
    b"\x1f\x8b": Foreign("a gzip file", "Unpack it, and drop the JSON file that is inside."),
    b"<": Foreign("a web page or XML, not JSON"),
    b"%PDF": Foreign("a PDF"),
}
_BY_TEXT = {
    re.compile(r'\{\s*"(?:chat_metadata|user_name|character_name)"'): _SILLYTAVERN,
    re.compile(r"\s*\{[^\n]*\}\s*\n\s*\{"): Foreign("a list of JSON lines (JSONL)"),
}
_OF_PROGRAMS = {
    re.compile(r'"chat_messages"\s*:\s*\['): _CLAUDE,
    re.compile(r'"mapping"\s*:\s*\{(?s:.*)"fragments"\s*:\s*\['): _DEEPSEEK,
    re.compile(r'"mapping"\s*:\s*\{'): _CHATGPT,
}
_OF_TYPINGMIND = re.compile(r'\{\s*"(?:data|chats|checksum)"')
_BY_KEY_IN_A_LIST = {"mapping": _CHATGPT, "chat_messages": _CLAUDE}
_BY_KEY = {
    "chat_messages": _CLAUDE,
    "character_name": _SILLYTAVERN,
    "chat_metadata": _SILLYTAVERN,
    "spec_version": Foreign("a character of SillyTavern", _EXPORT_THERE),
    "localStorage": _BACKUP,
    "indexedDB": _BACKUP,
    "chatID": Foreign("a single chat without the container that TypingMind imports"),
    "messages": _SHARE,
    "data": _PART,
}
_ZIP = b"PK"
_MARKDOWN = re.compile(r"^(#{1,6} \S|\*\*\S|[-*] \S|> |```|---$)", re.MULTILINE)


def looks_like(head: bytes) -> Foreign | None:
    """Return the kind of a file with these first bytes; None where it may be JSON of any kind."""
    return _of_bytes(head) or other_program(head) or _of_text(head.decode("utf-8", "replace"))


def explain_head(name: str, head: bytes) -> NotAnExport | None:
    """Return why a file with these first bytes is no export; None where it may be JSON or a ZIP."""
    if not head:
        return explain_bytes(name, b"")
    foreign = None if head.startswith(_ZIP) else looks_like(head)
    return foreign.refusal(name) if foreign else None


def other_program(head: bytes) -> Foreign | None:
    """Return which other program's export begins so, if `memproc bring` reads it; else None."""
    start = _start(head).decode("utf-8", "replace")
    if start[:1] not in ("[", "{") or _OF_TYPINGMIND.match(start):
        return None
    matching = (foreign for pattern, foreign in _OF_PROGRAMS.items() if pattern.search(start))
    return next(matching, None)


def explain_bytes(name: str, head: bytes) -> NotAnExport | None:
    """Return why the first bytes show that the file is no export; None where they may be JSON."""
    if len(head) < 64 and not _start(head):
        return NotAnExport(
            f"{name} is empty.", "If the download was interrupted, export the chat again."
        )
    foreign = _of_bytes(head) or other_program(head)
    return foreign.refusal(name) if foreign else None


def explain_root(name: str, keys: Set[str], root: object) -> NotAnExport:
    """Return the error for a JSON text without chats, which says by its root what the text is."""
    first = root[0] if isinstance(root, list) and root else None
    inside: Set[str] = first.keys() if isinstance(first, dict) else set()
    known = [
        *(foreign for key, foreign in _BY_KEY_IN_A_LIST.items() if key in inside),
        *(foreign for key, foreign in _BY_KEY.items() if key in keys),
    ]
    if isinstance(root, list):
        known.append(Foreign("a bare list, not an export"))
    known.append(Foreign("JSON, but not an export: it has no `data` and no `chats`"))
    return known[0].refusal(name)


def explain_cut(name: str, size: int) -> NotAnExport:
    """Return the error for a file that stops after `size` bytes, still being written or cut off."""
    return NotAnExport(
        f"{name} is cut off: it stops at byte {size:,}, and its JSON is not closed.",
        "If it is still being written, wait; otherwise export the chat again.",
    )


def explain_encoding(name: str, head: bytes, fault: UnicodeDecodeError, at: int) -> NotAnExport:
    """Return the error for a file with these first bytes that is not UTF-8 near byte `at`."""
    if not _start(head).startswith((b"{", b"[")):
        return _NEITHER.refusal(name)
    return NotAnExport(
        f"{name} is not UTF-8 text: {fault.reason} near byte {at:,}.",
        f"{_AS_WRITTEN}a text editor may have saved it in another encoding.",
    )


def explain_bad_json(name: str, text: str, fault: BadJson) -> NotAnExport:
    """Return the error that says where and why the text is no JSON, or what kind of file it is.

    Lines and columns count from 1.
    """
    start = _utf_8(text[:ENOUGH])
    if foreign := other_program(start.encode()) or _of_text(start):
        return foreign.refusal(name)
    line = text.count("\n", 0, fault.at) + 1
    before = _utf_8(text[text.rfind("\n", 0, fault.at) + 1 : fault.at])
    where = f"line {line}, column {len(before.removeprefix(chr(0xFEFF))) + 1}"
    if isinstance(fault, TooDeep):
        return Foreign(f"nested too deep near {where}: no export looks like that").refusal(name)
    if fault.open_ended:
        return explain_cut(name, len(text))
    return NotAnExport(
        f"{name} is not proper JSON at {where}: {fault.reason}.",
        f"{_AS_WRITTEN}if it was edited by hand, mend that place.",
    )


def _start(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()


def _utf_8(text: str) -> str:
    """Return as UTF-8 a text that was decoded as latin-1."""
    return text.encode("latin-1").decode("utf-8", "replace")


def _of_bytes(head: bytes) -> Foreign | None:
    """Return the kind of a file by first bytes that no JSON text has; else None."""
    start = _start(head)
    matching = (foreign for sign, foreign in _BY_FIRST_BYTES.items() if start.startswith(sign))
    return next(matching, None)


def _of_text(text: str) -> Foreign | None:
    start = text[:_ENOUGH_TEXT].lstrip("\ufeff \t\r\n")
    for pattern, foreign in _BY_TEXT.items():
        if pattern.match(start):
            return foreign
    if not start or start[0] in '{["\0':
        return None
    unprintable = sum(
        letter == "\ufffd" or not (letter.isprintable() or letter in "\r\n\t") for letter in start
    )
    if unprintable * 20 > len(start):
        return Foreign("not a TypingMind export")
    kind = "a Markdown text" if _MARKDOWN.search(start) else "plain text"
    return Foreign(f"{kind}, not JSON")
