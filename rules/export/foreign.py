"""What a file is when it is no export: one clear sentence, and what to do instead."""

from collections.abc import Sequence

from rules.errors import NotAnExport
from rules.export.spans import BadJson, TooDeep

_EXPORT_AGAIN = "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
_SIGNS = (
    (
        b"ENCRYPTED:",
        "an encrypted backup",
        "Restore it in TypingMind with its password, then export the chats from there.",
    ),
    (
        b"Salted__",
        "an encrypted backup",
        "Restore it in TypingMind with its password, then export the chats from there.",
    ),
    (
        b"\xff\xfe",
        "text in UTF-16, not UTF-8",
        "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.",
    ),
    (
        b"\xfe\xff",
        "text in UTF-16, not UTF-8",
        "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.",
    ),
    (b"\x1f\x8b", "a gzip file", "Unpack it, and drop the JSON file that is inside."),
    (b"<", "a web page or XML, not JSON", _EXPORT_AGAIN),
    (b"%PDF", "a PDF", _EXPORT_AGAIN),
)


def explain_bytes(name: str, head: bytes) -> NotAnExport | None:
    """What the first bytes alone give away; None where they may begin a JSON text."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start and len(head) < 64:
        return NotAnExport(f"{name} is empty.", "If the download was interrupted, export the chat again.")
    for sign, what, remedy in _SIGNS:
        if start.startswith(sign):
            return NotAnExport(f"{name} is {what}.", remedy)
    return None


def explain_root(name: str, keys: Sequence[str], root: object) -> NotAnExport:
    """What a JSON text without chats is, by the keys of its root (or by its root, where that is no object)."""
    if {"localStorage", "indexedDB"} & set(keys):
        return NotAnExport(
            f"{name} is a backup of a TypingMind extension, not an export.",
            "Restore it in TypingMind, then export the chats from there.",
        )
    if "chatID" in keys:
        return NotAnExport(f"{name} is a single chat without the container that TypingMind imports.", _EXPORT_AGAIN)
    if "messages" in keys:
        return NotAnExport(
            f"{name} is a Share file (JSON for reading or fine-tuning), which TypingMind cannot import.",
            _EXPORT_AGAIN,
        )
    if "data" in keys:
        return NotAnExport(
            f"{name} is a part of an export, and this part has no chats.",
            "Drop the parts that hold the chats (usually those with the higher numbers), or export single chats.",
        )
    if isinstance(root, list) and root and isinstance(root[0], dict) and "mapping" in root[0]:
        return NotAnExport(
            f"{name} is a ChatGPT export.",
            "Import it into TypingMind first, then export the chat from there.",
        )
    if isinstance(root, list):
        return NotAnExport(f"{name} is a bare list, not an export.", _EXPORT_AGAIN)
    return NotAnExport(f"{name} is JSON, but not an export: it has no `data` and no `chats`.", _EXPORT_AGAIN)


def explain_cut(name: str, size: int) -> NotAnExport:
    """The file just stops, after so many bytes: a download that goes on, or that was broken off."""
    return NotAnExport(
        f"{name} is cut off: it stops at byte {size:,}, and its JSON is not closed.",
        "If it is still being written, wait; otherwise export the chat again.",
    )


def explain_bad_json(name: str, text: str, fault: BadJson) -> NotAnExport:
    """Where and how the text stops being JSON. Line and column count from 1, the column in characters."""
    line_start = text.rfind("\n", 0, fault.at) + 1
    line = text.count("\n", 0, fault.at) + 1
    before = text[line_start : fault.at].encode("latin-1").decode("utf-8", "replace")
    column = len(before.removeprefix("\ufeff")) + 1
    if isinstance(fault, TooDeep):
        return NotAnExport(
            f"{name} is nested too deep near line {line}, column {column}: no export looks like that.",
            _EXPORT_AGAIN,
        )
    if fault.open_ended:
        return explain_cut(name, len(text))
    return NotAnExport(
        f"{name} is not proper JSON at line {line}, column {column}: {fault.reason}.",
        "Drop the file exactly as TypingMind wrote it; if it was edited by hand, mend that place.",
    )
