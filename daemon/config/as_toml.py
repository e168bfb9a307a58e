"""Write memproc.toml with all settings and reasons, or a value as TOML; find each key's line.

A setting's reason is the docstring below its row, in Markdown. In memproc.toml it becomes a
comment; a block of code in it is an example. Lines are looked for to point at problems, in a text
that the TOML parser has accepted:

    [chunk]            ("chunk",) -> 1
    tokens = 3         ("chunk", "tokens") -> 2
    a = { b.c = 1 }    ("chunk", "a") -> 3, ("chunk", "a", "b") -> 3, ("chunk", "a", "b", "c") -> 3
    [[chats.override]] ("chats", "override", 0) -> 4; the next one is ("chats", "override", 1)
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from inspect import cleandoc, getsource
from io import StringIO
from itertools import pairwise
from textwrap import indent
from typing import Any

import tomli

from daemon.config.settings import Config
from daemon.config.tables import AS_WRITTEN, Key, Table

TABLES: Mapping[str, Any] = {name: row.annotation for name, row in Config.model_fields.items()}
"""The tables of memproc.toml by name, in their order."""

# Characters; a statement of several lines is parsed anew with each of its lines.
_MOST_READ = 2_000_000
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A name that needs no quotes."""


def default_file() -> str:
    """Return memproc.toml with every setting at its default, and its reason above it.

    A table whose names the user chooses gets a header only; a list of tables only an example.
    """
    parts = [_comment(str(Config.__doc__))]
    for table, kind in TABLES.items():
        parts.append(f"\n[{table}]\n{_comment(kind.__doc__)}")
        for name, reason in reasons_in(kind).items():
            row = kind.model_fields[name]
            value = row.get_default(call_default_factory=True)
            header = f"[{table}.{name}]\n" if value == {} else ""
            is_example = value == {} or AS_WRITTEN in row.metadata
            setting = "" if is_example else f"\n{name} = {toml_value(value)}"
            parts.append(f"{header}{_comment(reason)}{setting}")
    return "\n\n".join(parts) + "\n"


@cache
def reasons_in(kind: type[Table]) -> dict[str, str]:
    """Return the reason of each setting in a table of this kind: the docstring below its row.

    This parses the source, which takes time; pydantic would do so at every start.
    """
    reasons: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        if issubclass(part, Table):
            rows = ast.iter_child_nodes(ast.parse(getsource(part)).body[0])
            for row, words in pairwise(rows):
                match row, words:
                    case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                        reasons[name] = cleandoc(text)
    return reasons


def _comment(words: str) -> str:
    """Write a text as comments; examples have no space after the `#`."""
    return indent(cleandoc(words), "# ").replace("#     ", "#")


def key_lines(text: str) -> Mapping[Key, int]:
    """Return the line, counted from 1, on which each key and table in `text` begins.

    That is the first line of its statement; a statement ends as soon as the parser accepts it. Keys
    after a value of very many lines are left out.
    """
    lines: dict[Key, int] = {}
    newest: dict[Key, int] = {}
    table: Key = ()
    statement, began, read = "", 1, 0
    with suppress(RecursionError):  # keys after brackets that are nested so deeply have no line
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
    """Return the path of the table that a parsed header begins; for [[many]], with its number.

    `newest` holds the number of the newest table in each list, and is updated.
    """
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
    """Yield the paths of the keys in a value at `path`, and of the tables in its lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name)
            yield from _keys(inner, (*path, name))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, dict):
                yield (*path, index)
            yield from _keys(entry, (*path, index))


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
            return "".join(
                letter if letter.isprintable() else _escaped(letter) for letter in quoted
            )
        case _:
            return json.dumps(value)


def _escaped(letter: str) -> str:
    """Escape a character that TOML does not allow in a string, or that a terminal would obey."""
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
