"""The edits of the core memory that an answer asks for: by calls of tools, or by a block of JSON in its text.

```json
[{"function": "core_memory_append", "arguments": {"name": "human", "content": "..."}},
 {"function": "core_memory_append", "name": "human", "content": "..."}]
```
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from primer.inert import restore
from primer.tools import ToolCall
from rules.core.edit import Edit
from rules.core.memory import Refusal
from rules.export.content import printable

_FENCE = "```"
_NO_BLOCK = Refusal("The answer has no fenced block of JSON at its end.", "unreadable")
_NO_LIST = Refusal("The fenced block is no JSON list that can be read.", "unreadable")
_NO_OBJECT = Refusal("The arguments are no JSON object that can be read.", "unreadable")
_NO_CALL = Refusal('An entry of the list is no object with a "function" and its "arguments".', "unreadable")


def read_edits(text: str, calls: Sequence[ToolCall], native: bool) -> tuple[Edit | Refusal, ...]:
    """The edits of one answer, in order: its calls, else the last fenced block of its text.

    What cannot be read is a Refusal in its place; there is one for each call. An answer with neither calls nor a
    block asks for nothing where the agent has tools (`native`); else it should have had a block.
    """
    if calls:
        return tuple(_called(call) for call in calls)
    block = _last_block(text)
    if block is None:
        return () if native else (_NO_BLOCK,)
    said = parsed(block)
    entries = [said] if isinstance(said, dict) else said
    return tuple(map(_listed, entries)) if isinstance(entries, list) else (_NO_LIST,)


def parsed(written: str) -> Any:
    """What a model has written in JSON; None where it cannot be read, or says nothing."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return None


def _called(call: ToolCall) -> Edit | Refusal:
    arguments = parsed(call.arguments)
    return Edit(call.name, _as_meant(arguments)) if isinstance(arguments, dict) else _NO_OBJECT


def _listed(entry: Any) -> Edit | Refusal:
    """An entry of the block; its arguments stand in an object of their own, or beside the function's name."""
    if not isinstance(entry, dict) or not isinstance(entry.get("function"), str):
        return _NO_CALL
    beside = {name: value for name, value in entry.items() if name != "function"}
    inside = entry.get("arguments")
    return Edit(entry["function"], _as_meant(inside if isinstance(inside, dict) else beside))


def _as_meant(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments with tags that were shown inert as they are kept, and without what no file takes."""
    return {name: restore(printable(said)) if isinstance(said, str) else said for name, said in arguments.items()}


def _last_block(text: str) -> str | None:
    """What stands between the last two fences, if they are those of a block of JSON."""
    lines = [line.strip() for line in text.split("\n")]
    fences = [at for at, line in enumerate(lines) if line.startswith(_FENCE)]
    if len(fences) < 2:
        return None
    begin, end = fences[-2:]
    opened = lines[begin].removeprefix(_FENCE).strip().lower()
    return "\n".join(lines[begin + 1 : end]) if opened in ("", "json") and lines[end] == _FENCE else None
