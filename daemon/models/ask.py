"""What asking a model takes, and the door through which requests leave and replies come back.

There are two transports: `direct.py` sends each request by itself, `batch.py` many together at half the price.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply
from daemon.config.providers import WhenToBatch
from daemon.events import Tell
from daemon.files.clock import at
from daemon.models.completion import Completion
from daemon.models.run_budget import RunBudget
from primer.request import Request
from rules.retention import in_window

Complete = Callable[[Request], Completion]
Clock = Callable[[], str]


class Unsent(Exception):
    """The request was not sent, because the work is to end first."""


@dataclass(frozen=True, slots=True)
class Asking:
    """All that is needed to ask models in one run."""

    archive: Archive
    budget: RunBudget
    complete: Complete
    """Asks a model once."""
    clock: Clock
    tell: Tell
    pause: Callable[[float], None]
    """Waits so many seconds; it may raise what ends the work."""
    night: str = ""
    """When it is night, for batches that are sent at night only."""


def time_for_batches(when: WhenToBatch, night: str, now: str) -> bool:
    """Whether requests are sent in batches at this time (UTC); `night` is a window of local time."""
    return when == "always" or (when == "night" and in_window(night, at(now).astimezone().time()))


Outcome = Reply | BaseException | None
"""What came of a request: its reply, which is in the journal; why there is none; None: it is to be sent once more."""


class Transport(Protocol):
    """A way for requests to reach a model. A reply is in the journal before it is handed back."""

    @property
    def room(self) -> int:
        """How many dialogues may go on at once so that none waits for long."""

    @property
    def under_way(self) -> Collection[str]:
        """The keys of the requests that were given to it and have not come back."""

    def takes(self, request: Request, key: str) -> bool:
        """Whether the request goes this way now."""

    def send(self, request: Request, key: str) -> bool:
        """Take the request; False where it must wait until others have come back.

        Raises OverBudget where a cap of the budget is reached even when all others are settled, and UnknownPrice.
        """

    def receive(self) -> Iterator[tuple[str, Outcome]]:
        """Wait until something comes back; the key of each such request, and what came of it."""


def reply_to(
    answer: Completion,
    usd: float | None,
    *,
    key: str,
    model: str,
    step: str,
    asked_at: str,
    now: str,
    batch: str = "",
) -> Reply:
    """The journal's entry for an answer to the request with this key; `batch` names the batch that it came by."""
    return Reply(
        request=key,
        model=model,
        step=step,
        text=answer.text,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        tokens_cached=answer.tokens_cached,
        tokens_cache_written=answer.tokens_cache_written,
        usd=usd,
        asked_at=asked_at,
        answered_at=now,
        litellm_usd=answer.usd,
        batch=batch,
        calls=answer.calls,
    )
