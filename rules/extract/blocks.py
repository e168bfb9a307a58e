"""Which lines of a message are prose, and which are code or a table: Markdown's blocks, as far as they matter."""

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
    """The blocks of `text` in order, blank lines left out.

    Code stands between fences (a fence that never closes reaches to the end) or is indented by four
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


def _behind_code(text: str, lines: list[tuple[int, int]], at: int, *, indented: bool) -> int:
    """The index of the line behind the code or table that begins at line `at`; `at` itself if none does."""
    line = text[slice(*lines[at])]
    fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if fence:
        return _behind_fence(text, lines, at, fence.group(1))
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


def _behind_fence(text: str, lines: list[tuple[int, int]], at: int, fence: str) -> int:
    closing = re.compile(rf"[ \t>]*{re.escape(fence)}{re.escape(fence[0])}*\s*\Z")
    for further in range(at + 1, len(lines)):
        if closing.match(text, *lines[further]):
            return further + 1
    return len(lines)
