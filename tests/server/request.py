"""What a client asked, whatever the dialect: a model, turns of text, and room for the answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """One block of text and who says it: `system`, `user` or `assistant`; `call` and `result` are those of a tool.

    A message of several blocks is several turns, since LiteLLM joins neighbours of one role into one message.
    """

    role: str
    text: str


def called(name: str, arguments: object) -> Turn:
    """The call of a tool, as a turn: its name and its arguments, without the id that the call happens to have."""
    return Turn(
        "call", f"{name} {arguments if isinstance(arguments, str) else json.dumps(arguments)}"
    )


@dataclass(frozen=True, slots=True)
class Request:
    """`number` counts arrivals at this server from 1; `attempt` counts arrivals of this very request."""

    dialect: str
    model: str
    turns: tuple[Turn, ...]
    max_tokens: int | None
    stream: bool
    body: Mapping[str, Any]
    number: int = 0
    attempt: int = 0

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the functions that the model may call."""
        return tuple(
            str((tool.get("function") or tool).get("name")) for tool in self.body.get("tools") or []
        )

    @property
    def key(self) -> str:
        """SHA-256 of model, tools, turns and max_tokens: cache marks and streaming do not make another request."""
        said = [self.model, [[turn.role, turn.text] for turn in self.turns], self.max_tokens]
        return hashlib.sha256(
            json.dumps([*said, self.tools] if self.tools else said).encode()
        ).hexdigest()
