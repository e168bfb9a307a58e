"""Where each value of a JSON text begins and ends, so that the rest can stay the person's own bytes (D1).

The text is the file's bytes read as latin-1, so a character's index is its byte's offset; JSON's own
signs are ASCII. Values that we do not need are skipped by the standard library's C scanner.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rules.export.depth import DEEPEST, is_too_deep

Walker = Callable[[str, int], int]

_BLANK = re.compile(r"[ \t\n\r]*")
_HALF_A_TOKEN = re.compile(  # what a cut leaves of a word, a number or an escape
    r"(?:-|\.|[eE][+-]?|t|tr|tru|f|fa|fal|fals|n|nu|nul|u[0-9a-fA-F]{0,4})\Z"
)


class BadJson(Exception):
    """The text is not JSON: `reason` in plain words, `at` the offset in bytes, `open_ended` if it just stops."""

    def __init__(self, reason: str, at: int, *, open_ended: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        self.open_ended = open_ended


class TooDeep(BadJson):
    """Values are nested deeper than anything TypingMind writes."""


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes [start, stop) of a JSON value."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Member:
    """One `"key": value` of an object; `start` is where the key's opening quote stands."""

    key: str
    start: int
    value: Span


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


# Numbers stay text: an int of more than 4,300 digits would be refused, and 1e400 would become infinite.
_decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse_constant)


def blank(text: str, at: int) -> int:
    """The offset of the first character at or after `at` that is not JSON white space."""
    match = _BLANK.match(text, at)
    return match.end() if match else at


def value(text: str, at: int) -> tuple[object, int]:
    """The value that starts at `at` and the offset behind it. Raises BadJson or TooDeep."""
    try:
        found, stop = _decoder.raw_decode(text, at)
    except json.JSONDecodeError as fault:
        if fault.msg == "Expecting value":
            raise _expected("a value", text, fault.pos) from None
        ended = fault.msg.startswith("Unterminated") or ends_early(text, fault.pos)
        raise BadJson(_plain(fault.msg), fault.pos, open_ended=ended) from None
    except RecursionError:
        raise _too_deep(at) from None
    except ValueError as fault:
        raise BadJson(str(fault), at) from None
    # Counting signs is quick, and nearly always enough: brackets in people's texts are counted with them.
    if text.count("[", at, stop) + text.count("{", at, stop) > DEEPEST and is_too_deep(found):
        raise _too_deep(at)
    return found, stop


def members(text: str, at: int, walkers: Mapping[str, Walker] = MappingProxyType({})) -> tuple[list[Member], int]:
    """The members of the object whose `{` stands at `at`, in order, and the offset behind its `}`.

    A value whose key has a walker is walked by it, which returns the offset behind it; the others are
    skipped whole. Raises BadJson, also where one key stands twice: JavaScript would silently drop the first.
    """
    found: list[Member] = []
    seen: set[str] = set()
    at = _after_sign(text, at, "{")
    if text[at : at + 1] == "}":
        return found, at + 1
    while True:
        member = _member(text, at, walkers)
        if member.key in seen:
            raise BadJson(f'the key "{member.key}" stands twice in one object', member.start)
        seen.add(member.key)
        found.append(member)
        at = blank(text, member.value.stop)
        if text[at : at + 1] == "}":
            return found, at + 1
        at = _after_sign(text, at, ",")


def items(text: str, at: int, walk: Walker | None = None) -> tuple[list[Span], int]:
    """The spans of the values of the array whose `[` stands at `at`, and the offset behind its `]`. Raises BadJson."""
    found: list[Span] = []
    at = _after_sign(text, at, "[")
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        stop = walk(text, at) if walk else value(text, at)[1]
        found.append(Span(at, stop))
        at = blank(text, stop)
        if text[at : at + 1] == "]":
            return found, at + 1
        at = _after_sign(text, at, ",")


def _member(text: str, at: int, walkers: Mapping[str, Walker]) -> Member:
    if text[at : at + 1] != '"':
        raise _expected("a key in double quotes", text, at)
    _, behind_key = value(text, at)
    key = str(value(_characters(text, at, behind_key), 0)[0])
    start = _after_sign(text, blank(text, behind_key), ":")
    walk = walkers.get(key)
    stop = walk(text, start) if walk else value(text, start)[1]
    return Member(key, at, Span(start, stop))


def end(text: str, at: int) -> None:
    """Nothing but white space follows `at`. Raises BadJson."""
    at = blank(text, at)
    if at != len(text):
        raise BadJson("more text follows where the file should end", at)


def _after_sign(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise _expected(f'"{sign}"', text, at)
    return blank(text, at + 1)


def _expected(what: str, text: str, at: int) -> BadJson:
    if ends_early(text, at):
        return BadJson(f"the file stops where {what} should follow", at, open_ended=True)
    return BadJson(f"{what} was expected, but {_characters(text, at, at + 4)[0]!r} stands there", at)


def ends_early(text: str, at: int) -> bool:
    """Nothing is wrong at `at` but that the text stops there, perhaps within a word, a number or an escape."""
    return at >= len(text) or _HALF_A_TOKEN.match(text, at) is not None


def _characters(text: str, start: int, stop: int) -> str:
    """What people see in the bytes [start, stop); half a character at the end counts as U+FFFD."""
    return text[start:stop].encode("latin-1").decode("utf-8", "replace")


def _too_deep(at: int) -> TooDeep:
    return TooDeep(f"values are nested more than {DEEPEST} levels deep", at)


def _plain(message: str) -> str:
    said = message.removesuffix(" at").removesuffix(" starting").replace("Expecting", "expected")
    return said[:1].lower() + said[1:]
