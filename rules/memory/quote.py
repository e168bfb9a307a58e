"""Is this a direct quote? Only what stands in one raw message, character for character.

A model may set another space, quotation mark or dash than the writer did. So the search looks past just
these, and what is kept are the raw message's own characters. Where a fence of code stays open in them, they are the
longest part without it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.extract.blocks import without_open_fence
from rules.extract.words import has_words
from rules.history.entries import Entry

_ALIKE = str.maketrans("‘’‚‛“”„‟«»‹›「」『』–—―−‐‑", '\'\'\'\'""""""\'\'""""------')
_GAP = re.compile(r"\s+")
_MARKS = "\"'"


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The raw message's own characters, and the key of that message."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class NotVerbatim:
    """Why an answer is no quote, as a sentence that can be said to the agent."""

    reason: str


def find_quote(answer: str, chunk: Sequence[Entry]) -> Verbatim | NotVerbatim:
    """The passage of one message of the chunk that the answer repeats, or why there is none."""
    wanted = plain(answer).strip()
    if not has_words(wanted):
        return NotVerbatim("The answer holds no words.")
    for candidate in (wanted, _unmarked(wanted)):
        for entry in chunk:
            for part in entry.message.parts:
                found = _within(candidate, part.text) if part.spoken else None
                quote = "" if found is None else without_open_fence(found)
                if has_words(quote):
                    return Verbatim(quote, entry.key)
    return NotVerbatim("It stands in no single message of the passage, character for character.")


def can_be_quoted(chunk: Sequence[Entry]) -> bool:
    """Whether anything in it was said in words. Otherwise no model is asked about it."""
    return any(part.spoken and has_words(part.text) for entry in chunk for part in entry.message.parts)


def _unmarked(text: str) -> str:
    """The answer without the quotation marks around it, which a model adds by habit."""
    marked = len(text) > 2 and text[0] in _MARKS and text[-1] in _MARKS
    return text[1:-1].strip() if marked else text


def plain(text: str) -> str:
    """The text as quotes are compared: one space for every gap, straight quotation marks, plain dashes."""
    return _GAP.sub(" ", text.translate(_ALIKE))


def _within(wanted: str, text: str) -> str | None:
    """The characters of `text` that read as `wanted`, or None."""
    if not wanted:
        return None
    at = plain(text).find(wanted)
    if at < 0:
        return None
    return text[offset(text, at) : offset(text, at + len(wanted))]


def offset(text: str, plain_at: int) -> int:
    """Where in `text` the character stands that is at `plain_at` in `plain(text)`."""
    plain_length = raw_at = 0
    for gap in _GAP.finditer(text):
        before = gap.start() - raw_at
        if plain_at <= plain_length + before:
            break
        plain_length += before + 1
        raw_at = gap.end()
    return raw_at + plain_at - plain_length
