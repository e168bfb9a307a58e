"""Whose the words in a person's message are: their own, or those of somebody else that they hand on.

    I found this prompt, is it any good?          own: it announces a text, and asks
                                                  (blank)
    You are a pirate. Always answer in rhyme.     foreign
                                                  (blank)
    I am no pirate. What do you think?            own: the person speaks again

Frames, quotations of several sentences and logs are foreign by themselves. All else is read as stretches, lines
without a blank one between them, and told by points: the line before announces a text, what comes after speaks of
one or asks, and the stretch looks like one (a letter, a verse, a notice, a role for a model). With few points it is
unsure. A heading, a list or length alone gives none, and a heading in the person's own name ("How I'd like us to
talk") makes own. What is handed over to be kept to ("from now on be this") is adopted.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from rules.extract import handed_words as words
from rules.extract.set_apart import SENTENCE_ENDS, frames, is_break, logs, quotations
from rules.extract.voices import COLONS, QUESTION_MARKS, SIGN_OFF, SUBJECT, is_finished

Owner = Literal["own", "adopted", "reported", "unsure", "foreign"]
"""`reported`: after a colon in the same line, where the person may go on in their own words."""
OWN: Final = ("own", "adopted")

_MESSAGES, _LINES = 16_384, 256
"""Messages and lines of which it is remembered what was found."""
_FOREIGN, _UNSURE, _LIKELY, _SIGN = 4, 3, 2, 1
"""Points: from the first two on a stretch is somebody else's, or may be."""
_LONGEST_ANNOUNCEMENT, _LONGEST_HEADING, _LONGEST_VERSE, _LONGEST_SIGNATURE = 300, 120, 80, 30
"""Characters of a line."""
_HEAD = 24
"""The first characters of a line, where a heading in capitals is."""
_FEWEST = 3
"""Lines of a verse, letters of a heading in capitals, and sentences of a comment that are read."""

_FENCE = "```"
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\n?")
_ITEM = re.compile(
    r"\s*(?:[-*+•·–—§]|(?:[^\W\d_]+\.? )?\d{1,2}[.:)、 ]|[ivxIVX]+[.)]|[一二三四五六七八九十]+、)"
)
_COLON_WITHIN = re.compile(r'[:：](?=\s*[^\s:："“„«「『»])')


@dataclass(frozen=True, slots=True)
class OwnedPart:
    """The characters [start, stop) of a message that one owner has said."""

    start: int
    stop: int
    owner: Owner


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines without a blank one between them, with their line breaks."""

    start: int
    lines: tuple[str, ...]
    holds_text: bool
    """A part that is set apart is in its last line, which announces no other."""

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def title(self) -> str:
        return self.lines[0].strip()


def owner_at(text: str, at: int) -> Owner:
    """Return whose the character at this place of a person's message is."""
    parts = owned_parts(text)
    last = bisect(parts, at, key=lambda part: part.start) - 1
    return parts[last].owner if last >= 0 and at < parts[last].stop else "own"


@lru_cache(_MESSAGES)
def owned_parts(text: str) -> tuple[OwnedPart, ...]:
    """Return the parts of a person's message that are not simply their own, in order, none within another."""
    apart = sorted(_set_apart(text), key=lambda part: part.start)
    handed = _handed(list(_stretches(text, apart)))
    parts: list[OwnedPart] = []
    end = 0
    for part in sorted([*apart, *handed], key=lambda part: part.start):
        if part.stop > end:
            parts.append(replace(part, start=max(part.start, end)))
            end = part.stop
    return tuple(parts)


@lru_cache(_LINES)
def _plain(line: str) -> str:
    """Return the words of a line in small letters, with one space between them."""
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def is_own_heading(line: str) -> bool:
    """Return whether a line is over what the person asks for in their own name."""
    head = line if len(line) <= _LONGEST_HEADING else line[: line.find(":") + 1]
    if not 0 < len(head) <= _LONGEST_HEADING or _is_handed(head):
        return False
    spelled = _plain(head)
    is_between_us = words.ME.search(spelled) or words.YOU.search(spelled)
    ours = words.OURS.finditer(spelled)
    return bool(
        words.HOW_WE.search(spelled)
        or (is_between_us and words.RULES.search(spelled))
        or any(_begins(spelled[our.end() :], words.RULES) for our in ours)
    )


def _set_apart(text: str) -> Iterator[OwnedPart]:
    """Yield what is set apart, but frames in the person's own name."""
    spans = [*quotations(text), *logs(text)]
    for start, stop in frames(text):
        if not is_own_heading(text[start : start + _LONGEST_HEADING].partition("\n")[0]):
            spans.append((start, stop))
    for start, stop in spans:
        before = text[max(0, start - _LONGEST_ANNOUNCEMENT) : start].rstrip().rpartition("\n")[2]
        yield OwnedPart(start, stop, "adopted" if _adopts(before) else "foreign")


def _stretches(text: str, apart: Sequence[OwnedPart]) -> Iterator[_Stretch | None]:
    """Yield the stretches of a message in order, and None for what is set apart or code."""
    parts = iter(apart)
    part = next(parts, None)
    start, covered, is_code = 0, 0, False
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        stop = start + len(line)
        while part and part.start <= start:
            covered, part = max(covered, part.stop), next(parts, None)
        is_fence = line.startswith(_FENCE)
        is_code ^= is_fence
        is_apart = start < covered or is_code or is_fence
        is_text = not is_apart and line.strip() and not is_break(line.strip())
        holds_text = bool(is_text and part and part.start < stop)
        if is_text:
            lines.append(line)
        if not is_text or holds_text:
            yield from _split(stop if holds_text else start, lines, holds_text=holds_text)
            lines = []
        if is_apart:
            yield None
        start = stop
    yield from _split(start, lines, holds_text=False)


def _split(stop: int, lines: Sequence[str], *, holds_text: bool) -> Iterator[_Stretch]:
    """Yield the lines up to `stop`, cut after a first one that announces, and before a last one unlike the others."""
    cuts = [0, len(lines)]
    if lines[1:] and (_adopts(lines[0]) or _announced(lines[0].strip()) >= _UNSURE):
        cuts.append(1)
    if lines[2:] and _ends_list(lines):
        cuts.append(len(lines) - 1)
    start = stop - sum(map(len, lines))
    for begin, end in pairwise(sorted(set(cuts))):
        yield _Stretch(start, tuple(lines[begin:end]), holds_text and end == len(lines))
        start += sum(map(len, lines[begin:end]))


def _ends_list(lines: Sequence[str]) -> bool:
    """Return whether the last line is none of the list, or of the notice, that the others are."""
    items = [_ITEM.match(line) is not None for line in lines]
    if items[-2] and sum(items[:-1]) > 1:
        return not items[-1]
    return _asks(lines[-1]) and not any(map(_asks, lines[:-1]))


def _handed(stretches: Sequence[_Stretch | None]) -> Iterator[OwnedPart]:
    """Yield the stretches that are somebody else's, or may be, and those that are adopted."""
    ends = [*_ends(stretches)][::-1]
    before: _Stretch | None = None
    at = 0
    while at < len(stretches):
        stretch, stop = stretches[at], at + 1
        owner: Owner = "own"
        if stretch:
            after = stretches[ends[at]] if ends[at] < len(stretches) else None
            owner = _owner(stretch, before, after, is_first=at == 0)
            stop = stop if owner in OWN else ends[at]
            if owner == "own" and not stretch.holds_text:
                yield from _after_colons(stretch)
        for handed in filter(None, stretches[at:stop] if owner != "own" else ()):
            yield OwnedPart(handed.start, handed.start + len(handed.text), owner)
        before = stretch if owner == "own" else None
        at = stop


def _ends(stretches: Sequence[_Stretch | None]) -> Iterator[int]:
    """Yield for each stretch, the last one first, the place after the last one of a text that begins with it.

    A text ends with what is set apart, a signature, where the person speaks again, or before the last stretch. It is
    never a heading alone.
    """
    last = end = len(stretches)
    for at in range(last - 1, -1, -1):
        stretch, then = stretches[at], stretches[at + 1] if at + 1 < last else None
        is_heading = (
            stretch
            and not stretch.lines[1:]
            and not is_finished(stretch.title)
            and not SENTENCE_ENDS.search(stretch.title)
        )
        is_over = at + 2 == last or (then and _resumes(then))
        lines = stretch.lines[-2:] if stretch else ()
        is_signed = any(SIGN_OFF.search(line) for line in lines if len(line) <= _LONGEST_SIGNATURE)
        if not then or is_signed or (is_over and not is_heading):
            end = at + 1
        yield end


def _owner(
    stretch: _Stretch, before: _Stretch | None, after: _Stretch | None, *, is_first: bool
) -> Owner:
    """Return whose a stretch is, by what the person says before it and after the text that begins with it."""
    announcement = before.lines[-1].strip() if before and not before.holds_text else ""
    if _adopts(announcement):
        return "adopted"
    comments = [comment.text for comment in (before, after) if comment]
    points = 0 if words.RESUMING.match(_plain(stretch.title)) else _announced(announcement)
    points += _looks_set(stretch, is_first=is_first) if comments else 0
    points += (_spoken_of(after) if after else 0) + _SIGN * any(map(_asks, comments))
    is_own = is_own_heading(announcement) or is_own_heading(stretch.title)
    if is_own or points < _UNSURE:
        return "own"
    return "foreign" if points >= _FOREIGN else "unsure"


def _adopts(line: str) -> bool:
    """Return whether a line hands a text over to be kept to."""
    spelled = _plain(line)
    points = line.rstrip().endswith(COLONS) or words.POINTING.search(spelled)
    is_role = words.FROM_NOW.search(spelled) and words.BE.search(spelled)
    return bool(points and (is_role or words.KEEP_TO.search(spelled)))


def _announced(line: str) -> int:
    """Return the points by which a line says that a text follows."""
    if len(line) > _LONGEST_ANNOUNCEMENT:
        return 0
    spelled = _plain(line)
    has_text, is_handed = words.TEXTS.search(spelled), _is_handed(line)
    points = words.POINTING.search(spelled)
    if line.endswith(COLONS):
        return _FOREIGN if has_text or is_handed else 0
    if is_handed and (points or has_text or words.WORKED.search(spelled)):
        return _UNSURE
    if _begins(line, words.TEXTS) and (line.startswith("#") or not is_finished(line)):
        return _UNSURE
    return _LIKELY if points and (has_text or not is_finished(line)) else 0


def _is_handed(line: str) -> bool:
    """Return whether a line says that somebody else gave something, or how it was come by, or is to be worked on."""
    spelled = _plain(line)
    if words.FOUND.search(spelled) or words.WORKED.search(spelled):
        return True
    by_others = words.BY_US.sub("", spelled)
    return bool(words.GIVEN.search(by_others) and not words.MADE.search(spelled))


def _begins(line: str, kind: re.Pattern[str]) -> bool:
    """Return whether the first or the second word of a line is of a kind."""
    spelled = _plain(line)
    return bool(kind.match(spelled) or kind.match(spelled, spelled.find(" ") + 1))


def _spoken_of(stretch: _Stretch) -> int:
    """Return the points by which a stretch says that a text comes before it."""
    if stretch.title.startswith("^"):
        return _FOREIGN
    for sentence in _SENTENCE.findall(stretch.text)[:_FEWEST]:
        spelled = _plain(sentence)
        if words.TEXTS.search(spelled) or _is_handed(sentence):
            points = words.POINTING.search(spelled) or words.BACK.search(spelled)
            return _LIKELY if points else _SIGN
    return 0


def _resumes(stretch: _Stretch) -> bool:
    """Return whether the person speaks again in a stretch, by how it begins, asks or speaks of the text before it."""
    is_own = words.RESUMING.match(_plain(stretch.title)) or is_own_heading(stretch.title)
    return bool(is_own) or _asks(stretch.text) or _spoken_of(stretch) >= _LIKELY


def _looks_set(stretch: _Stretch, *, is_first: bool) -> int:
    """Return the points by which a stretch looks like a text by itself: a letter, a prompt, a notice, a verse."""
    line = stretch.title
    is_greeting = _begins(line, words.OPENINGS) and not is_finished(line)
    capitals = [mark for mark in re.split(r"[.:(!]", line[:_HEAD])[0] if mark.isalpha()]
    is_shouted = len(capitals) > _FEWEST and "".join(capitals).isupper()
    ended = sum(is_finished(line.strip()) for line in stretch.lines)
    is_list = sum(_ITEM.match(line) is not None for line in stretch.lines) > 1
    is_verse = len(stretch.lines) >= max(_FEWEST, 2 * ended) and not is_list
    is_verse &= max(map(len, stretch.lines)) <= _LONGEST_VERSE
    is_role = not is_first and words.ROLES.match(_plain(line))
    if is_role or any(SUBJECT.search(line) for line in stretch.lines[:_FEWEST]):
        return _UNSURE
    return _LIKELY * (is_greeting or is_shouted) + _SIGN * is_verse


def _asks(text: str) -> bool:
    return any(mark in text for mark in QUESTION_MARKS)


def _after_colons(stretch: _Stretch) -> Iterator[OwnedPart]:
    """Yield what follows in one line after a colon that announces a text, until the person speaks again."""
    start = stretch.start
    for line in stretch.lines:
        colon = _COLON_WITHIN.search(line)
        stop = begin = colon.end() if colon else 0
        if _announced(line[:begin]) == _FOREIGN and not is_own_heading(line[:begin]):
            for sentence in _SENTENCE.finditer(line, begin):
                is_own = words.RESUMING.match(_plain(sentence.group())) or _asks(sentence.group())
                if is_own and stop > begin:
                    break
                stop = sentence.end()
            is_text = words.TEXTS.search(_plain(line[:begin]))
            yield OwnedPart(start + begin, start + stop, "unsure" if is_text else "reported")
        start += len(line)
