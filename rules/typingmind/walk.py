"""Walk over a JSON text that comes in pieces, of which only the one that is looked at is in memory."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from rules.typingmind import spans
from rules.typingmind.spans import BadJson, Member, Span

_HALF = 8
"""More characters than any half a word, number or escape that a cut can leave."""


class Reel:
    """A text, its bytes read as latin-1; all offsets count from its beginning.

    What stands before the offset that was asked for last may be gone, so it is walked forwards only.
    """

    def __init__(self, text: str, pieces: Iterable[str] = ()) -> None:
        """`pieces` follow after `text`; none of them is empty."""
        self._text = text
        self._start = 0
        self._pieces = iter(pieces)

    def sign(self, at: int) -> str:
        """The character at `at`; empty behind the end."""
        if at - self._start >= len(self._text):
            self._longer(at)
        return self._text[at - self._start : at - self._start + 1]

    def blank(self, at: int) -> int:
        """The offset of the first character at or after `at` that is not JSON white space."""
        while True:
            inside = spans.blank(self._text, at - self._start)
            at = inside + self._start
            if inside < len(self._text) or not self._longer(at):
                return at

    def value(self, at: int) -> tuple[object, int]:
        """The value that starts at `at` and the offset behind it. Raises BadJson or TooDeep."""
        while True:
            try:
                found, stop = spans.value(self._text, at - self._start)
            except BadJson as fault:
                fault.at += self._start
                if not self._longer(at):
                    raise
                continue
            left, stop = len(self._text) - stop, stop + self._start
            # A number may go on in the next piece: of 1e+5, the beginning is a number too.
            if left >= _HALF or not self._longer(at):
                return found, stop

    def seen(self, start: int, stop: int) -> str:
        """The characters in the bytes [start, stop), which were looked at last; half a character becomes U+FFFD."""
        return spans.characters(self._text, start - self._start, stop - self._start)

    def expected(self, what: str, at: int) -> BadJson:
        """The fault that something else stands at `at`, or nothing more."""
        while len(self._text) - (at - self._start) < _HALF and self._longer(at):
            pass
        fault = spans.expected(what, self._text, at - self._start)
        fault.at += self._start
        return fault

    @property
    def length(self) -> int:
        """The length of the whole text; what was not looked at yet is passed over."""
        while self._longer(self._start + len(self._text)):
            pass
        return self._start + len(self._text)

    def _longer(self, at: int) -> bool:
        """Take in as much again as there is from `at` on, and let go of what stands before; False at the end."""
        kept = self._text[at - self._start :]
        taken: list[str] = []
        room = max(1, len(kept))  # twice as much each time, so that a large value is not read again too often
        while room > 0 and (piece := next(self._pieces, "")):
            taken.append(piece)
            room -= len(piece)
        if taken:
            self._text, self._start = "".join([kept, *taken]), at
        return bool(taken)


Walker = Callable[[Reel, int], int]


def members(reel: Reel, at: int, walkers: Mapping[str, Walker] = MappingProxyType({})) -> tuple[list[Member], int]:
    """The members of the object whose `{` stands at `at`, in order, and the offset behind its `}`.

    A value whose key has a walker is walked by it, which returns the offset behind it; the others are
    skipped whole. Raises BadJson, also where one key stands twice: JavaScript would silently drop the first.
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
        seen.add(member.key)
        entries.append(member)
        at = reel.blank(member.value.stop)
        if reel.sign(at) == "}":
            return entries, at + 1
        at = _after_sign(reel, at, ",")


def items(reel: Reel, at: int, walk: Walker | None = None) -> tuple[list[Span], int]:
    """The spans of the values of the array whose `[` stands at `at`, and the offset behind its `]`. Raises BadJson."""
    entries: list[Span] = []
    at = _after_sign(reel, at, "[")
    if reel.sign(at) == "]":
        return entries, at + 1
    while True:
        stop = walk(reel, at) if walk else reel.value(at)[1]
        entries.append(Span(at, stop))
        at = reel.blank(stop)
        if reel.sign(at) == "]":
            return entries, at + 1
        at = _after_sign(reel, at, ",")


def end(reel: Reel, at: int) -> None:
    """Nothing but white space follows `at`. Raises BadJson."""
    at = reel.blank(at)
    if reel.sign(at):
        raise BadJson("more text follows where the file should end", at)


def _member(reel: Reel, at: int, walkers: Mapping[str, Walker]) -> Member:
    if reel.sign(at) != '"':
        raise reel.expected("a key in double quotes", at)
    _, behind_key = reel.value(at)
    key = str(Reel(reel.seen(at, behind_key)).value(0)[0])
    start = _after_sign(reel, reel.blank(behind_key), ":")
    walk = walkers.get(key)
    stop = walk(reel, start) if walk else reel.value(start)[1]
    return Member(key, at, Span(start, stop))


def _after_sign(reel: Reel, at: int, sign: str) -> int:
    if reel.sign(at) != sign:
        raise reel.expected(f'"{sign}"', at)
    return reel.blank(at + 1)
