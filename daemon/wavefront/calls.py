"""Calls of a model that are under way, each in a thread of its own. Nothing but the call itself happens there."""

import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from daemon.models.ask import Asked, Complete
from daemon.models.completion import Completion


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A request that has been sent; `key` is its own."""

    key: str
    asked: Asked
    future: Future[Completion] = field(default_factory=Future)


class Calls:
    """The calls that are under way, or have ended and are not put away."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self._calls: dict[str, Call] = {}

    def send(self, call: Call) -> None:
        """Ask the request's model; returns at once."""
        self._calls[call.key] = call
        # The interpreter does not wait for such a thread: who interrupts twice need not wait for an answer.
        threading.Thread(target=_carry_out, args=(self._complete, call), name="call", daemon=True).start()

    def ended(self) -> Sequence[Call]:
        """Those that have ended, in the order in which they were sent; waits for the first of them."""
        ended, _ = wait([call.future for call in self._calls.values()], return_when=FIRST_COMPLETED)
        return [call for call in self._calls.values() if call.future in ended]

    def put_away(self, call: Call) -> None:
        """Forget a call that has ended."""
        del self._calls[call.key]

    def __contains__(self, key: str) -> bool:
        return key in self._calls

    def __len__(self) -> int:
        return len(self._calls)


def _carry_out(complete: Complete, call: Call) -> None:
    try:
        call.future.set_result(complete(call.asked.request))
    except BaseException as fault:  # raised again where the answer was asked for
        call.future.set_exception(fault)
