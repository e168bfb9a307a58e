"""Change single settings in the text of a memproc.toml; all else, comments too, stays as it is."""

from collections.abc import Mapping
from typing import Any

import tomli
import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, Table, Whitespace

from rules.errors import ConfigurationError

SettingName = tuple[str, str]
"""A table and a name in it."""


def with_settings(text: str, settings: Mapping[SettingName, object]) -> str:
    """Return the text with these values; what is missing is added at the end of its table.

    Raise ConfigurationError where a setting is written in a way that cannot be changed by itself.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
        for (table, name), value in settings.items():
            _set(document, table, name, value)
        changed = tomlkit.dumps(document).replace("\n", line_end)
        _check(text, changed, settings)
    except (TOMLKitError, ValueError, KeyError, TypeError) as fault:
        names = ", ".join(".".join(name) for name in settings)
        raise ConfigurationError(
            f"{names} cannot be changed by itself, as memproc.toml is written.",
            "Change it yourself: memproc config edit",
        ) from fault
    return changed


def _set(document: tomlkit.TOMLDocument, table: str, name: str, value: object) -> None:
    if table not in document:
        document[table] = tomlkit.table()
    settings: Any = document[table]
    rest: list[Comment | Whitespace] = []
    if isinstance(settings, Table) and name not in settings:
        # Blank lines and comments at the end of a table are about the next one.
        body = settings.value.body
        while body and isinstance(item := body[-1][1], Comment | Whitespace):
            body.pop()
            rest.append(item)
    settings[name] = value
    for item in reversed(rest):
        settings.add(item)


def _check(before: str, after: str, settings: Mapping[SettingName, object]) -> None:
    """Raise ValueError unless these settings, and no others, are changed."""
    expected = tomli.loads(before)
    for (table, name), value in settings.items():
        expected.setdefault(table, {})[name] = value
    if tomli.loads(after) != expected:
        raise ValueError("something else was changed, too")
