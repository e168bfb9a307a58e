"""Edits of core memory in a model's answer: calls of tools, or JSON in a block."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from primer.prompt import ToolCall
from primer.tags import restore_tags
from rules.layers.core import Refusal
from rules.layers.core_editing import CoreEdit
from rules.typingmind.content import printable

_FENCE = "```"
_NO_BLOCK = Refusal("The answer has no fenced block of JSON at its end.", "unreadable")
_NO_LIST = Refusal("The fenced block is no JSON list that can be read.", "unreadable")
_NO_OBJECT = Refusal("The arguments are no JSON object that can be read.", "unreadable")
_NO_CALL = Refusal(
    'An entry of the list is no object with a "function" and its "arguments".', "unreadable"
)


def read_edits(
    text: str, calls: Sequence[ToolCall], native: bool
) -> tuple[CoreEdit | Refusal, ...]:
    """Read the edits of one answer, in order: its calls, else the last fenced block of its text.

    What cannot be read becomes a Refusal in its place; each call has its outcome. An answer with neither calls nor a
    block asks for nothing where the agent has tools (`native`); else it should have had a block.
    """
    if calls:
        return tuple(_called(call) for call in calls)
    block = _last_block(text)
    if block is None:
        return () if native else (_NO_BLOCK,)
    answer = parsed(block)
    entries = [answer] if isinstance(answer, dict) else answer
    return tuple(map(_listed, entries)) if isinstance(entries, list) else (_NO_LIST,)


def parsed(written: str) -> Any:
    """Parse the JSON that a model has written; None where it cannot be read, or says nothing."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def _called(call: ToolCall) -> CoreEdit | Refusal:
    arguments = parsed(call.arguments)
    return CoreEdit(call.name, _as_meant(arguments)) if isinstance(arguments, dict) else _NO_OBJECT


def _listed(entry: Any) -> CoreEdit | Refusal:
    """Read an entry of the block; its arguments are in their own object, or next to the function's name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("function"), str):
        return _NO_CALL
    beside = {name: value for name, value in entry.items() if name != "function"}
    inside = entry.get("arguments")
    return CoreEdit(entry["function"], _as_meant(inside if isinstance(inside, dict) else beside))


def _as_meant(arguments: Mapping[str, object]) -> dict[str, object]:
    """Restore inert tags in the arguments, and drop characters that no file takes."""
    return {
        name: restore_tags(printable(value)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _last_block(text: str) -> str | None:
    """Return the text between the last two fences, if they enclose a block of JSON."""
    lines = [line.strip() for line in text.split("\n")]
    fences = [at for at, line in enumerate(lines) if line.startswith(_FENCE)]
    if len(fences) < 2:
        return None
    begin, end = fences[-2:]
    opened = lines[begin].removeprefix(_FENCE).strip().lower()
    return (
        "\n".join(lines[begin + 1 : end])
        if opened in ("", "json") and lines[end] == _FENCE
        else None
    )
