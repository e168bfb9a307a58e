"""The direct transport: each request by itself, several at once, patiently where a provider is busy.

The money is reserved before a call leaves, and settled in the transaction in which its answer is kept. Nothing but
the call itself happens in its thread.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import TypeVar

from daemon.archive.journal import Reply, record
from daemon.models.ask import Asking, Outcome, Reservation, Unsent, release, reply_to, reserve, settle
from daemon.models.completion import Completion
from primer.reply import Request
from rules.errors import CutOff, MemprocError, NotNow, OutOfReach, OverBudget

T = TypeVar("T")

ATTEMPTS = 6
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0
_LONGEST_WAIT_SECONDS = 300.0


def patiently(
    complete: Callable[[Request], Completion],
    sleep: Callable[[float], None] = time.sleep,
    chance: Callable[[], float] = random.random,
) -> Callable[[Request], Completion]:
    """`complete`, tried up to six times. `sleep` takes seconds, `chance` answers between 0 and 1.

    The result raises OutOfReach when the provider has not answered by then, or asks for a wait of more than
    five minutes; and CutOff where a request was sent and its answer got lost: before it is sent once more, it waits.
    """

    lost = Counter[str]()

    def ask(request: Request) -> Completion:
        if lost and (times := lost[request.key]):
            sleep(_pause(times, None, chance()))
        try:
            return _persist(lambda: complete(request), sleep, chance, repeats_lost=False)
        except CutOff:
            lost[request.key] += 1
            raise  # it may have been billed: whoever pays says whether it is sent once more

    return ask


def persistently(ask: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """What `ask` returns, tried as often. It costs nothing, so that it may be asked again if its answer got lost.

    Raises OutOfReach as above.
    """
    return _persist(ask, sleep, random.random, repeats_lost=True)


def _persist(
    ask: Callable[[], T], sleep: Callable[[float], None], chance: Callable[[], float], *, repeats_lost: bool
) -> T:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ask()
        except NotNow as fault:
            if isinstance(fault, CutOff) and not repeats_lost:
                raise
            wait = _pause(attempt, fault.retry_after, chance())
            if attempt == ATTEMPTS or wait > _LONGEST_WAIT_SECONDS:
                raise OutOfReach(f"{fault.message} It was asked {attempt} times.", fault.next_step) from fault
            sleep(wait)
    raise AssertionError("the last attempt answers or raises")


def _pause(attempt: int, retry_after: float | None, chance: float) -> float:
    """Twice as long each time, spread so that many callers do not come back at once; never less than asked for."""
    growing = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
    return max(retry_after or 0.0, float(growing * (0.5 + chance / 2)))


MOST_CUT_OFF = 6
"""How often a request whose answer got lost is sent: each time may have been billed."""


@dataclass(frozen=True, slots=True, eq=False)
class DirectCall:
    """A request that is under way."""

    request: Request
    key: str
    reserved: Reservation
    at: str
    """When it was sent."""
    future: Future[Completion] = field(default_factory=Future)


class Direct:
    """Sends requests one by one; at most `most` are under way at once."""

    def __init__(self, asking: Asking, chat_id: str, most: int) -> None:
        self._asking = asking
        self._chat_id = chat_id
        self._most = most
        self._calls: dict[str, DirectCall] = {}
        self._lost = Counter[str]()
        self._is_closed = False
        self._complete = patiently(self._once, asking.pause)

    @property
    def room(self) -> int:
        """Twice as many as may be under way, since some of them wait for others."""
        return 2 * self._most

    @property
    def under_way(self) -> Collection[str]:
        """The keys of the calls whose answers have not been received."""
        return self._calls.keys()

    def takes(self, request: Request, key: str) -> bool:
        """Any request can be sent by itself."""
        return True

    def send(self, request: Request, key: str) -> bool:
        """Reserve what the call may cost, and send it; False where it must wait until others have come back.

        Raises OverBudget where a cap is reached even when all others are settled, and UnknownPrice.
        """
        if len(self._calls) >= self._most:
            return False
        now = self._asking.clock()
        try:
            reserved = reserve(self._asking.budget, request, self._chat_id, now)
        except OverBudget:
            if self._calls:
                return False  # those that are under way will have cost less than is reserved for them
            raise
        call = self._calls[key] = DirectCall(request, key, reserved, now)
        # The interpreter does not wait for such a thread: who interrupts twice need not wait for an answer.
        threading.Thread(target=self._carry_out, args=(call,), name="call", daemon=True).start()
        return True

    def receive(self) -> Iterator[tuple[str, Outcome]]:
        """Wait for the first answer; each call that has ended, with its reply or why there is none."""
        ended, _ = wait([call.future for call in self._calls.values()], return_when=FIRST_COMPLETED)
        for call in [call for call in self._calls.values() if call.future in ended]:
            del self._calls[call.key]
            yield call.key, self._outcome(call)

    def close(self) -> Iterator[tuple[str, Outcome]]:
        """Send nothing more, and wait for all that is under way; each call as `receive` has it."""
        self._is_closed = True
        while self._calls:
            yield from self.receive()

    def ask_now(self, request: Request, key: str) -> Reply:
        """The reply to a request that is answered at once: by the built-in engine, which needs no thread."""
        now = self._asking.clock()
        call = DirectCall(request, key, reserve(self._asking.budget, request, self._chat_id, now), now)
        return self._kept(call, self._asking.complete(request))

    def _once(self, request: Request) -> Completion:
        if self._is_closed:
            raise Unsent
        return self._asking.complete(request)

    def _carry_out(self, call: DirectCall) -> None:
        try:
            call.future.set_result(self._complete(call.request))
        except BaseException as fault:  # thrown into the dialogue that has asked
            call.future.set_exception(fault)

    def _outcome(self, call: DirectCall) -> Outcome:
        """What a call has come to.

        One that was cut off may have been billed: it stays reserved, and is reserved anew when it is repeated.
        """
        fault = call.future.exception()
        if fault is None:
            return self._kept(call, call.future.result())
        if isinstance(fault, CutOff):
            self._lost[call.key] += 1
            if self._lost[call.key] < MOST_CUT_OFF:
                return None
            message = f"{fault.message} Its answer got lost {self._lost[call.key]} times."
            given_up = OutOfReach(message, fault.next_step)
            given_up.__cause__ = fault
            return given_up
        if isinstance(fault, (MemprocError, Unsent)):
            release(self._asking.budget, call.reserved)
        return fault

    def _kept(self, call: DirectCall, answer: Completion) -> Reply:
        """The reply, once the journal has it. Raises ArchiveError where it cannot be kept."""
        request, now = call.request, self._asking.clock()
        with self._asking.archive.transaction():
            usd = settle(self._asking.budget, call.reserved, answer)
            reply = reply_to(
                answer, usd, key=call.key, model=request.model.name, step=request.step, asked_at=call.at, now=now
            )
            return record(self._asking.archive, reply, self._chat_id, request.parameters)
