"""Walks over the objects and arrays of a JSON text, and notes where each of their values begins and ends."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rules.export.reel import Reel
from rules.export.spans import BadJson, Member, Span

Walker = Callable[[Reel, int], int]


def members(reel: Reel, at: int, walkers: Mapping[str, Walker] = MappingProxyType({})) -> tuple[list[Member], int]:
    """The members of the object whose `{` stands at `at`, in order, and the offset behind its `}`.

    A value whose key has a walker is walked by it, which returns the offset behind it; the others are
    skipped whole. Raises BadJson, also where one key stands twice: JavaScript would silently drop the first.
    """
    found: list[Member] = []
    seen: set[str] = set()
    at = _after_sign(reel, at, "{")
    if reel.sign(at) == "}":
        return found, at + 1
    while True:
        member = _member(reel, at, walkers)
        if member.key in seen:
            raise BadJson(f'the key "{member.key}" stands twice in one object', member.start)
        seen.add(member.key)
        found.append(member)
        at = reel.blank(member.value.stop)
        if reel.sign(at) == "}":
            return found, at + 1
        at = _after_sign(reel, at, ",")


def items(reel: Reel, at: int, walk: Walker | None = None) -> tuple[list[Span], int]:
    """The spans of the values of the array whose `[` stands at `at`, and the offset behind its `]`. Raises BadJson."""
    found: list[Span] = []
    at = _after_sign(reel, at, "[")
    if reel.sign(at) == "]":
        return found, at + 1
    while True:
        stop = walk(reel, at) if walk else reel.value(at)[1]
        found.append(Span(at, stop))
        at = reel.blank(stop)
        if reel.sign(at) == "]":
            return found, at + 1
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
