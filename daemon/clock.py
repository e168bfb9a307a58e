"""The time, as exports and the archive write it."""

from datetime import UTC, datetime

from rules.export.dates import write_date


def now() -> str:
    """UTC, with milliseconds and `Z`."""
    return write_date(datetime.now(UTC))


def here() -> datetime:
    """The same on the wall: local time, with its difference from UTC."""
    return datetime.now().astimezone()
