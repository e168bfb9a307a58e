"""Reads a request as a model would: which tags of ours are alive in it, where they stand, and what they wrap.

It shares no code with what makes the prompts.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ALIVE = re.compile(r"<[\s/]*+(system|context_manager|to_remember)\b", re.IGNORECASE)
_WRAPPED = re.compile(
    r'<(system|context_manager|to_remember)((?: [a-z]+="[^"<>]*")*)>\n(.*?)\n</\1>(?:\n(?=<to_remember)|\Z)',
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
_JOINED = re.compile(
    r"(<[\s/]*+)\u2060(\u2060*+(?:system|context_manager|to_remember)\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text in a request: who says it, the tag around it (empty for none), its attributes, and its words."""

    role: str
    tag: str
    attributes: Mapping[str, str]
    words: str


def read_request(body: Mapping[str, Any]) -> tuple[str, list[Block]]:
    """The system turn, and every block of the other turns, in order; for the body of Anthropic's dialect.

    AssertionError where a tag is alive that does not wrap a whole block.
    """
    system = "".join(_texts(body.get("system", "")))
    assert not _ALIVE.search(system), "a tag is alive in the system turn"
    turns = [
        (message["role"], text)
        for message in body["messages"]
        for text in _texts(message["content"])
    ]
    return system, [block for role, text in turns for block in _blocks(role, text)]


def _texts(content: str | Sequence[Mapping[str, Any]]) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def _blocks(role: str, text: str) -> list[Block]:
    """The wrapped blocks that the text consists of, or the text alone, in which nothing is alive."""
    if not _ALIVE.match(text):
        assert not _ALIVE.search(text), "a tag is alive within somebody's words"
        return [Block(role, "", {}, text)]
    blocks, at = [], 0
    while at < len(text):
        found = _WRAPPED.match(text, at)
        assert found, "a tag is alive, and wraps no whole block"
        assert not _ALIVE.search(found[3]), "a tag is alive within a block"
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(found[2])}
        blocks.append(Block(role, found[1], attributes, found[3]))
        at = found.end()
    return blocks


def is_alive(text: str) -> bool:
    """Whether a tag of ours stands in the text so that a model would take it for one."""
    return _ALIVE.search(text) is not None


def as_it_was(text: str) -> str:
    """The text without the joiner that keeps each tag in it from being one."""
    return _JOINED.sub(r"\1\2", text)
