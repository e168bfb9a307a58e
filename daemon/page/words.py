"""Write numbers, dates and browsers' names as the page shows them."""

import re
from collections.abc import Mapping
from datetime import date, datetime

from markupsafe import Markup, escape

from rules.money.price import usd_in_words
from rules.typingmind.dates import day_of, parse_date
from rules.wording import about_it, capital

_BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
"""Browsers by their marks in User-Agent; one that also names another comes before that one."""
_SYSTEMS = {
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iPadOS",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Macintosh": "macOS",
    "Linux": "Linux",
}
_COMMAND = re.compile(r"`([^`\n]+)`|(?<=: )(memproc [^.:]+)")


def tokens(number: int) -> str:
    """Shorten a count of tokens: 461, 4.1k, 178k, 1.2M."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if number >= unit:
            shortened = number / unit
            decimals = 1 if shortened < 100 else 0
            return f"{shortened:.{decimals}f}{name}"
    return str(number)


def usd(amount: float | None) -> str:
    """Write an amount in dollars, or that the price is unknown for None."""
    return "at an unknown price" if amount is None else usd_in_words(amount)


def after_name(sentence: str, name: str) -> str:
    """Return the sentence as it reads after the name: without repeating it."""
    return capital(about_it(sentence, name))


def shown_day(date: str | None) -> str:
    """Write the day of a date as memories do, as in 15 March 2026."""
    day = day_of(date)
    return day_in_words(day) if day else "on an unknown day"


def days(began: str | None, ended: str | None) -> str:
    """Write the first and the last day as briefly as possible, as in 15 to 20 March 2026."""
    if not (day_of(began) and day_of(ended)) or day_of(began) == day_of(ended):
        return shown_day(began or ended)
    first, last = shown_day(began).split(), shown_day(ended).split()
    while first[-1] == last[-1]:  # the year, then the month
        del first[-1], last[-1]
    return f"{' '.join(first)} to {shown_day(ended)}"


def day_in_words(day: date | str) -> str:
    """Write a day, given as a date or in ISO format, as in 15 March 2026."""
    known = date.fromisoformat(day) if isinstance(day, str) else day
    return f"{known.day} {known:%B %Y}"


def minute(date: str | None) -> str:
    """Write a date in local time to the minute, as in 15 March 2026, 14:07."""
    moment = parse_date(date or "")
    return _in_words(moment.astimezone()) if moment else "at an unknown time"


def _in_words(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y, %H:%M}"


def time_element(date: str | None) -> Markup:
    """Mark up the same with its time zone, which page.js shows in a browser of another zone."""
    moment = parse_date(date or "")
    return _marked_up(moment.astimezone()) if moment else escape(minute(date))


def local_day(date: str | None) -> str:
    """Write the day of a date in local time, as in 15 March 2026."""
    moment = parse_date(date or "")
    return day_in_words(moment.astimezone().date()) if moment else "On an unknown day"


def clock_element(date: str | None) -> Markup:
    """Mark up the local time of day, as in 14:07, for lists under a heading with the day."""
    moment = parse_date(date or "")
    return _marked_up(moment.astimezone(), f"{moment.astimezone():%H:%M}") if moment else Markup()


def said_element(date: str | None) -> Markup:
    """Mark up when something was said, in the time zone that the date itself names."""
    if not day_of(date):
        return escape("on an unknown day")
    return _marked_up(datetime.fromisoformat(date or ""))


def _marked_up(moment: datetime, shown: str = "") -> Markup:
    element = Markup('<time datetime="{}">{}</time>')
    return element.format(moment.isoformat(timespec="seconds"), shown or _in_words(moment))


def browser_name(user_agent: str) -> str:
    """Return the browser's name and its system, as in Firefox on Linux.

    A User-Agent also names browsers that it only resembles, hence the order of `_BROWSERS`.
    """
    browser = _first_named(_BROWSERS, user_agent) or "A browser"
    system = _first_named(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first_named(names: Mapping[str, str], user_agent: str) -> str:
    """Return the name of the first mark that is in User-Agent; empty where none is."""
    return next((name for mark, name in names.items() if mark in user_agent), "")


def with_commands(text: str) -> Markup:
    """Mark up each command in a sentence, so that a click selects the whole command."""
    escaped = escape(text)
    marked = _COMMAND.sub(lambda match: f"<code>{match[1] or match[2]}</code>", escaped)
    return Markup(marked)  # noqa: S704  escaped above
