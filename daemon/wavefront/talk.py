"""A dialogue with models that is under way, beside others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from primer.request import Request

T = TypeVar("T")


class NotYet(Exception):
    """The answer to this request is not there yet: the dialogue is held again when it is."""

    def __init__(self, key: str, request: Request) -> None:
        super().__init__(key)
        self.key = key
        self.request = request


class Blocked(Exception):
    """What the dialogue begins with is not there yet: it is held again whenever the others have gone on."""


@dataclass(slots=True, eq=False)
class Talk(Generic[T]):
    """A dialogue of which one memory, edition or fold will come."""

    hold: Callable[[], T]
    """Holds it, from its beginning, as far as its answers are known, and then raises NotYet, or Blocked."""
    rank: int = 0
    """Lower ones are asked first."""
    behind: "Talk[Any] | None" = None
    """One whose requests begin as this one's do: they find that in the provider's cache when it has led."""
    ahead: Request | None = None
    """A request that it will come to, and that needs no answer before it."""
    awaits: NotYet | None = None
    opened: str = ""
    """Key of the first request that was sent for it, but for what goes ahead."""
    result: T | None = None
    """There once the dialogue is finished."""
