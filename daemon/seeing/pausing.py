"""Whether the daemon is to take up work: told by `memproc pause`, kept in the archive, obeyed by the loop."""

import re
from dataclasses import dataclass
from datetime import timedelta

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign, sign, take_down
from rules.typingmind.dates import parse_date, write_date

SIGN = "paused_until"
_LONGEST = timedelta(days=366)
_PART = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Paused:
    """No work is taken up until `until` (UTC); empty: until `memproc resume`."""

    until: str


@dataclass(frozen=True, slots=True)
class NotAPause:
    """What was written is no length of a pause."""

    reason: str


def read_duration(text: str) -> timedelta | NotAPause:
    """How long "2h", "30m", "3d" or "1h30m" is."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return NotAPause('must be a number with s, m, h or d, like "30m", "2h" or "3d"')
    length = sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    if not timedelta() < length <= _LONGEST:
        return NotAPause("must be longer than nothing, and not longer than a year")
    return length


def pause(archive: Archive, length: timedelta | None, now: str) -> Paused:
    """Pause from `now` on, until `resume` where there is no `length`. Durable when this returns."""
    began = parse_date(now)
    until = write_date(began + length) if began and length else ""
    set_sign(archive, SIGN, until, now)
    return Paused(until)


def resume(archive: Archive, now: str) -> Paused | None:
    """End the pause, and say which it was; None where there was none."""
    was = paused(archive, now)
    take_down(archive, SIGN)
    return was


def paused(archive: Archive, now: str) -> Paused | None:
    """The pause that counts at `now`; None where work may be taken up. One small query."""
    said = sign(archive, SIGN)
    return Paused(said.value) if said and (not said.value or now < said.value) else None
