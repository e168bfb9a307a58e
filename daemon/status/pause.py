"""Read durations as people write them, and keep the pause that is in force."""

import re
from dataclasses import dataclass
from datetime import timedelta

from daemon.archive.archive import Archive
from daemon.archive.signs import remove_signs, set_sign, sign
from rules.typingmind.dates import parse_date, write_date

_SIGN = "paused_until"
_LONGEST = timedelta(days=366)
_PART = re.compile(r"([0-9]{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Pause:
    """No work is begun until `until` (UTC); empty: until `memproc resume`."""

    until: str


def read_duration(text: str) -> timedelta:
    """Read "2h", "30m", "3d" or "1h30m".

    Raise ValueError with half a sentence for anything else.
    """
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError('must be a number with s, m, h or d, like "30m", "2h" or "3d"')
    length = sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    if not timedelta() < length <= _LONGEST:
        raise ValueError("must be longer than nothing, and not longer than a year")
    return length


def begin_pause(archive: Archive, length: timedelta | None, now: str) -> Pause:
    """Pause from `now`, until `end_pause` where `length` is None. Durable when this returns."""
    began = parse_date(now)
    until = write_date(began + length) if began and length else ""
    set_sign(archive, _SIGN, until, now)
    return Pause(until)


def end_pause(archive: Archive, now: str) -> Pause | None:
    """End the pause, and return it; None where there was none."""
    pause = current_pause(archive, now)
    remove_signs(archive, _SIGN)
    return pause


def current_pause(archive: Archive, now: str) -> Pause | None:
    """Return the pause that is in force at `now`; None where work may begin. One small query."""
    entry = sign(archive, _SIGN)
    return Pause(entry.value) if entry and (not entry.value or now < entry.value) else None
