"""Kill the command (-9) before, half-way through and after each system call that changes something."""

import signal
from collections.abc import Iterator

from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.scenes import COMMANDS
from tests.faults.shim import Act, Fault

NAME = "kills"
_ACTS = {"before": Act.KILL_BEFORE, "half": Act.KILL_HALF, "after": Act.KILL_AFTER}


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield a point for every call, and every moment of it; only writing calls have a half."""
    for number in range(1, prepared.last_call + 1):
        yield Point(NAME, prepared.scene.name, number, "before")
    for call in prepared.calls:
        if call.name == "write" and len(call.data) > 1:
            yield Point(NAME, prepared.scene.name, call.number, "half")
        yield Point(NAME, prepared.scene.name, call.number, "after")


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Kill the command there, and go on; yield what is wrong."""
    end = prepared.attempt(Fault(_ACTS[point.how], point.number))
    if end.code != -signal.SIGKILL:
        yield f"it was not killed, and ended with {end.code}: {(end.out + end.err)[-300:]}"
    yield from prepared.goes_on(end.asked)


KILLS = Series(NAME, COMMANDS, points, attempt)
