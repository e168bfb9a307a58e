"""The line by which a unit that we wrote is known, and by which a person's change to it shows."""

import re
from hashlib import sha256
from typing import Literal

_MARK = re.compile(r"[^\n]*written by memproc, sha256=([0-9a-f]{64})[^\n]*\n")

Hand = Literal["ours", "changed", "theirs"]


def marked(text: str) -> str:
    """The text with the line that says who wrote it: a comment at the top, in XML after the declaration."""
    words = f"written by memproc, sha256={_digest(text)}"
    if not text.startswith("<?xml"):
        return f"# {words}\n{text}"
    declaration, rest = text.split("\n", 1)
    return f"{declaration}\n<!-- {words} -->\n{rest}"


def hand(text: str) -> Hand:
    """Who wrote a text: we did; we did, and somebody changed it since; or somebody else did."""
    found = _MARK.search(text)
    if found is None:
        return "theirs"
    return "ours" if _digest(text[: found.start()] + text[found.end() :]) == found[1] else "changed"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
