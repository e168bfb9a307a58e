"""Write a value as TOML, and find the line of each key, to point at a problem.

    [chunk]            ("chunk",) -> 1
    tokens = 3         ("chunk", "tokens") -> 2
    a = { b.c = 1 }    ("chunk", "a") -> 3, ("chunk", "a", "b") -> 3, ("chunk", "a", "b", "c") -> 3
    [[chats.override]] ("chats", "override", 0) -> 4; the next one is ("chats", "override", 1)

The text is one that the TOML parser has accepted.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import StringIO
from typing import Any

import tomli

from daemon.config.tables import Key

# Characters; a statement of several lines is read once for each of them.
_MOST_READ = 2_000_000
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A name that needs no quotes."""


def key_lines(text: str) -> Mapping[Key, int]:
    """Return the line, counted from 1, on which each key and table in `text` begins.

    That is the first line of its statement, which is as few lines as the parser accepts. Keys below
    a value of very many lines have none.
    """
    lines: dict[Key, int] = {}
    newest: dict[Key, int] = {}
    table: Key = ()
    statement, began, read = "", 1, 0
    with suppress(RecursionError):  # what follows brackets that are nested so deep has no line
        for number, line in enumerate(StringIO(text), 1):
            statement += line
            read += len(statement)
            if read > _MOST_READ:
                break
            try:
                parsed = tomli.loads(statement)
            except tomli.TOMLDecodeError:
                continue
            if statement.startswith("["):
                table = _table_of(parsed, newest)
                keys = [table]
            else:
                keys = [*_keys(parsed, table)]
            for key in keys:
                for length in range(1, len(key) + 1):
                    lines.setdefault(key[:length], began)
            statement, began = "", number + 1
    return lines


def _table_of(header: Mapping[str, Any], newest: dict[Key, int]) -> Key:
    """Return the path of the table that a parsed header begins; of [[many]], the `newest`."""
    path: Key = ()
    inner: Any = header
    while inner:
        name, inner = next(iter(inner.items()))
        path = (*path, name)
        if isinstance(inner, list):
            newest[path] = newest.get(path, -1) + 1
            inner = inner[0]
        if path in newest:
            path = (*path, newest[path])
    return path


def _keys(value: object, path: Key) -> Iterator[Key]:
    """Yield the keys in a value at `path`, and the tables in its lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from _keys(inner, (*path, name))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, dict):
                yield (*path, index)
            yield from _keys(entry, (*path, index))


def line_of(lines: Mapping[Key, int], key: Key) -> int | None:
    """Return the line of `key`, or else of its table; None if neither is in the text."""
    for length in range(len(key), 0, -1):
        if key[:length] in lines:
            return lines[key[:length]]
    return None


def toml_value(value: object) -> str:
    """Write a value as TOML, on one line."""
    match value:
        case dict():
            entries = [
                f"{name if BARE.fullmatch(name) else toml_value(name)} = {toml_value(inner)}"
                for name, inner in value.items()
            ]
            return f"{{ {', '.join(entries)} }}" if entries else "{}"
        case list():
            entries = [toml_value(inner) for inner in value]
            return f"[{', '.join(entries)}]"
        case str():
            quoted = json.dumps(value, ensure_ascii=False)
            return "".join(mark if mark.isprintable() else _escaped(mark) for mark in quoted)
        case _:
            return json.dumps(value)


def _escaped(mark: str) -> str:
    """Escape a character that TOML does not allow in a text, or that a terminal would obey."""
    number = ord(mark)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
