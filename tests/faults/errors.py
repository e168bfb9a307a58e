"""System calls that fail: once, or from there on; whatever a disk, a share or a limit can answer."""

import errno
from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.scenes import COMMANDS
from tests.faults.shim import EVERYTHING, Act, Fault, Kind

NAME = "errors"
_WELL_ENDED = (0, 1, 2)
"""Done; something was skipped or a disk refused; memproc.toml cannot be read."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How calls of some kinds fail."""

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
    # A call that is interrupted each time would be repeated for ever: no system does that.
    "EINTR-once": Failure(
        Act.FAIL_ONCE, errno.EINTR, Kind.CREATE | Kind.OPEN | Kind.READ | Kind.WRITE | Kind.LOCK
    ),
    "short-once": Failure(Act.SHORT_ONCE, 0, Kind.WRITE),
    "short-on": Failure(Act.SHORT_ON, 0, Kind.WRITE),
}


def points(prepared: Prepared) -> Iterator[Point]:
    """Every call, in every way in which it may fail."""
    calls = {
        kinds: prepared.count(kinds) for kinds in dict.fromkeys(way.kinds for way in WAYS.values())
    }
    for how, way in WAYS.items():
        for number in range(1, calls[way.kinds] + 1):
            yield Point(NAME, prepared.scene.name, number, how)


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Let it fail there, and go on when it is mended; what is wrong."""
    way = WAYS[point.how]
    end = prepared.attempt(Fault(way.act, point.number, way.errno, way.kinds))
    yield from said(end.code, end.out, end.err)
    yield from prepared.goes_on(end.asked)


def said(code: int, out: str, err: str) -> Iterator[str]:
    """What is wrong with how a command in trouble ended: it says a sentence, and is never itself the mistake."""
    text = out + err
    if code not in _WELL_ENDED:
        yield f"it ended with {code}: {text[-600:]}"
    elif "Traceback" in text or "mistake in memproc" in text:
        yield f"it says that it is mistaken: {text[-600:]}"
    elif code and not err.strip():
        yield f"it ended with {code}, and nothing says why: {text[-300:]}"


ERRORS = Series(NAME, COMMANDS, points, attempt)
