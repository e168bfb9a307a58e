"""Settings as the text of a memproc.toml: what `parse` reads as the same settings again."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A name that needs no quotes."""


def toml_text(tables: Mapping[str, object]) -> str:
    """The tables of a configuration as TOML, one `[table]` after the other, the tables within a table last.

    `tables` holds what JSON can hold; null and numbers that are not finite are never settings.
    """
    return "\n".join(_body(tables, "")).strip() + "\n"


def _body(table: Mapping[str, object], prefix: str) -> Iterator[str]:
    """The settings of a table, then the tables within it, whose headers begin with `prefix`."""
    for name, value in table.items():
        if not _tables(value):
            yield f"{_name(name)} = {_value(value)}"
    for name, value in table.items():
        header = f"{prefix}{_name(name)}"
        for inner in _tables(value):
            yield f"\n[[{header}]]" if isinstance(value, list) else f"\n[{header}]"
            yield from _body(inner, f"{header}.")


def _tables(value: object) -> Sequence[Mapping[str, object]]:
    """The tables that are written under headers of their own: one, or a list of nothing else; empty for a setting."""
    if isinstance(value, dict):
        return (value,)
    return value if isinstance(value, list) and all(isinstance(entry, dict) for entry in value) else ()


def _name(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)


def _value(value: object) -> str:
    match value:
        case dict():
            return "{ " + ", ".join(f"{_name(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return "".join(mark if mark.isprintable() else _escaped(mark) for mark in quoted)
        case _:
            return json.dumps(value)


def _escaped(mark: str) -> str:
    """A mark that TOML does not allow in a text, or that a terminal would obey."""
    return f"\\u{ord(mark):04x}" if ord(mark) < 0x10000 else f"\\U{ord(mark):08x}"
