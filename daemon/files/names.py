"""The names of a chat's files: safe on every platform, and never those of another chat.

    Aria (d6a9eafe2b).json            title, id: an id of TypingMind stays as it is
    Aria (d6a9eafe2b~3f1c….).json     an id that had to be changed carries a hash of what it was

The id alone keeps two chats apart. It is in the last parentheses, in lower case and without
parentheses of its own, so that titles may be equal, and file systems may ignore case.
"""

import re
import unicodedata
from hashlib import sha256
from itertools import chain, count
from pathlib import Path

LONGEST_NAME = 120
"""Bytes of UTF-8, suffix included: half of what file systems allow, to leave room for more."""
_LONGEST_ID = 40
_HASH_DIGITS = 20
_PLAIN_ID = re.compile(rf"[0-9a-z_-]{{1,{_LONGEST_ID}}}")
_NOT_PLAIN = re.compile(r"[^0-9a-z_-]+")
# Normalising takes quadratic time on long runs of combining marks; more could not be shown anyway.
_LONGEST_TITLE = 1_000
_HYPHENS = str.maketrans(dict.fromkeys("/\\:|", "-") | dict.fromkeys('<>"?*'))
_JOINERS = "\u200c\u200d"
# Windows keeps these for devices, with or without an ending.
_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"]
)
_SENT = "From TypingMind, "


def file_name(title: str, chat_id: str) -> str:
    """Return the name of a chat's updated file, with `.json`: at most 120 bytes of UTF-8, in NFC.

    Different chat ids never give the same name, for any titles, even where case is ignored. A title
    that changes gives another name: callers that need the old one have to remember it.
    """
    ending = f" ({_id_part(chat_id)}).json"
    letters = "".join(_safe(letter) for letter in title[:_LONGEST_TITLE].translate(_HYPHENS))
    text = " ".join(unicodedata.normalize("NFC", letters).split()).strip(" .-~" + _JOINERS)
    if text.split(".")[0].rstrip().upper() in _DEVICES:
        text = f"_{text}"
    fitting = text.encode()[: LONGEST_NAME - len(ending)].decode(errors="ignore")
    return (fitting.rstrip(" ." + _JOINERS) or "Untitled") + ending


def sent_name(title: str, chat_id: str) -> str:
    """Return the inbox name of a chat that the extension sent; no updated file has such a name."""
    return file_name(f"{_SENT}{title}", chat_id)


def is_sent(name: str) -> bool:
    """Return whether the extension sent the file; it takes the updated one back by itself."""
    return name.startswith(_SENT)


def free_place(folder: Path, stem: str, ending: str = "") -> Path:
    """Return the first place that nothing is at: `stem` and `ending`, or `stem-2` and so on."""
    numbers = chain([""], map("-{}".format, count(2)))
    places = (folder / f"{stem}{number}{ending}" for number in numbers)
    return next(place for place in places if not place.exists())


def _id_part(chat_id: str) -> str:
    """Return a safe id as it is; of another, what can be kept, `~`, and a hash of all of it."""
    if _PLAIN_ID.fullmatch(chat_id):
        return chat_id
    kept = _NOT_PLAIN.sub("-", chat_id[:_LONGEST_TITLE].lower()).strip("-") or "chat"
    digits = sha256(chat_id.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{kept[: _LONGEST_ID - _HASH_DIGITS - 1]}~{digits}"


def _safe(letter: str) -> str:
    """Return white space as a blank, and nothing for what cannot be seen or turns the line."""
    if letter.isspace():
        return " "
    # The joiners make one emoji out of several, and are part of how some scripts are written.
    refused = unicodedata.category(letter).startswith("C") and letter not in _JOINERS
    return "" if refused else letter
