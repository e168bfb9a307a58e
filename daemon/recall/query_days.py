"""The days that a question names: "on 5 April 2024", "in March", "2024-04". They narrow a search.

English names of months, and ISO dates; a model that looks something up in another language can say `since` and `until`.
"""

import re
from calendar import month_name, monthrange
from datetime import date

Days = tuple[str, str]
"""The first and the last day, as YYYY-MM-DD."""

_MONTHS = {name[:3].lower(): number for number, name in enumerate(month_name) if name}
_NAMES = "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in month_name if len(name) > len("May"))
_MONTH = rf"(?P<month>{_NAMES}|sept|may)\b\.?"
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}(?!\d){_YEAR}",
        rf"\b(?:in|during|since|until|of|late|early|mid|last)[\s-]+{_MONTH}{_YEAR}",
    )
)


def days_named(query: str, newest: str) -> Days | None:
    """The days that the query names, or None; `newest` is the last day that is known.

    A month without a year is the last one of that name that is not later than this.
    """
    for form in _FORMS:
        if (match := form.search(query)) and (days := _days(match.groupdict(), newest)):
            return days
    return None


def _days(parts: dict[str, str | None], newest: str) -> Days | None:
    month_text = parts["month"] or ""
    month = int(month_text) if month_text.isdigit() else _MONTHS[month_text[:3].lower()]
    year = int(parts["year"] or newest[:4] or 0)
    if not parts["year"] and f"{year}-{month:02}" > newest[:7]:
        year -= 1
    first, last = parts.get("day") or 1, parts.get("day")
    try:
        end = int(last) if last else monthrange(year, month)[1]
        return date(year, month, int(first)).isoformat(), date(year, month, end).isoformat()
    except ValueError:
        return None
