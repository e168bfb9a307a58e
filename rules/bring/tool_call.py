"""What the persona asked of a tool, as text: what it wrote in asking comes as its lines.

    {"path": "/outputs/kiln.md"}

    file_text:
    # The Kiln Keeper

    Odile lit the "old" kiln before dawn.

Conversations were brought with all of it as one line of JSON before. What a chat holds in that
form stays in it, so a reader can still return it (`as_before`).
"""

import json

from rules.bring.conversation import paragraphs
from rules.typingmind import spans
from rules.typingmind.spans import BadJson, Fields

_LONGEST_SETTING = 24
"""Characters; a text that is longer, and more than one word, was written to be read."""
_LONGEST_NUMBER = 16
"""Digits that JSON's numbers keep."""


def in_lines(given: object) -> str:
    """Return a tool's arguments with each long text as its lines; empty where none is long."""
    texts: list[str] = []
    rest = _without_long_texts(given, "", texts)
    return paragraphs([as_one_line(rest) if rest else "", *texts]) if texts else ""


def as_one_line(given: object) -> str:
    """Return a tool's arguments as JSON."""
    return json.dumps(_with_numbers(given), ensure_ascii=False)


def read_arguments(written: str) -> Fields:
    """Return the arguments that a text is the JSON of; empty where it is anything else."""
    try:
        given, stop = spans.value(written, len(written) - len(written.lstrip()))
    except BadJson:
        return {}
    return given if isinstance(given, dict) and not written[stop:].strip() else {}


def _without_long_texts(value: object, name: str, texts: list[str]) -> object:
    """Return a value without its long texts, which are added to `texts` with their names.

    `name` is that of the value itself; what is in a list has the list's.
    """
    if isinstance(value, dict):
        return {
            key: _without_long_texts(inner, key, texts)
            for key, inner in value.items()
            if not _is_taken(inner, key, texts)
        }
    if isinstance(value, list):
        return [
            _without_long_texts(inner, name, texts)
            for inner in value
            if not _is_taken(inner, name, texts)
        ]
    return value


def _is_taken(value: object, name: str, texts: list[str]) -> bool:
    """Return whether a value is a long text, which is then added to `texts`."""
    said = spans.text(value)
    is_one_word = said.isascii() and " " not in said
    is_long = "\n" in said.strip() or (len(said) > _LONGEST_SETTING and not is_one_word)
    if is_long:
        texts.append(f"{name}:\n" + said.strip("\r\n"))
    return is_long


def _with_numbers(value: object) -> object:
    """Return a parsed value with its numbers as numbers; one that cannot be stays as spelled."""
    if isinstance(value, dict):
        return {key: _with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    if isinstance(value, spans.Number) and len(value) < _LONGEST_NUMBER:
        return json.loads(value)
    return value
