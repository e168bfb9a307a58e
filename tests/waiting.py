"""Waiting for a condition, with a limit."""

from collections.abc import Callable
from time import monotonic, sleep

LIMIT_SECONDS = 120.0  # for a machine that has much else to do
_LOOK_SECONDS = (
    0.02  # many conditions are whole commands, which take the processor from what is waited for
)


def until(condition: Callable[[], bool], seconds: float = LIMIT_SECONDS) -> None:
    """Return once the condition holds; fail where it does not within so many seconds."""
    deadline = monotonic() + seconds
    while not condition():
        assert monotonic() < deadline
        sleep(_LOOK_SECONDS)
