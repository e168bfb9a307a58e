"""What is wrong with a setting, in plain words: never a library's words, never more than a short value."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from daemon.config.settings import Config

TABLES: Mapping[str, tuple[str, ...]] = {
    name: tuple(table.annotation.model_fields)
    for name, table in Config.model_fields.items()
    if isinstance(table.annotation, type) and issubclass(table.annotation, BaseModel)
}
_LONGEST_SHOWN = 40
_HUGE = 10**15


def problems_of(error: ValidationError) -> dict[tuple[str, ...], list[str]]:
    """The problems that pydantic found, by the table and setting they are about."""
    found: dict[tuple[str, ...], list[str]] = {}
    for details in error.errors(include_url=False):
        key = tuple(str(part) for part in details["loc"][:2])
        found.setdefault(key, []).append(_in_words(key, details))
    return found


def printable(text: str) -> str:
    """`text` on one line and without what a terminal would obey; long ones are cut."""
    short = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in short)


def _in_words(key: tuple[str, ...], details: ErrorDetails) -> str:
    if details["type"] == "extra_forbidden":
        return _unknown(key)
    wanted = _wanted(details["type"], details.get("ctx", {}), key)
    which = "each entry " if len(details["loc"]) > 2 else ""
    return f"{which}{wanted} (is {_shown(details['input'])})"


def _wanted(kind: str, limits: Mapping[str, Any], key: tuple[str, ...]) -> str:
    match kind:
        case "model_type":
            return f"must be a table, [{'.'.join(key)}]"
        case "int_type":
            return "must be a whole number"
        case "string_type":
            return "must be a text in quotes"
        case "tuple_type":
            return 'must be a list of texts, like ["one", "two"]'
        case "greater_than_equal":
            return f"must be at least {limits['ge']}"
        case "less_than_equal":
            return f"must be at most {limits['le']}"
        case "literal_error":
            return f"must be {limits['expected'].replace(chr(39), chr(34))}"
        case "value_error":
            return str(limits["error"])
        case _:  # kinds that a later pydantic may bring
            return "cannot be used"


def _unknown(key: tuple[str, ...]) -> str:
    *table, name = key
    kind = "setting" if table else "table"
    known: Iterable[str] = TABLES[table[0]] if table else TABLES
    near = get_close_matches(name.lower(), known, n=1) if len(name) <= _LONGEST_SHOWN else []
    near = near or [f"{other}.{name}" for other, settings in TABLES.items() if name in settings]
    if near:
        return f'there is no such {kind}; did you mean "{near[0]}"?'
    return f"there is no such {kind}; there are {', '.join(known)}"


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() if abs(value) >= _HUGE:
            return "a huge number"
        case int() | float():
            return str(value)
        case str():
            return f'"{printable(value)}"'
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or a time"
