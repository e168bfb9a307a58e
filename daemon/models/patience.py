"""Ask again when a provider is busy or out of reach: after growing pauses, or as long as it asks for, not for ever."""

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from daemon.models.completion import Completion
from primer.request import Request
from rules.errors import CutOff, NotNow, OutOfReach

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
