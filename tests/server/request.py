"""What a client asked, whatever the dialect: a model, turns of text, and room for the answer."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Turn:
    """One block of text and who says it: `system`, `user` or `assistant`.

    A message of several blocks is several turns, since LiteLLM joins neighbours of one role into one message.
    """

    role: str
    text: str


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
    def key(self) -> str:
        """SHA-256 of model, turns and max_tokens: cache marks and streaming do not make another request."""
        said = [self.model, [[turn.role, turn.text] for turn in self.turns], self.max_tokens]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()
