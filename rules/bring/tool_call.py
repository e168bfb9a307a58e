"""Write a tool call as text: long texts in its arguments become lines.

    {"path": "/outputs/kiln.md"}

    file_text:
    # The Kiln Keeper

    Odile lit the "old" kiln before dawn.

Earlier versions brought all arguments as one line of JSON. What a chat has in that form stays so,
and a reader can still return it (`as_before`).
"""

import json

from rules.bring.conversation import paragraphs
from rules.typingmind import spans
from rules.typingmind.spans import BadJson, Fields

_LONGEST_SETTING = 24
"""A text of more characters and more than one word was written to be read."""
_LONGEST_NUMBER = 16
"""Numbers of fewer characters keep all their digits as JSON numbers."""


def in_lines(given: object) -> str:
    """Return a tool's arguments with each long text as its lines; "" where no text is long."""
    texts: list[str] = []
    rest = _without_long_texts(given, "", texts)
    return paragraphs([as_one_line(rest) if rest else "", *texts]) if texts else ""


def as_one_line(given: object) -> str:
    """Return a tool's arguments as JSON."""
    return json.dumps(_with_numbers(given), ensure_ascii=False)


def read_arguments(written: str) -> Fields:
    """Return the arguments of which a text is the JSON; empty where it is anything else."""
    try:
        given, stop = spans.value(written, len(written) - len(written.lstrip()))
    except BadJson:
        return {}
    return given if isinstance(given, dict) and not written[stop:].strip() else {}


def _without_long_texts(value: object, name: str, texts: list[str]) -> object:
    """Return a value without its long texts, which are added to `texts` with their names.

    `name` is the key of the value; items of a list have the list's.
    """
    if isinstance(value, dict):
        return {
            key: _without_long_texts(inner, key, texts)
            for key, inner in value.items()
            if not _move_long_text(inner, key, texts)
        }
    if isinstance(value, list):
        return [
            _without_long_texts(inner, name, texts)
            for inner in value
            if not _move_long_text(inner, name, texts)
        ]
    return value


def _move_long_text(value: object, name: str, texts: list[str]) -> bool:
    """Add a value to `texts` where it is a long text, and return whether it is."""
    text = spans.text(value)
    is_one_word = text.isascii() and " " not in text
    is_long = "\n" in text.strip() or (len(text) > _LONGEST_SETTING and not is_one_word)
    if is_long:
        texts.append(f"{name}:\n" + text.strip("\r\n"))
    return is_long


def _with_numbers(value: object) -> object:
    """Return a parsed value with its numbers as numbers; those that would lose digits stay text."""
    if isinstance(value, dict):
        return {key: _with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    if isinstance(value, spans.Number) and len(value) < _LONGEST_NUMBER:
        return json.loads(value)
    return value
