"""The passage of a prompt, read back: what was said in it, and before and after."""

import html
import re
from collections.abc import Sequence
from itertools import groupby

from primer.prompt import Turn
from primer.tags import restore_tags
from rules.extract.prose import Said

_WRAPPED = re.compile(r"<to_remember((?: [a-z]+=\"[^\"]*\")*)>\n(.*?)\n</to_remember>", re.DOTALL)
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")


def read_passage(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return every message in `<to_remember>`, as it was said. Tags in people's text are inert by then."""
    return tuple(
        Said(attributes.get("role", turn.role), restore_tags(text), attributes.get("date", "")[:10])
        for turn in turns
        for attributes, text in _wrapped(turn.content)
    )


def read_stretches(turns: Sequence[Turn]) -> tuple[tuple[Said, ...], ...]:
    """Return the passage cut by the attribute `memory` of its messages, one part a memory."""
    numbered = [
        attributes.get("memory", "") for turn in turns for attributes, _ in _wrapped(turn.content)
    ]
    messages = zip(read_passage(turns), numbered, strict=True)
    return tuple(
        tuple(message for message, _ in row)
        for _, row in groupby(messages, key=lambda entry: entry[1])
    )


def said_before(turns: Sequence[Turn]) -> tuple[Said, ...]:
    """Return the messages and memories before the passage, as they were said, without the system's part."""
    first = next((at for at, turn in enumerate(turns) if _WRAPPED.search(turn.content)), len(turns))
    return tuple(
        Said(turn.role, restore_tags(turn.content), "")
        for turn in turns[:first]
        if turn.role != "system"
    )


def said_after(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the texts since the passage: questions, answers, and the analysis in the last question."""
    last = max((at for at, turn in enumerate(turns) if _WRAPPED.search(turn.content)), default=-1)
    return tuple(restore_tags(turn.content) for turn in turns[last + 1 :])


def _wrapped(content: str) -> list[tuple[dict[str, str], str]]:
    wrapped = _WRAPPED.findall(content)
    return [
        ({key: html.unescape(value) for key, value in _ATTRIBUTE.findall(head)}, text)
        for head, text in wrapped
    ]
