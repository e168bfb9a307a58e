"""The blocks of a text: running lines, code, tables, lists."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"[^\n\r\u2028\u2029]*(?:\r\n|[\n\r\u2028\u2029]|\Z)")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_ROW = re.compile(r"[ \t]*\|[^\n]*\|")
_CODE_INDENT = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·‣–—]|\(?\w{1,3}[.)])[ \t]")


@dataclass(frozen=True, slots=True)
class Block:
    """The characters [start, stop) of a text: one line of prose, or a whole piece of code or a whole table."""

    start: int
    stop: int
    prose: bool


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of `text` in order, blank lines left out.

    Code is between fences (a fence that never closes reaches to the end) or is indented by four
    columns after a blank line, outside a list. A table is a run of lines with pipes on both sides.
    """
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text) if match.group()]
    at, in_list, after_blank = 0, False, True
    while at < len(lines):
        start, stop = lines[at]
        line = text[start:stop]
        if not line.strip():
            at, after_blank = at + 1, True
            continue
        behind = _behind_code(text, lines, at, indented=after_blank and not in_list)
        yield Block(start, lines[max(behind - 1, at)][1], prose=behind == at)
        in_list = bool(_ITEM.match(line)) or (in_list and line[0].isspace())
        at, after_blank = max(behind, at + 1), False


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a piece of code."""
    return _FENCE.match(line) is not None


def without_open_fence(text: str) -> str:
    """Return the longest part of `text` between fences that never close; all of it if every fence closes."""
    longest, rest = "", text
    while fence := _open_fence(rest):
        longest = max(longest, rest[: fence.start()].strip(), key=len)
        rest = rest[_LINE.match(rest, fence.end()).end() :]  # type: ignore[union-attr]  # it matches anything
    return max(longest, rest.strip(), key=len) if longest or rest != text else text


def with_closed_fence(text: str) -> str:
    """Close at the end a fence that never closes."""
    fence = _open_fence(text)
    if fence is None:
        return text
    quoted = re.sub(r"[^>]", " ", text[fence.start() : fence.start(1)])
    return f"{text}\n{quoted}{fence[1]}"


def _open_fence(text: str) -> re.Match[str] | None:
    """Find the first fence that never closes."""
    if "```" not in text and "~~~" not in text:
        return None
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text) if match.group()]
    at: int | None = 0
    while at is not None and at < len(lines):
        fence = _FENCE.match(text, *lines[at])
        at = _behind_fence(text, lines, at, fence[1]) if fence else at + 1
        if at is None:
            return fence
    return None


def _behind_code(text: str, lines: list[tuple[int, int]], at: int, *, indented: bool) -> int:
    """Return the index of the line after the code or table that begins at line `at`; `at` itself if none does."""
    line = text[slice(*lines[at])]
    fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if fence:
        return _behind_fence(text, lines, at, fence.group(1)) or len(lines)
    if indented and _CODE_INDENT.match(line) and not _ITEM.match(line):
        return _behind_indented(text, lines, at)
    while at < len(lines) and _ROW.match(text, *lines[at]):
        at += 1
    return at


def _behind_indented(text: str, lines: list[tuple[int, int]], at: int) -> int:
    """Blank lines between two indented ones belong to the code."""
    behind = at
    for further in range(at, len(lines)):
        if _CODE_INDENT.match(text, *lines[further]):
            behind = further + 1
        elif text[slice(*lines[further])].strip():
            break
    return behind


def _behind_fence(text: str, lines: list[tuple[int, int]], at: int, fence: str) -> int | None:
    """Return the index of the line after the one that closes the fence; None if none does."""
    closing = re.compile(rf"[ \t>]*{re.escape(fence)}{re.escape(fence[0])}*\s*\Z")
    for further in range(at + 1, len(lines)):
        if closing.match(text, *lines[further]):
            return further + 1
    return None
