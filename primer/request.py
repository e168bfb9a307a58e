"""A request to a model: its turns, its parameters, and its key. Secrets among a model's options are kept nowhere."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from primer.prompt import Turn

_SECRET = re.compile(r"key|token$|secret|credential|password|authorization", re.IGNORECASE)
HIDDEN = "(hidden)"


def is_secret(name: str) -> bool:
    """Whether an option of this name holds a secret."""
    return _SECRET.search(name) is not None


def hidden(found: object) -> object:
    """Tables and lists as they are, with every secret in them replaced by a word."""
    if isinstance(found, dict):
        return {name: HIDDEN if is_secret(str(name)) and value else hidden(value) for name, value in found.items()}
    return [hidden(value) for value in found] if isinstance(found, list) else found


EXTRACTIVE = "memproc/extractive"
EMBEDDING = "embedding"
"""The step of a request that asks for no words: how alike are the texts of its turns?"""
_TOKENS_A_WORD = 4
_ROUTE = frozenset(
    {
        "api_base", "base_url", "api_key", "api_version", "organization", "extra_headers", "headers", "timeout",
        "ssl_verify", "aws_region_name", "aws_profile_name", "vertex_project", "vertex_location",
    }
)  # fmt: skip
"""Options that say how a request gets there and not what is asked: the same question elsewhere is the same."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its LiteLLM name, with the options that go along (`[models.options]`). They may hold a key."""

    name: str
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    thinking_room: int = 0
    """Tokens that an answer's room has on top, because the model thinks whatever it is told."""
    tools: tuple[Mapping[str, object], ...] = field(default=(), repr=False)
    """What it may call. All of its requests carry them: a provider's cache begins with the tools."""


ENGINE = Model(EXTRACTIVE)
"""The built-in engine: no network, no key, no cost."""


@dataclass(frozen=True, slots=True)
class Request:
    """`step` is what is asked for: quote, perspective, analysis, refinement, core, facts, embedding.

    `words` is how long the answer may about be.
    """

    step: str
    model: Model
    turns: tuple[Turn, ...]
    words: int
    room: int = 1
    """How many times the usual room the answer has: more, once one was cut off."""

    @property
    def parameters(self) -> dict[str, object]:
        """What goes with the messages. Room for four tokens a word bounds what an answer can cost.

        The built-in engine reads no questions, so it is told the step and the length instead.
        """
        if self.model == ENGINE:
            return {"step": self.step, "words": self.words}
        asked = {name: value for name, value in self.model.options.items() if not _is_route(name)}
        tools = {"tools": list(self.model.tools)} if self.model.tools else {}
        return {**asked, **tools, "max_tokens": self._room}

    @property
    def _room(self) -> int:
        return (200 + self.words * _TOKENS_A_WORD) * self.room + self.model.thinking_room

    @property
    def route(self) -> dict[str, object]:
        """How the request gets there: address, key, time-out. None of it is kept."""
        return {name: value for name, value in self.model.options.items() if _is_route(name)}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The turns as LiteLLM takes them."""
        return [_message(turn) for turn in self.turns]

    @property
    def texts(self) -> tuple[str, ...]:
        """All that its model reads, in parts that are counted one by one: tools, turns, calls in them."""
        tools = (json.dumps(list(self.model.tools)),) if self.model.tools else ()
        calls = tuple(f"{call.name} {call.arguments}" for turn in self.turns for call in turn.calls)
        return (*tools, *(turn.content for turn in self.turns), *calls)

    @property
    def key(self) -> str:
        """SHA-256 of model, messages and parameters: the same request is never sent twice."""
        said = [self.model.name, self.messages, self.parameters]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _message(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": turn.role, "content": turn.content}
    if turn.calls:
        message["content"] = turn.content or None  # where calls stand alone, LiteLLM would write words of its own
        message["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in turn.calls
        ]
    return message | ({"tool_call_id": turn.answers} if turn.answers else {})


def _is_route(name: str) -> bool:
    """Secrets are on the way too: they are handed on, and never part of what is kept."""
    return name in _ROUTE or is_secret(name)
