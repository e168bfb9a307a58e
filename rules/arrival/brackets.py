"""Follows the brackets of a JSON text that comes block by block, to the one that closes it."""

from dataclasses import dataclass
from itertools import accumulate

_BRACKETS = b"{[]}"
_OTHERS = bytes(set(range(256)) - set(_BRACKETS))
_STEP = [1 if code in b"{[" else -1 for code in range(256)]


@dataclass(frozen=True, slots=True)
class Open:
    """A JSON text that is not closed yet: how deep, and whether a string is open too."""

    depth: int = 0
    in_string: bool = False
    escape: bytes = b""
    """The backslash that the last block ended with, when its letter is still to come."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The bracket that closes the text has come; what follows does not matter here."""


def follow(state: Open, block: bytes) -> Open | Closed:
    """Read on by one block, which begins with the text's first bracket where `state` is a new one.

    Which bracket closes which is not looked at: the reader of the export does that. Takes time and memory
    in proportion to the block, whatever is in it.
    """
    *parts, last = (state.escape + block).split(b'"')
    in_string = state.in_string
    outside = []
    for part in parts:
        if not in_string:
            outside.append(part)
            in_string = True
        elif part[-1:] != b"\\" or not _escapes(part):
            in_string = False
    if not in_string:
        outside.append(last)
    brackets = b"".join(outside).translate(None, _OTHERS)
    closing = sum(map(brackets.count, b"}]"))
    if closing and closing >= state.depth and min(accumulate(map(_STEP.__getitem__, brackets))) <= -state.depth:
        return Closed()
    depth = state.depth + len(brackets) - 2 * closing
    return Open(depth, in_string, b"\\" if in_string and _escapes(last) else b"")


def _escapes(text: bytes) -> bool:
    """Whether what comes after `text`, a part of a string, is escaped: an odd number of backslashes ends it."""
    return (len(text) - len(text.rstrip(b"\\"))) % 2 == 1
