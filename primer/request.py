"""Requests to models, with their cache keys and without secrets."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from primer.models import ENGINE, Model, is_secret
from primer.prompt import Turn

RULES = 3
"""The version of the built-in engine's rules: what it answered by others is no answer any more."""
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


@dataclass(frozen=True)  # without slots, so that it can remember its key
class Request:
    """`step` is what is asked for: quote, perspective, analysis, refinement, core, facts, embedding.

    `words` is how long the answer may about be.
    """

    step: str
    model: Model
    turns: tuple[Turn, ...]
    words: int
    room: int = 1
    """The room for the answer as a multiple of the usual: more, once an answer was cut off."""

    @property
    def parameters(self) -> dict[str, object]:
        """Return the parameters sent with the messages. Room for four tokens a word bounds an answer's cost.

        The built-in engine reads no questions, so it is told the step and the length instead.
        """
        if self.model == ENGINE:
            return {"step": self.step, "words": self.words, "rules": RULES}
        asked = {name: value for name, value in self.model.options.items() if not _is_route(name)}
        tools = {"tools": list(self.model.tools)} if self.model.tools else {}
        return {**asked, **tools, "max_tokens": self._room}

    @property
    def _room(self) -> int:
        return (200 + self.words * _TOKENS_A_WORD) * self.room + self.model.thinking_room

    @property
    def route(self) -> dict[str, object]:
        """Return how the request gets there: address, key, time-out. None of these is kept."""
        return {name: value for name, value in self.model.options.items() if _is_route(name)}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The turns as LiteLLM takes them."""
        return [turn.message for turn in self.turns]

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all that its model reads, in parts that are counted one by one: tools, turns, calls in them."""
        tools = (json.dumps(list(self.model.tools)),) if self.model.tools else ()
        calls = tuple(f"{call.name} {call.arguments}" for turn in self.turns for call in turn.calls)
        return (*tools, *(turn.content for turn in self.turns), *calls)

    @cached_property
    def key(self) -> str:
        """SHA-256 of model, messages and parameters: the same request is never sent twice."""
        name, parameters = (
            json.dumps(part, sort_keys=True) for part in (self.model.name, self.parameters)
        )
        messages = ", ".join(turn.in_json for turn in self.turns)
        content = f"[{name}, [{messages}], {parameters}]"
        return hashlib.sha256(content.encode()).hexdigest()


def _is_route(name: str) -> bool:
    """Secrets are on the way too: they are handed on, and never part of what is kept."""
    return name in _ROUTE or is_secret(name)
