"""A dialogue with models that is under way, beside others."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from primer.request import Request

T = TypeVar("T")


class NotYet(Exception):
    """The answer to this request is not there yet: the dialogue is held again when it is."""

    def __init__(self, key: str, request: Request) -> None:
        super().__init__(key)
        self.key = key
        self.request = request


@dataclass(slots=True, eq=False)
class Talk(Generic[T]):
    """A dialogue of which one memory, edition or fold will come."""

    hold: Callable[[], T]
    """Holds it, from its beginning, as far as its answers are known, and then raises NotYet."""
    rank: int = 0
    """Lower ones are asked first."""
    prefix: Hashable | None = None
    """Talks that have the same one begin their requests alike, so that the provider's cache serves them (D6)."""
    ahead: Request | None = None
    """A request that it will come to, and that needs no answer before it."""
    awaits: NotYet | None = None
    result: T | None = None
    """There once the dialogue is finished."""
