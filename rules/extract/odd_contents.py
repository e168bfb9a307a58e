"""What is said of messages in which nothing can be quoted or summed up: emoji, images, code, single words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from rules.extract.prose import Said
from rules.extract.sentences import sentences
from rules.extract.words import UNSEEN, has_words

_PLACEHOLDER = re.compile(r"\[([^\]\n]*)\]")
_EMPTY = "empty message"
_PLACEHOLDERS = (
    ("image", "images"),
    ("file", "files"),
    ("sound", "sound"),
    ("tool call", "the work of tools"),
    ("tool result", "the work of tools"),
    ("thinking", "thinking"),
)
_OTHER = "notes in brackets"
_SYMBOLS = ("So", "Sk", "Cn", "Co")
"""Emoji, their skin tones, and those that Python does not know yet."""


def what_was_there(passage: Sequence[Said]) -> str:
    """Return one sentence on what the messages consisted of; empty for no messages."""
    kinds = Counter(_kind(message.text) for message in passage).most_common()
    if not kinds:
        return ""
    if len(kinds) == 1:
        return _of_one_kind(*kinds[0])
    parts = [
        f"{number:,} of {kind} alone" if kind else f"{number:,} empty" for kind, number in kinds
    ]
    return f"We exchanged {len(passage):,} messages: {', '.join(parts[:-1])} and {parts[-1]}."


def _of_one_kind(kind: str, number: int) -> str:
    if number == 1:
        return (
            f"There was one message of {kind} alone."
            if kind
            else "There was one message, and it was empty."
        )
    return (
        f"We exchanged {number:,} messages of {kind} alone."
        if kind
        else f"We exchanged {number:,} empty messages."
    )


def _kind(text: str) -> str:
    """Return the kind of content that a message consists of; empty for an empty one."""
    rest = _PLACEHOLDER.sub("", text)
    if not rest.strip().strip(UNSEEN + "\u200b"):
        named = [name for name in _PLACEHOLDER.findall(text) if name != _EMPTY]
        return _held(named[0]) if named else ""
    if not has_words(rest):
        has_symbols = any(unicodedata.category(mark) in _SYMBOLS for mark in rest)
        return "emoji" if has_symbols else "punctuation"
    return "a few words" if any(piece.prose for piece in sentences(rest)) else "code or tables"


def _held(name: str) -> str:
    return next((kind for begins, kind in _PLACEHOLDERS if name.startswith(begins)), _OTHER)
