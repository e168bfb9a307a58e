"""Word figures and dates for the page."""

import re
from collections.abc import Mapping
from datetime import date

from markupsafe import Markup, escape

from rules.typingmind.dates import parse_date
from rules.wording import about_it

_BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
"""Browsers by their signs; one that is like another comes before it."""
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
    """Write dollars with two decimals, or three where two would show nothing."""
    if amount is None:
        return "at an unknown price"
    shows_nothing = 0 < amount < 0.01
    return f"${amount:.3f}" if shows_nothing else f"${amount:,.2f}"


def capital(text: str) -> str:
    """Begin a text with a capital letter, unless with a path or the name of a model or a file."""
    first = text.partition(" ")[0].rstrip(".:,;")
    if "/" in first or "." in first:
        return text
    return text[:1].upper() + text[1:]


def after_name(sentence: str, name: str) -> str:
    """Word a sentence that follows a name, which it then does not repeat."""
    return capital(about_it(sentence, name))


def shown_day(date: str | None) -> str:
    """Write the day of a date as memories name it, in UTC: 15 March 2026."""
    moment = parse_date(date or "")
    if moment is None:
        return "on an unknown day"
    return f"{moment.day} {moment:%B %Y}"


def days(began: str | None, ended: str | None) -> str:
    """Write the first and the last day as briefly as can be: 15 to 20 March 2026."""
    first, last = parse_date(began or ""), parse_date(ended or "")
    if not (first and last) or first.date() == last.date():
        return shown_day(began or ended)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {shown_day(ended)}"
    if first.year == last.year:
        return f"{first.day} {first:%B} to {shown_day(ended)}"
    return f"{shown_day(began)} to {shown_day(ended)}"


def day_in_words(day: date | str) -> str:
    """Write a day, given as such or as an ISO date, as in 15 March 2026."""
    known = date.fromisoformat(day) if isinstance(day, str) else day
    if known == date.min:
        return "on an unknown day"
    return f"{known.day} {known:%B %Y}"


def minute(date: str | None) -> str:
    """Write a date by local time to the minute, as in 15 March 2026, 14:07."""
    moment = parse_date(date or "")
    if moment is None:
        return "at an unknown time"
    local = moment.astimezone()
    return f"{local.day} {local:%B %Y, %H:%M}"


def time_element(date: str | None) -> Markup:
    """Mark the same up with its zone, which a browser of another zone adds (page.js)."""
    moment = parse_date(date or "")
    if moment is None:
        return escape(minute(date))
    local = moment.astimezone().isoformat(timespec="seconds")
    return Markup('<time datetime="{}">{}</time>').format(local, minute(date))


def minutes(seconds: float) -> str:
    """Write a rough duration in words."""
    if seconds < 60:
        return "a minute"
    return f"{round(seconds / 60)} minutes"


def browser_name(user_agent: str) -> str:
    """Name the browser and its system; a browser also names those that it is like."""
    browser = _first_named(_BROWSERS, user_agent) or "A browser"
    system = _first_named(_SYSTEMS, user_agent)
    return f"{browser} on {system}" if system else browser


def _first_named(names: Mapping[str, str], user_agent: str) -> str:
    """Return the name of the first sign that the browser gives; empty where it gives none."""
    for sign, name in names.items():
        if sign in user_agent:
            return name
    return ""


def with_commands(text: str) -> Markup:
    """Mark up each command in a sentence, so that a click selects all of it."""
    code = Markup("<code>{}</code>")
    shown = Markup()
    cut = 0
    for match in _COMMAND.finditer(text):
        shown += escape(text[cut : match.start()])
        shown += code.format(match[1] or match[2])
        cut = match.end()
    return shown + escape(text[cut:])
