"""Settings as TOML text: written out, and on which line each key stands, so that a problem can be pointed at.

    [chunk]            ("chunk",) -> 1
    tokens = 3         ("chunk", "tokens") -> 2
    a = { b.c = 1 }    ("chunk", "a") -> 3, ("chunk", "a", "b") -> 3, ("chunk", "a", "b", "c") -> 3
    [[chats.override]] ("chats", "override", 0) -> 4; the next one is ("chats", "override", 1)

The text is one that the TOML parser has accepted. In any other, the lines are a guess.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from daemon.config.tables import Key

_TOKEN = re.compile(
    r'''
      \#[^\n]*                                     # a comment
    | """(?:\\.|[^\\])*?"{3,5} | \'\'\'.*?'{3,5}   # a text of several lines, whose last quotes may be its own
    | "(?:\\.|[^"\\\n])*" | '[^'\n]*'              # a text of one line
    | [^\s\#"'=.,{}\[\]]+                          # a bare key, or a piece of a number or date
    | [=.,{}\[\]\n]
    ''',
    re.VERBOSE | re.DOTALL,
)


def key_lines(text: str) -> Mapping[Key, int]:
    """The first line, counted from 1, of every key and every table in `text`."""
    reader = _Reader(text)
    with suppress(RecursionError):  # what stands behind brackets that are nested so deep has no line
        reader.read_tables()
    return reader.lines


def line_of(lines: Mapping[Key, int], key: Key) -> int | None:
    """The line of `key`, or else of the table that it would stand in; None if neither is in the text."""
    return next((lines[key[:length]] for length in range(len(key), 0, -1) if key[:length] in lines), None)


class _Reader:
    """Reads the tokens of a text from the first to the last, and notes the line of each key."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Key, int] = {}
        self._tokens: list[tuple[str, int]] = []
        self._next = 0
        at, line = 0, 1
        for match in _TOKEN.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            if not match[0].startswith("#"):
                self._tokens.append((match[0], line))
        self._tokens.append(("", line))

    def read_tables(self) -> None:
        """The whole text: headers, and below each of them its settings."""
        newest: dict[Key, int] = {}
        table: Key = ()
        while mark := self._mark:
            if mark == "\n":
                self._take()
            elif mark == "[":
                table = self._read_header(newest)
            else:
                self._read_setting(table)

    @property
    def _mark(self) -> str:
        """The token that comes next; empty at the end."""
        return self._tokens[self._next][0]

    @property
    def _line(self) -> int:
        return self._tokens[self._next][1]

    def _take(self) -> str:
        mark = self._mark
        self._next += bool(mark)
        return mark

    def _read_header(self, newest: dict[Key, int]) -> Key:
        """The path of the table that begins. Within [[many]], that is the `newest` of them."""
        line = self._line
        self._take()
        is_one_of_many = self._mark == "["
        if is_one_of_many:
            self._take()
        names = self._read_key()
        if is_one_of_many:
            self._take()
        path: Key = ()
        for at, name in enumerate(names, 1):
            path = (*path, name)
            if is_one_of_many and at == len(names):
                newest[path] = newest.get(path, -1) + 1
            if path in newest:
                path = (*path, newest[path])
        self._note(path, line)
        return path

    def _read_setting(self, table: Key) -> None:
        line = self._line
        path = (*table, *self._read_key())
        self._note(path, line)
        self._read_value(path)

    def _read_key(self) -> list[str]:
        """The names of a dotted key, up to the mark that ends it."""
        names: list[str] = []
        while (mark := self._take()) not in ("=", "]", ""):
            if mark != ".":
                names.append(mark[1:-1] if mark[0] in "\"'" else mark)
        return names

    def _read_value(self, path: Key) -> None:
        match self._take():
            case "[":
                self._read_list(path)
            case "{":
                while self._mark not in ("}", ""):
                    if self._mark in (",", "\n"):
                        self._take()
                    else:
                        self._read_setting(path)
                self._take()
            case _:
                while self._mark not in (",", "]", "}", "\n", ""):  # further pieces of a number or a date
                    self._take()

    def _read_list(self, path: Key) -> None:
        entry = 0
        while (mark := self._mark) not in ("]", ""):
            if mark in (",", "\n"):
                entry += mark == ","
                self._take()
                continue
            if mark == "{":
                self._note((*path, entry), self._line)
            self._read_value((*path, entry))
        self._take()

    def _note(self, key: Key, line: int) -> None:
        for length in range(1, len(key) + 1):
            self.lines.setdefault(key[:length], line)


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
