"""On which line of a TOML text each key stands, so that a problem can be pointed at.

    [chunk]            ("chunk",) -> 1
    tokens = 3         ("chunk", "tokens") -> 2
    a = { b.c = 1 }    ("chunk", "a") -> 3, ("chunk", "a", "b") -> 3, ("chunk", "a", "b", "c") -> 3
    [[chats.override]] ("chats", "override", 0) -> 4; the next one is ("chats", "override", 1)

The text is one that the TOML parser has accepted. In any other, the lines are a guess.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Key = tuple[str | int, ...]
"""The names that lead to a setting, and in a list of tables the entry's number, counted from 0."""

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
    walk = _Walk()
    at, line = 0, 1
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        walk.read(match.group(), line)
    return walk.lines


def line_of(lines: Mapping[Key, int], key: Key) -> int | None:
    """The line of `key`, or else of the table that it would stand in; None if neither is in the text."""
    for length in range(len(key), 0, -1):
        if key[:length] in lines:
            return lines[key[:length]]
    return None


@dataclass(slots=True)
class _Bracket:
    """A bracket of a value that is still open: its mark, its path, and which entry of a list is being read."""

    mark: str
    path: Key
    entry: int = 0


@dataclass(slots=True)
class _Walk:
    """Where in the text we are: in which table, how deep in a value, and whether a key or a value comes."""

    lines: dict[Key, int] = field(default_factory=dict)
    table: Key = ()
    path: Key = ()  # of the value that is being read
    within: list[_Bracket] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    awaits: str = "key"  # or "header", or "value"
    repeats: bool = False  # the header is one of [[many]]
    newest: dict[Key, int] = field(default_factory=dict)  # the number of the newest table of each [[many]]

    def read(self, token: str, line: int) -> None:
        match token:
            case "\n" if not self.within:
                self._await_key()
            case "[" | "{":
                self._open(token, line)
            case "]" | "}":
                self._close(line)
            case "=" if self.awaits == "key":
                self.path = (*(self.within[-1].path if self.within else self.table), *self.parts)
                self._note(self.path, line)
                self.awaits = "value"
            case "," if self.within and self.within[-1].mark == "{":
                self._await_key()
            case "," if self.within:
                self.within[-1].entry += 1
            case "\n" | "." | "," | "=":
                pass
            case _ if self.awaits != "value" and not token.startswith("#"):
                self.parts.append(token[1:-1] if token[0] in "\"'" else token)

    def _open(self, mark: str, line: int) -> None:
        if self.awaits != "value":
            self.repeats = self.awaits == "header"
            self.awaits = "header"
            return
        inside_a_list = bool(self.within) and self.within[-1].mark == "["
        path = (*self.within[-1].path, self.within[-1].entry) if inside_a_list else self.path
        self.within.append(_Bracket(mark, path))
        if mark == "{":
            if inside_a_list:
                self._note(path, line)
            self._await_key()

    def _close(self, line: int) -> None:
        if self.awaits == "header":
            self.table = self._header()
            self._note(self.table, line)
        elif self.within:
            self.within.pop()
        self.awaits = "value"

    def _header(self) -> Key:
        """The path of the table that begins. Within [[many]], that is the newest of them."""
        path: Key = ()
        for at, part in enumerate(self.parts, 1):
            path = (*path, part)
            if self.repeats and at == len(self.parts):
                self.newest[path] = self.newest.get(path, -1) + 1
            if path in self.newest:
                path = (*path, self.newest[path])
        return path

    def _await_key(self) -> None:
        self.awaits = "key"
        self.parts = []

    def _note(self, key: Key, line: int) -> None:
        for length in range(1, len(key) + 1):
            self.lines.setdefault(key[:length], line)
