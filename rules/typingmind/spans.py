"""Find where each value of a JSON text begins and ends, in memory or walking piece by piece.

The text is the file's bytes decoded as latin-1, so a character's index is its byte's offset; JSON's
own signs are ASCII. Values that we do not need are skipped by the standard library's C scanner.

The nesting of values is limited, so that no walk over a parsed message runs out of stack. A
regenerated message nests what came after it four levels deeper; that may happen sixty times.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

_MIB = 1 << 20
LONGEST_TEXT = 4 * _MIB
"""The most bytes of words in one message: about a million tokens, the largest window there is."""
MOST_FIELDS = 100_000
"""The most fields of an object that is walked over."""
MOST_PARTS = 2_000_000
"""The most commas and brackets of a value: parsed, each takes a hundred times its bytes."""
_LONGEST_NUMBER = 1_000
DEEPEST = 250
_TOO_DEEP = f"values are nested more than {DEEPEST} levels deep"
_MOSTLY_ASCII = 20
"""A text is mostly ASCII where at most one byte in this many is not."""
_ASCII = bytes(range(128))
_BEYOND_ASCII_BYTES = re.compile(rb"[\x80-\xff]+")
_BLANK = re.compile(r"[ \t\n\r]*")
_PARTIAL_TOKEN = re.compile(  # what a cut leaves of a word, a number or an escape
    r"(?:-|\.|[eE][+-]?|t|tr|tru|f|fa|fal|fals|n|nu|nul|u[0-9a-fA-F]{0,4})\Z"
)
_LONGEST_PARTIAL = 8
"""More characters than a cut can leave of a word, number or escape."""
Fields = Mapping[str, object]
"""A parsed JSON object."""
Walker = Callable[["Reel", int], int]
"""Walks over the value at an offset, and returns the offset after it."""


class BadJson(Exception):
    """The text is not JSON: the reason, the offset in bytes, and whether it just stops there."""

    def __init__(self, reason: str, at: int, *, open_ended: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at
        self.open_ended = open_ended


class TooDeep(BadJson):
    """Values are nested deeper than anything TypingMind writes."""


class TooLarge(BadJson):
    """A value is larger than anything that a program writes."""


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes [start, stop) of a JSON value."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Member:
    """One `"key": value` of an object; `start` is the offset of the key's opening quote."""

    key: str
    start: int
    value: Span


class Number(str):
    """A number as it is written.

    It does not count as text, and is false where it is zero, as in JavaScript.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return any(digit in "123456789" for digit in self.lower().partition("e")[0])


def text(value: object) -> str:
    """Return the value where it is a text, else ""."""
    return value if isinstance(value, str) and not isinstance(value, Number) else ""


def text_under(holder: object, *keys: str) -> str:
    """Return the first text under one of these keys that is not empty; else ""."""
    if isinstance(holder, Mapping):
        for key in keys:
            if found := text(holder.get(key)):
                return found
    return ""


def as_list(holder: object, key: str) -> list[object]:
    """Return the list under a key; an empty list where there is none."""
    items = holder.get(key) if isinstance(holder, Mapping) else None
    return items if isinstance(items, list) else []


def refuse_constant(name: str) -> None:
    """Raise ValueError: Python reads NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=refuse_constant)
"""Numbers stay text: Python refuses ints of over 4,300 digits, and 1e400 would become infinite."""


def decode_json(raw: bytes) -> str:
    """Decode JSON from UTF-8; in a large, mostly ASCII text, other characters become escapes.

    In Python a single emoji next to an image would make every character of the image take four
    bytes.
    """
    if (
        len(raw) < _MIB
        or raw.isascii()
        or len(raw.translate(None, _ASCII)) * _MOSTLY_ASCII > len(raw)
    ):
        return raw.decode("utf-8")
    narrow = bytearray()
    view = memoryview(raw)  # so that no piece is copied more than once
    at = 0
    for match in _BEYOND_ASCII_BYTES.finditer(raw):
        narrow += view[at : match.start()]
        narrow += json.dumps(match[0].decode("utf-8"))[1:-1].encode()
        at = match.end()
    narrow += view[at:]
    return narrow.decode("ascii")


def without_bulk(value: object) -> object:
    """Return a parsed value with each text that is too long to be words replaced by its SHA-256."""
    if isinstance(value, dict):
        return {key: without_bulk(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_bulk(inner) for inner in value]
    if type(value) is not str or len(value) <= LONGEST_TEXT:
        return value
    digest = hashlib.sha256()
    for start in range(0, len(value), _MIB):  # in pieces, so that it is never copied whole
        digest.update(value[start : start + _MIB].encode("utf-8", "surrogatepass"))
    return f"sha256:{digest.hexdigest()}"


def encode_json(value: object) -> bytes:
    """Write a value as TypingMind writes JSON: without white space, and only necessary escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def value(text: str, at: int) -> tuple[object, int]:
    """Return the value that starts at `at`, and the offset after it. Raises BadJson or TooDeep."""
    try:
        parsed, stop = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as fault:
        raise _bad_json(fault, text) from None
    except RecursionError:
        raise TooDeep(_TOO_DEEP, at) from None
    except ValueError as fault:
        raise BadJson(str(fault), at) from None
    if may_be_too_deep(text, at, stop) and is_too_deep(parsed):
        raise TooDeep(_TOO_DEEP, at)
    return parsed, stop


def _bad_json(fault: json.JSONDecodeError, text: str) -> BadJson:
    """Return the parser's fault with a reason in our own words."""
    if fault.msg == "Expecting value":
        return _expected("a value", text, fault.pos)
    reason = fault.msg.removesuffix(" at").removesuffix(" starting")
    reason = reason.replace("Expecting", "expected")
    is_open = fault.msg.startswith("Unterminated") or _ends_early(text, fault.pos)
    return BadJson(reason[:1].lower() + reason[1:], fault.pos, open_ended=is_open)


def _expected(what: str, text: str, at: int) -> BadJson:
    """Return the fault that something else, or nothing, is at `at`."""
    if _ends_early(text, at):
        return BadJson(f"the file stops where {what} should follow", at, open_ended=True)
    there = _characters(text, at, at + 4)[0]
    return BadJson(f"{what} was expected, but {there!r} stands there", at)


def _ends_early(text: str, at: int) -> bool:
    """Return whether the text just stops at `at`, possibly within a word, number or escape."""
    return at >= len(text) or _PARTIAL_TOKEN.match(text, at) is not None


def _characters(text: str, start: int, stop: int) -> str:
    """Return a piece of a text, as UTF-8 if the text was decoded as latin-1."""
    piece = text[start:stop]
    try:
        return piece.encode("latin-1").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return piece


def may_be_too_deep(text: str, at: int, stop: int) -> bool:
    """Return whether a text has enough brackets to be too deep, including those within its texts.

    This is a quick test that nearly always says no.
    """
    return stop - at > DEEPEST and (text.count("[", at, stop) + text.count("{", at, stop) > DEEPEST)


def is_too_deep(value: object) -> bool:
    """Return whether arrays and objects are nested more than DEEPEST levels deep."""
    level, depth = [value], 0
    while level and depth < DEEPEST:
        inside: list[object] = []
        for outer in level:
            if isinstance(outer, dict):
                inside += outer.values()
            elif isinstance(outer, list):
                inside += outer
        level = [inner for inner in inside if isinstance(inner, (dict, list))]
        depth += 1
    return bool(level)


class Reel:
    """A text read in pieces, its bytes decoded as latin-1; all offsets count from its beginning.

    It can only be walked forwards: what precedes the last offset that was asked for may have been
    dropped.
    """

    def __init__(self, text: str, pieces: Iterable[str] = (), most: int = 0) -> None:
        """Begin with `text`; the `pieces`, none of which is empty, follow it.

        A value of more than `most` bytes is refused as too large; 0 means no limit.
        """
        self._most = most
        self._text = text
        self._start = 0
        self._pieces = iter(pieces)

    def sign(self, at: int) -> str:
        """Return the character at `at`; "" after the end."""
        if at - self._start >= len(self._text):
            self._longer(at)
        return self._text[at - self._start : at - self._start + 1]

    def blank(self, at: int) -> int:
        """Return the offset of the first character from `at` on that is not JSON white space."""
        while True:
            match = _BLANK.match(self._text, at - self._start)
            at = match.end() + self._start if match else at
            if at - self._start < len(self._text) or not self._longer(at):
                return at

    def value(self, at: int) -> tuple[object, int]:
        """Return the value that starts at `at`, and the offset after it.

        Raises BadJson, TooDeep or TooLarge.
        """
        while True:
            try:
                parsed, stop = value(self._text, at - self._start)
            except BadJson as fault:
                fault.at += self._start
                if isinstance(fault, TooDeep) or not self._longer(at):
                    raise
                continue
            if self._most and isinstance(parsed, Number) and len(parsed) > _LONGEST_NUMBER:
                raise TooLarge(f"a number has more than {_LONGEST_NUMBER:,} digits", at)
            left, stop = len(self._text) - stop, stop + self._start
            # A number may continue in the next piece: the beginning of 1e+5 is a number, too.
            if left >= _LONGEST_PARTIAL or not self._longer(at):
                return parsed, stop

    def seen(self, start: int, stop: int) -> str:
        """Return as UTF-8 the characters [start, stop), which were read last.

        An incomplete one becomes U+FFFD.
        """
        return _characters(self._text, start - self._start, stop - self._start)

    def expected(self, what: str, at: int) -> BadJson:
        """Return the fault that something else, or nothing, is at `at`."""
        while len(self._text) - (at - self._start) < _LONGEST_PARTIAL and self._longer(at):
            pass
        fault = _expected(what, self._text, at - self._start)
        fault.at += self._start
        return fault

    def pass_over(self) -> None:
        """Read all remaining pieces, without parsing them."""
        while self._longer(self._start + len(self._text)):
            pass

    def _longer(self, at: int) -> bool:
        """Drop what precedes `at`, and double what remains; return False at the text's end."""
        kept = self._text[at - self._start :]
        if self._most:
            refuse_large_value(kept, self._most, at)
        added: list[str] = []
        room = max(1, len(kept))  # doubling, so that a large value is not parsed too often
        while room > 0 and (piece := next(self._pieces, "")):
            added.append(piece)
            room -= len(piece)
        if added:
            self._text, self._start = "".join([kept, *added]), at
        return bool(added)


def refuse_large_value(begun: str, most: int, at: int) -> None:
    """Raise TooLarge if the beginning of a value already has too many bytes or parts.

    `begun` is that beginning, `at` the offset of the value.
    """
    if len(begun) > most:
        raise TooLarge(f"a value has more than {most // _MIB} MiB", at)
    if sum(map(begun.count, ",[{")) > MOST_PARTS:
        raise TooLarge(f"a value has more than {MOST_PARTS:,} parts", at)


def read_members(
    reel: Reel, at: int, walkers: Mapping[str, Walker] = MappingProxyType({})
) -> tuple[list[Member], int]:
    """Return the members of the object whose `{` is at `at`, and the offset after its `}`.

    A value whose key has a walker is walked over by that; other values are skipped. Raises BadJson,
    also where a key occurs twice, as JavaScript would silently drop the first.
    """
    entries: list[Member] = []
    seen: set[str] = set()
    at = _after_sign(reel, at, "{")
    if reel.sign(at) == "}":
        return entries, at + 1
    while True:
        member = _member(reel, at, walkers)
        if member.key in seen:
            raise BadJson(f'the key "{member.key}" stands twice in one object', member.start)
        if len(seen) == MOST_FIELDS:
            raise TooLarge(f"an object has more than {MOST_FIELDS:,} fields", member.start)
        seen.add(member.key)
        entries.append(member)
        at = reel.blank(member.value.stop)
        if reel.sign(at) == "}":
            return entries, at + 1
        at = _after_sign(reel, at, ",")


def read_items(reel: Reel, at: int) -> tuple[list[Span], int]:
    """Return the spans of the values of the array at `at`, and the offset after its `]`.

    Raises BadJson.
    """
    entries: list[Span] = []

    def note(reel: Reel, at: int) -> int:
        stop = reel.value(at)[1]
        entries.append(Span(at, stop))
        return stop

    return entries, walk_items(reel, at, note)


def walk_items(reel: Reel, at: int, walk: Walker) -> int:
    """Walk over the values of the array at `at`, and return the offset after it. Raises BadJson."""
    at = _after_sign(reel, at, "[")
    if reel.sign(at) == "]":
        return at + 1
    while True:
        at = reel.blank(walk(reel, at))
        if reel.sign(at) == "]":
            return at + 1
        at = _after_sign(reel, at, ",")


def end(reel: Reel, at: int) -> None:
    """Check that nothing but white space follows `at`. Raises BadJson."""
    at = reel.blank(at)
    if reel.sign(at):
        raise BadJson("more text follows where the file should end", at)


def _member(reel: Reel, at: int, walkers: Mapping[str, Walker]) -> Member:
    if reel.sign(at) != '"':
        raise reel.expected("a key in double quotes", at)
    parsed, after_key = reel.value(at)
    key = str(parsed)
    if not key.isascii():  # parse it again, as UTF-8
        key = str(Reel(reel.seen(at, after_key)).value(0)[0])
    start = _after_sign(reel, reel.blank(after_key), ":")
    walk = walkers.get(key, _pass_value)
    return Member(key, at, Span(start, walk(reel, start)))


def _pass_value(reel: Reel, at: int) -> int:
    """Skip a value and return the offset after it."""
    return reel.value(at)[1]


def _after_sign(reel: Reel, at: int, sign: str) -> int:
    if reel.sign(at) != sign:
        raise reel.expected(f'"{sign}"', at)
    return reel.blank(at + 1)
