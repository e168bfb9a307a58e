"""What a script may decide: an answer, or one of the ways in which a call fails."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.server.request import Request

Ending = Literal["ended", "cut off", "refused"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants to be called, and the arguments as it writes them: JSON."""

    name: str
    arguments: str

    def parsed(self) -> Any:
        """The arguments as Anthropic and Ollama send them. ValueError where they are no JSON: these parse them."""
        return json.loads(self.arguments)


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer. `thinking` comes first, as a block of its own, where the dialect has such blocks.

    It takes `seconds` longer than the server's own latency. `calls` stand behind the text.
    """

    text: str
    ending: Ending = "ended"
    thinking: str = ""
    seconds: float = 0.0
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer with an HTTP status of its own. `kind` is Anthropic's name for it; `retry_after` is in seconds."""

    status: int
    kind: str
    message: str
    retry_after: int | None = None


@dataclass(frozen=True, slots=True)
class Hang:
    """No byte is ever answered."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection closes in the middle of the answer, which costs all the same."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Malformed:
    """Status 200, and this body; without one, a body that is no JSON."""

    body: Mapping[str, Any] | None = None


Reply = Answer | Failure | Hang | Drop | Malformed
Script = Callable[[Request], Reply]


class Rejected(Exception):
    """A request that the server refuses by its own rules, without asking the script."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def invalid(message: str) -> Rejected:
    """The refusal of a request that is wrong in itself: status 400."""
    return Rejected(Failure(400, "invalid_request_error", message))
