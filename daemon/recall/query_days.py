"""Find the days that a question names: "on 5 April 2024", "im März", "en abril de 2024", "2024-04".

They narrow a search. Understood are ISO dates, and the months of English, German, French, Spanish,
Italian, Portuguese and Dutch. A model that looks something up in another language can give `since`
and `until`.
"""

import re
from calendar import monthrange
from datetime import date

Days = tuple[str, str]
"""The first and the last day, as YYYY-MM-DD."""

_NAMES = """
    january february march april may june july august september october november december
    jan feb mar apr may jun jul aug sep oct nov dec
    januar februar märz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    januari februari maart april mei juni juli augustus september oktober november december
"""
_MONTHS = {name: at % 12 + 1 for at, name in enumerate(_NAMES.split())} | {"sept": 9, "jänner": 1}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:,?\s+(?:de\s+)?(?P<year>(?:19|20)\d\d))?\b"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?(?!\d)"
_WITHIN = (
    "in|during|since|until|of|late|early|mid|last|im|seit|ab|bis|anfang|mitte|ende|letzten"
    "|en|de|depuis|fin|début|desde|hasta|finales|nel|da|fino|di|em|sinds|tot|begin|eind"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b",
        rf"\b{_DAY}\s*(?:of\s+|de\s+)?{_MONTH}{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY}{_YEAR}",
        rf"\b(?:{_WITHIN})[\s-]+{_MONTH}{_YEAR}",
    )
)


def days_named(query: str, newest: str) -> Days | None:
    """Return the days that the query names, or None; `newest` is the last day that is known.

    A month without a year is the last one of that name that is not later than this.
    """
    for form in _FORMS:
        if (match := form.search(query)) and (days := _days(match.groupdict(), newest)):
            return days
    return None


def _days(parts: dict[str, str | None], newest: str) -> Days | None:
    month_text = parts["month"] or ""
    month = int(month_text) if month_text.isdigit() else _MONTHS.get(month_text.casefold(), 0)
    year = int(parts["year"] or newest[:4] or 0)
    if not parts["year"] and f"{year}-{month:02}" > newest[:7]:
        year -= 1
    first, last = parts.get("day") or 1, parts.get("day")
    try:
        end = int(last) if last else monthrange(year, month)[1]
        return date(year, month, int(first)).isoformat(), date(year, month, end).isoformat()
    except ValueError:
        return None
