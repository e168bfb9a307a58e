"""What a file that is no export looks like, judged by its first bytes, in words that a person knows it by."""

import re
from collections.abc import Set

ENOUGH = 4096
"""So many of a file's first bytes are enough."""
EXPORT_AGAIN = "In TypingMind open the chat's menu, choose Export, and drop that file as it is."
_DECRYPT = ("an encrypted backup", "Restore it in TypingMind with its password, then export the chats from there.")
_UTF_16 = ("text in UTF-16, not UTF-8", "Save it as UTF-8, or drop the file exactly as TypingMind wrote it.")
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
_OF_CHATGPT = ("a ChatGPT export", "Import it into TypingMind first, then export the chat from there.")
_OF_CLAUDE = ("an export of Claude's own app", "Import it into TypingMind first, then export the chat from there.")
_OF_SILLYTAVERN = ("a chat of SillyTavern (JSONL)", "memproc reads chats of TypingMind: export them there.")
_CARD = ("a character of SillyTavern", "memproc reads chats of TypingMind: export them there.")
_MARKDOWN = re.compile(r"^(#{1,6} \S|\*\*\S|[-*] \S|> |```|---$)", re.MULTILINE)
_SILLYTAVERN = re.compile(r'\{\s*"(?:chat_metadata|user_name|character_name)"')
_SECOND_LINE = re.compile(r"^\s*\{[^\n]*\}\s*\n\s*\{")


def looks_like(head: bytes) -> tuple[str, str]:
    """What a file that begins so is, as `a PDF`, and what to do; empty texts where it may be JSON of any kind."""
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
    if sum(not letter.isprintable() and letter not in "\r\n\t" for letter in start) * 20 > len(start):
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
    if "conversations.json" in names:
        return _OF_CHATGPT if {"chat.html", "message_feedback.json"} & names else _OF_CLAUDE
    return ("an e-book or an OpenDocument text", EXPORT_AGAIN) if "mimetype" in names else ("", "")
