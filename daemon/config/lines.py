"""On which line of a TOML text each key stands, so that a problem can be pointed at.

    [chunk]            ("chunk",) -> 1
    tokens = 3         ("chunk", "tokens") -> 2
    a = { b.c = 1 }    ("chunk", "a") -> 3, ("chunk", "a", "b") -> 3, ("chunk", "a", "b", "c") -> 3

The text is one that the TOML parser has accepted. In any other, the lines are a guess.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Key = tuple[str, ...]

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
class _Walk:
    """Where in the text we are: in which table, how deep in a value, and whether a key or a value comes."""

    lines: dict[Key, int] = field(default_factory=dict)
    table: Key = ()
    path: Key = ()  # of the value that is being read
    within: list[tuple[str, Key]] = field(default_factory=list)  # open brackets of values, with their paths
    parts: list[str] = field(default_factory=list)
    awaits: str = "key"  # or "header", or "value"

    def read(self, token: str, line: int) -> None:
        match token:
            case "\n" if not self.within:
                self._await_key()
            case "[" | "{":
                self._open(token)
            case "]" | "}":
                self._close(line)
            case "=" if self.awaits == "key":
                self.path = (self.within[-1][1] if self.within else self.table) + tuple(self.parts)
                self._note(self.path, line)
                self.awaits = "value"
            case "," if self.within and self.within[-1][0] == "{":
                self._await_key()
            case "\n" | "." | "," | "=":
                pass
            case _ if self.awaits != "value" and not token.startswith("#"):
                self.parts.append(token[1:-1] if token[0] in "\"'" else token)

    def _open(self, bracket: str) -> None:
        if self.awaits == "value":
            self.within.append((bracket, self.path))
            if bracket == "{":
                self._await_key()
        else:
            self.awaits = "header"

    def _close(self, line: int) -> None:
        if self.awaits == "header":
            self.table = tuple(self.parts)
            self._note(self.table, line)
        elif self.within:
            self.path = self.within.pop()[1]
        self.awaits = "value"

    def _await_key(self) -> None:
        self.awaits = "key"
        self.parts = []

    def _note(self, key: Key, line: int) -> None:
        for length in range(1, len(key) + 1):
            self.lines.setdefault(key[:length], line)
