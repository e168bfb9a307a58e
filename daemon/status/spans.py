"""Times and spans of time as people read them."""

from rules.typingmind.dates import parse_date

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def span(seconds: float) -> str:
    """A span of time in its largest unit, as "3 hours"; under a second it is "0 seconds"."""
    whole = max(0, int(seconds))
    size, unit = next((pair for pair in _UNITS if whole >= pair[0]), _UNITS[-1])
    number = whole // size
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def local(text: str, now: str) -> str:
    """A time of the archive on the local clock, with the date where that is not today's; other text stays as it is."""
    when, today = parse_date(text), parse_date(now)
    if when is None or today is None:
        return text
    here = when.astimezone()
    same_day = here.date() == today.astimezone().date()
    return f"{here:%H:%M:%S}" if same_day else f"{here:%Y-%m-%d %H:%M}"


def with_span(text: str, now: str) -> str:
    """A time of the archive on the local clock, and how long ago or ahead that is; "never" for no time."""
    seconds = seconds_between(text, now)
    if seconds is None:
        return text or "never"
    return (
        f"{local(text, now)} ({f'{span(seconds)} ago' if seconds >= 0 else f'in {span(-seconds)}'})"
    )


def seconds_between(before: str, after: str) -> float | None:
    """Seconds from one time of the archive to another, or None where one of them is none."""
    first, second = parse_date(before), parse_date(after)
    return None if first is None or second is None else (second - first).total_seconds()


def clock_time(seconds: float) -> str:
    """A duration as on a clock: `1:05` or `2:01:05`; never `0:00`, since something is still to come."""
    minutes, rest = divmod(max(1, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def in_full(text: str) -> str:
    """A time of the archive on the local clock, as log lines begin; other text stays as it is."""
    when = parse_date(text)
    return text if when is None else f"{when.astimezone():%Y-%m-%d %H:%M:%S}"
