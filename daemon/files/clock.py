"""Times and durations: as exports and the archive write them, and as people read them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from rules.typingmind.dates import parse_date, write_date
from rules.wording import counted

_AT_GREENWICH = ("UTC", "Etc/UTC")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def now() -> str:
    """Return the time in UTC, with milliseconds and `Z`."""
    return write_date(datetime.now(UTC))


def here() -> datetime:
    """Return the local time, with its offset from UTC."""
    return datetime.now().astimezone()


@dataclass(frozen=True, slots=True)
class Periods:
    """The bounds of the local day and month, as times in UTC."""

    day_began: str
    day_ends: str
    month_began: str
    month_ends: str


def periods(now: datetime) -> Periods:
    """Return the day and the month that `now` is in, by local time."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    first = midnight.replace(day=1)
    bounds = (
        midnight,
        midnight + timedelta(days=1),
        first,
        (first + timedelta(days=32)).replace(day=1),
    )
    return Periods(*(write_date(bound.astimezone()) for bound in bounds))


def at(text: str) -> datetime:
    """Read a time that `now` has written."""
    return datetime.fromisoformat(text)


def span(seconds: float) -> str:
    """Return a duration in its largest unit, such as "3 hours"; below a second "0 seconds"."""
    whole = max(0, int(seconds))
    size, unit = next((pair for pair in _UNITS if whole >= pair[0]), _UNITS[-1])
    return counted(whole // size, unit)


def about(seconds: float) -> str:
    """Return an estimated duration in the largest unit that it has two of: "about 90 minutes"."""
    size, unit = next((pair for pair in _UNITS if round(seconds / pair[0]) > 1), _UNITS[-1])
    return f"about {counted(round(seconds / size), unit)}"


def local(text: str, now: str) -> str:
    """Return an archive's time on the local clock, dated unless today; other text as it is."""
    when, today = parse_date(text), parse_date(now)
    if when is None or today is None:
        return text
    local_time = when.astimezone()
    same_day = local_time.date() == today.astimezone().date()
    return f"{local_time:%H:%M:%S}" if same_day else f"{local_time:%Y-%m-%d %H:%M}"


def with_span(text: str, now: str) -> str:
    """Return an archive's time on the local clock, and how long ago or ahead it is; or "never"."""
    seconds = seconds_between(text, now)
    if seconds is None:
        return text or "never"
    distance = f"{span(seconds)} ago" if seconds >= 0 else f"in {span(-seconds)}"
    return f"{local(text, now)} ({distance})"


def seconds_between(before: str, after: str) -> float | None:
    """Return the seconds from one time of the archive to another, or None where one is missing."""
    first, second = parse_date(before), parse_date(after)
    return None if first is None or second is None else (second - first).total_seconds()


def clock_time(seconds: float) -> str:
    """Return a duration as on a clock: `1:05` or `2:01:05`; never `0:00`, as some work is left."""
    minutes, whole_seconds = divmod(max(1, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_seconds:02}" if hours else f"{minutes}:{whole_seconds:02}"


def in_full(text: str) -> str:
    """Return an archive's time on the local clock, with date and seconds; other text as it is."""
    when = parse_date(text)
    return text if when is None else f"{when.astimezone():%Y-%m-%d %H:%M:%S}"


def is_zone(name: str) -> bool:
    """Return whether this computer knows a time zone of that name."""
    from zoneinfo import ZoneInfo  # late, for a fast `memproc status`

    try:
        ZoneInfo(name)
    except (LookupError, OSError, ValueError):
        return False
    return True


def zone_named(name: str) -> tzinfo:
    """Return the time zone of that name; UTC where this computer does not know it."""
    from zoneinfo import ZoneInfo

    return UTC if name in _AT_GREENWICH or not is_zone(name) else ZoneInfo(name)


def zone_here() -> str:
    """Return the name of this computer's time zone, by TZ or settings; "UTC" where it has none."""
    from tzlocal import get_localzone_name

    try:
        name = get_localzone_name() or ""
    except (LookupError, OSError, ValueError):  # the system's settings contradict each other
        name = ""
    return name if is_zone(name) else "UTC"
