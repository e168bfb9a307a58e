"""Edits of the core memory, as a model makes them: by calls where the request has tools, else as fenced JSON."""

import json
from collections.abc import Mapping
from typing import Any

from tests.server.passage import at_most, sentences
from tests.server.reply import Answer, Call
from tests.server.request import Request
from tests.server.step import Task

SECTION = "human"
APPEND, REPLACE = "core_memory_append", "core_memory_replace"
_LEAD = "Told to me once: "
_WORDS = 8
_CHARACTERS = 60


def edited_core(request: Request, task: Task) -> Answer:
    """A few words of the passage go into the section of the person, once in a chat; otherwise nothing changes."""
    offered = APPEND in (request.tools or task.question)
    offer = [at_most(sentence, _WORDS)[:_CHARACTERS] for _, sentence in sentences(task.passage)]
    if (
        task.again
        or not offered
        or not offer
        or SECTION not in task.question
        or _LEAD in task.question
    ):
        return nothing_to_change(request)
    return edit(request, APPEND, {"name": SECTION, "content": _LEAD + offer[0]})


def edit(request: Request, function: str, arguments: Mapping[str, Any]) -> Answer:
    """One edit."""
    if request.tools:
        return Answer("", calls=(Call(function, json.dumps(arguments, ensure_ascii=False)),))
    written = json.dumps([{"function": function, "arguments": arguments}], ensure_ascii=False)
    return Answer(f"```json\n{written}\n```")


def nothing_to_change(request: Request) -> Answer:
    """No edit at all, in the form of the request."""
    return Answer(
        "Nothing to change." if request.tools else "Nothing to change.\n\n```json\n[]\n```"
    )
