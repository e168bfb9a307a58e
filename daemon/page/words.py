"""How figures and dates read on the page."""

from collections.abc import Callable, Mapping
from typing import Any

from rules.typingmind.message import parse_date


def tokens(number: int) -> str:
    """Tokens in short: 461, 4.1k, 178k, 1.2M."""
    for limit, unit, name in ((1_000_000, 1_000_000, "M"), (1_000, 1_000, "k")):
        if number >= limit:
            shortened = number / unit
            return f"{shortened:.1f}{name}" if shortened < 100 else f"{shortened:.0f}{name}"
    return str(number)


def usd(amount: float | None) -> str:
    """Dollars with two digits after the point, and three where that would be nothing."""
    if amount is None:
        return "at a price that nobody knows"
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.3f}"


def day(date: str | None) -> str:
    """The day of a date in UTC, as in 15 March 2026."""
    moment = parse_date(date or "")
    return f"{moment.day} {moment:%B %Y}" if moment else "on an unknown day"


def minute(date: str | None) -> str:
    """A date in UTC to the minute, as in 15 March 2026, 14:07."""
    moment = parse_date(date or "")
    return f"{moment.day} {moment:%B %Y, %H:%M}" if moment else "at an unknown time"


FILTERS: Mapping[str, Callable[..., Any]] = {"tokens": tokens, "usd": usd, "day": day, "minute": minute}
"""By the names that templates use."""
