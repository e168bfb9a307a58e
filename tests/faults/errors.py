"""Let system calls fail, once or from one call on, with every error that a disk, a share or a limit can give."""

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.scenes import COMMANDS
from tests.faults.shim import EVERYTHING, Act, Fault, Kind

NAME = "errors"
_WELL_ENDED = (0, 1, 2)
"""The exit codes of a good end: done; something was skipped or a disk refused; memproc.toml cannot be read."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A way in which calls of some kinds fail."""

    act: Act
    errno: int
    kinds: Kind


_NAMES = Kind.CREATE | Kind.RENAME | Kind.REMOVE | Kind.FOLDER
_KINDS = {
    "EIO": (errno.EIO, EVERYTHING),
    "ENOSPC": (errno.ENOSPC, _NAMES | Kind.WRITE | Kind.FLUSH | Kind.CUT),
    "EMFILE": (errno.EMFILE, Kind.CREATE | Kind.OPEN),
    "EACCES": (errno.EACCES, _NAMES | Kind.OPEN),
    "EROFS": (errno.EROFS, _NAMES),
    "ENOLCK": (errno.ENOLCK, Kind.LOCK),
    "flush": (errno.EIO, Kind.FLUSH),
}
_ONCE = {f"{name}-once": Failure(Act.FAIL_ONCE, *failing) for name, failing in _KINDS.items()}
_ON = {f"{name}-on": Failure(Act.FAIL_ON, *failing) for name, failing in _KINDS.items()}
WAYS = {
    **_ONCE,
    **_ON,
    # Interrupted each time, a call would be repeated for ever: no system does that.
    "EINTR-once": Failure(
        Act.FAIL_ONCE, errno.EINTR, Kind.CREATE | Kind.OPEN | Kind.READ | Kind.WRITE | Kind.LOCK
    ),
    "short-once": Failure(Act.SHORT_ONCE, 0, Kind.WRITE),
    "short-on": Failure(Act.SHORT_ON, 0, Kind.WRITE),
}


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield a point for every call, in every way in which it may fail."""
    calls = {
        kinds: prepared.count(kinds) for kinds in dict.fromkeys(way.kinds for way in WAYS.values())
    }
    for how, way in WAYS.items():
        for number in range(1, calls[way.kinds] + 1):
            yield Point(NAME, prepared.scene.name, number, how)


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Let the call fail, and go on when the fault is gone; yield what is wrong."""
    way = WAYS[point.how]
    end = prepared.attempt(Fault(way.act, point.number, way.errno, way.kinds))
    yield from ending_faults(end.code, end.out, end.err)
    yield from prepared.goes_on(end.asked)


def ending_faults(code: int, out: str, err: str) -> Iterator[str]:
    """Yield what is wrong with how a command in trouble ended: it must say why, and must not report a mistake."""
    text = out + err
    if code not in _WELL_ENDED:
        yield f"it ended with {code}: {text[-600:]}"
    elif "Traceback" in text or "mistake in memproc" in text:
        yield f"it says that it is mistaken: {text[-600:]}"
    elif code and not err.strip():
        yield f"it ended with {code}, and nothing says why: {text[-300:]}"


ERRORS = Series(NAME, COMMANDS, points, attempt)
