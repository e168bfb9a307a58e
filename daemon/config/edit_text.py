"""Change single settings in the text of a memproc.toml, and leave all else, comments too, as it is."""

import re
from collections.abc import Mapping
from io import StringIO

import tomli

from daemon.config.as_toml import key_lines
from rules.errors import ConfigurationError


def with_settings(text: str, settings: Mapping[tuple[str, str], int]) -> str:
    """Return the text with these numbers, by table and key.

    An existing setting gets its new value in place; a missing one follows the
    header of its table, which is added at the end where it is missing. Raises ConfigurationError
    where a setting is written in a way that cannot be changed by itself.
    """
    for (table, name), value in settings.items():
        text = _with_setting(text, table, name, value)
    changed = tomli.loads(text)
    for (table, name), value in settings.items():
        if changed[table][name] != value:
            raise ConfigurationError(
                f"{table}.{name} is written in a way that cannot be changed by itself.",
                f"Set it yourself: memproc config edit, and {table}.{name} = {value}",
            )
    return text


def _with_setting(text: str, table: str, name: str, value: int) -> str:
    lines, places = list(StringIO(text, newline="")), key_lines(text)
    written = rf"(\b{re.escape(name)}[\"']?\s*=\s*)(\"[^\"\n]*\"|'[^'\n]*'|[^\s,}}#]+)"
    if (table, name) in places:
        at = places[table, name] - 1
        lines[at] = re.sub(written, rf"\g<1>{value}", lines[at], count=1)
    elif (header := _header(lines, table)) is not None:
        lines[header] = f"{lines[header].rstrip()}\n"
        lines.insert(header + 1, f"{name} = {value}\n")
    else:
        end = "" if not lines or lines[-1].endswith("\n") else "\n"
        lines.append(f"{end}\n[{table}]\n{name} = {value}\n")
    return "".join(lines)


def _header(lines: list[str], table: str) -> int | None:
    """Return the index of the line with a table's header; None where it has none of its own."""
    header = re.compile(rf"\s*\[\s*{re.escape(table)}\s*\]")
    return next((at for at, line in enumerate(lines) if header.match(line)), None)
