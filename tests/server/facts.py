"""Facts, as a context manager takes them from a passage whose messages are numbered, and compares them with known ones.

Known facts stand behind the passage as a JSON list of objects with `id` and `text`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.server.passage import at_most, is_specific, sentences, words
from tests.server.step import Task

_MOST = 2
_LEAST_WORDS, _WORDS = 4, 20
_LIST = re.compile(r"\[")


def taken_facts(task: Task) -> str:
    """One or two short sentences of the passage as new facts, those with numbers or names first; none known before."""
    known = {fact["text"] for fact in known_facts(task)}
    offered = [
        (said.number, at_most(sentence, _WORDS)) for said, sentence in sentences(task.passage)
    ]
    new = sorted(
        (one for one in dict.fromkeys(offered) if one[1] not in known),
        key=lambda one: _rank(one[1]),
    )
    return operations(
        [{"event": "ADD", "text": text, "message": number} for number, text in sorted(new[:_MOST])]
    )


def known_facts(task: Task) -> list[Mapping[str, Any]]:
    """The facts that the question shows."""
    decoder = json.JSONDecoder()
    for begin in _LIST.finditer(task.question):
        try:
            found, _ = decoder.raw_decode(task.question, begin.start())
        except json.JSONDecodeError:
            continue
        if found and all(
            isinstance(one, dict) and "text" in one and "event" not in one for one in found
        ):
            return list(found)
    return []


def operations(listed: Sequence[Mapping[str, Any]]) -> str:
    """The answer that says so."""
    return json.dumps({"memory": list(listed)}, ensure_ascii=False)


def _rank(sentence: str) -> tuple[bool, bool, int]:
    size = words(sentence)
    return size < _LEAST_WORDS, not is_specific(sentence), size
