"""Find what a message's form sets apart: framed text, quotations, and logs from elsewhere."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from rules.extract.brackets import quotations_in

SENTENCE_ENDS: Final = re.compile(r"[.!?。！？] ?(?=[^\W\d_])")
"""Where a sentence ends and another begins in the same line."""
_SHORTEST_QUOTATION = 60
"""The fewest characters of a quotation that counts as a text of its own; a shorter one is part of
what is told."""
_HEAD = 24
"""The characters at the start of a log's line in which to look for a time or a speaker's name."""
_FILE_ENDS = re.compile(
    r"\[(?:(?:end|ende|fin|fine|fim|конец)\b|[^\]\n]{0,12}(?:结束|完))", re.IGNORECASE
)
_TAG, _TAG_ENDS = re.compile(r"<([a-zA-Z][\w-]*)[^<>\n]*>"), re.compile(r"</[\w-]+>$")
_RULE, _BRACKETED = re.compile(r"([-=*_~])\1{2,}|\"{3}"), re.compile(r"\[[^\]]*\]")
"""Lines that begin or end a frame. A rule is closed by an equal rule; a line in brackets may also
be a placeholder."""
_TIME = re.compile(r"\d{1,2}[:.]\d\d")
_LABEL = re.compile(r"\W*([^\W\d_][^:：\n]{0,24}?)[,\s]*[:：]\s")


def find_frames(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of what two rules, tags or lines in brackets frame, with those lines."""
    begun: dict[str, int] = {}
    start = 0
    for line in text.splitlines(keepends=True):
        spelled, stop = line.strip(), start + len(line)
        tag, tag_end = _TAG.match(spelled), _TAG_ENDS.search(spelled)
        end = "[" if _FILE_ENDS.match(spelled) else tag_end.group() if tag_end else spelled
        if tag:
            begun[f"</{tag[1]}>"] = start
        if end in begun:
            yield begun[end], stop
            begun.clear()
        elif is_break(spelled):
            begun["[" if spelled.startswith("[") else spelled] = start
        start = stop


def is_break(line: str) -> bool:
    """Return whether a line is a rule, or is entirely in square brackets."""
    return bool(_RULE.fullmatch(line) or _BRACKETED.fullmatch(line))


def find_quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of lines quoted with ">", and of long quotations of several sentences."""
    for line in re.finditer(r"^[^\S\n]*>.*\n?", text, re.MULTILINE):
        yield line.span()
    for start, stop in quotations_in(text):
        if stop - start >= _SHORTEST_QUOTATION and SENTENCE_ENDS.search(text, start, stop - 1):
            yield start, stop


def find_logs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of a pasted conversation: from its first logged line to its last.

    There are none if only one line is logged. A line is logged where a name comes before it that
    recurs or is in capitals, or where it has a time and lines do in which one speaker recurs.
    """
    spans = [line.span() for line in re.finditer(r"[^\n]+", text)]
    heads = [text[start : min(stop, start + 2 * _HEAD)] for start, stop in spans]
    times = [_TIME.search(head[:_HEAD]) for head in heads]
    names = [_name_before(head, time) for head, time in zip(heads, times, strict=True)]
    lines_of = Counter(filter(None, names))
    speakers = {
        name for name in lines_of if len(lines_of) > 1 and (lines_of[name] > 1 or name.isupper())
    }
    is_timed = any(time and lines_of[name] > 1 for time, name in zip(times, names, strict=True))
    logged = [
        span
        for span, time, name in zip(spans, times, names, strict=True)
        if name in speakers or (is_timed and time)
    ]
    if len(logged) > 1:
        yield logged[0][0], logged[-1][1]


def _name_before(head: str, time: re.Match[str] | None) -> str:
    """Return the speaker that a line's first characters name; "" where they name none."""
    label = _LABEL.match(_TIME.sub("", head))
    return label[1].strip() if label else head[: time.start()].strip(" \t[(,") if time else ""
