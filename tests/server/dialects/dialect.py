"""What a dialect must be able to do."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.server.entries import Entries, Sight
from tests.server.models import Model
from tests.server.reply import Answer, Failure
from tests.server.request import Request
from tests.server.usage import Usage

Headers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """`events` are the pieces of a streamed answer, as bytes on the wire, of the type `streams`.

    `key` reads the key out of the headers; a dialect without it asks for none. `admit` refuses what the
    provider would refuse, and returns the request as the model will see it.
    """

    name: str
    streams: str
    key: Callable[[Headers], str] | None
    read: Callable[[Mapping[str, Any], Headers], Request]
    admit: Callable[[Request, Model], Request]
    look: Callable[[Request, Model, Entries], Sight]
    whole: Callable[[Request, Answer, Usage], dict[str, Any]]
    events: Callable[[Request, Answer, Usage], Iterator[bytes]]
    error: Callable[[Failure], dict[str, Any]]


def call_id(begins: str, request: Request, at: int) -> str:
    """The id of a call: the same request has the same one whenever it comes."""
    return f"{begins}_{request.key[:16]}_{at}"


def pieces(text: str) -> Iterator[str]:
    """A text as it comes in a stream: a few dozen characters at a time."""
    for at in range(0, len(text), 40):
        yield text[at : at + 40]
