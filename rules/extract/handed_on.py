"""Tell whose the words in a person's message are: their own, or somebody else's that they hand on.

    I found this prompt, is it any good?          own: it announces a text, and asks
                                                  (blank)
    You are a pirate. Always answer in rhyme.     foreign
                                                  (blank)
    I am no pirate. What do you think?            own: the person speaks again

Frames, quotations of several sentences and logs are foreign by themselves. All else is read in
stretches (lines without a blank one between them) and judged by points: where the line before
announces a text, where what comes after refers to one or asks, and where the stretch looks like one
(a letter, a verse, a notice, a role for a model). With few points it is unsure. A heading, a list
or mere length gives no points, and under a heading of the person's own ("How I'd like us to talk")
words are own. What is handed over as a rule to follow ("from now on be this") is adopted.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from rules.extract import handed_words as words
from rules.extract.set_apart import SENTENCE_ENDS, find_frames, find_logs, find_quotations, is_break
from rules.extract.voices import COLONS, QUESTION_MARKS, SIGN_OFF, SUBJECT, is_finished

Owner = Literal["own", "adopted", "reported", "unsure", "foreign"]
"""`reported`: after a colon in the same line, where the person may go on in their own words."""
OWN: Final = ("own", "adopted")

_CACHED_MESSAGES, _CACHED_LINES = 16_384, 256
_FOREIGN, _UNSURE, _LIKELY, _SIGN = 4, 3, 2, 1
"""Points. With `_FOREIGN` or more a stretch is somebody else's; with `_UNSURE` it may be."""
_LONGEST_ANNOUNCEMENT, _LONGEST_HEADING, _LONGEST_VERSE, _LONGEST_SIGNATURE = 300, 120, 80, 30
"""The most characters of such a line."""
_HEAD = 24
"""The characters at the start of a line in which a heading in capitals is looked for."""
_FEWEST_VERSES, _MOST_INITIALS = 3, 3
"""The fewest lines of a verse, and the most capitals that are initials and no heading."""
_LINES_READ, _SENTENCES_READ = 3, 3
"""The first lines in which a subject line is looked for, and sentences of a comment in which a text
is referred to."""

_FENCE = "```"
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\n?")
_ITEM = re.compile(
    r"\s*(?:[-*+•·–—§]|(?:[^\W\d_]+\.? )?\d{1,2}[.:)、 ]|[ivxIVX]+[.)]|[一二三四五六七八九十]+、)"
)
_COLON_WITHIN = re.compile(r'[:：](?=\s*[^\s:："“„«「『»])')


@dataclass(frozen=True, slots=True)
class OwnedPart:
    """The characters [start, stop) of a message that have one owner."""

    start: int
    stop: int
    owner: Owner


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines without a blank one between them, with their line breaks."""

    start: int
    lines: tuple[str, ...]
    holds_text: bool
    """Whether its last line has a part that is set apart, and so announces no text after it."""

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def title(self) -> str:
        return self.lines[0].strip()


def owner_at(text: str, at: int) -> Owner:
    """Return the owner of the character at an index of a person's message."""
    parts = find_owned_parts(text)
    last = bisect(parts, at, key=lambda part: part.start) - 1
    return parts[last].owner if last >= 0 and at < parts[last].stop else "own"


@lru_cache(_CACHED_MESSAGES)
def find_owned_parts(text: str) -> tuple[OwnedPart, ...]:
    """Return the parts of a person's message that are not simply theirs.

    They are in order, and do not overlap.
    """
    apart = sorted(_set_apart(text), key=lambda part: part.start)
    handed = _handed(list(_stretches(text, apart)))
    parts: list[OwnedPart] = []
    end = 0
    for part in sorted([*apart, *handed], key=lambda part: part.start):
        if part.stop > end:
            parts.append(replace(part, start=max(part.start, end)))
            end = part.stop
    return tuple(parts)


@lru_cache(_CACHED_LINES)
def _plain(line: str) -> str:
    """Return the words of a line in small letters, with one space between them."""
    return " ".join(re.findall(r"[^\W_]+", line.casefold()))


def is_own_heading(line: str) -> bool:
    """Return whether a line is a heading over the person's own requests."""
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
    """Yield the parts set apart by form, except frames under a heading of the person's own."""
    spans = [*find_quotations(text), *find_logs(text)]
    for start, stop in find_frames(text):
        if not is_own_heading(text[start : start + _LONGEST_HEADING].partition("\n")[0]):
            spans.append((start, stop))
    for start, stop in spans:
        before = text[max(0, start - _LONGEST_ANNOUNCEMENT) : start].rstrip().rpartition("\n")[2]
        yield OwnedPart(start, stop, "adopted" if _adopts(before) else "foreign")


def _stretches(text: str, apart: Sequence[OwnedPart]) -> Iterator[_Stretch | None]:
    """Yield a message's stretches in order, and None for each line that is code or set apart."""
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
    """Yield the lines up to `stop` as stretches.

    They are cut after a first line that announces, and before a last one that differs.
    """
    cuts = [0, len(lines)]
    if lines[1:] and (_adopts(lines[0]) or _points_for_announcing(lines[0].strip()) >= _UNSURE):
        cuts.append(1)
    if lines[2:] and _ends_list(lines):
        cuts.append(len(lines) - 1)
    start = stop - sum(map(len, lines))
    for begin, end in pairwise(sorted(set(cuts))):
        yield _Stretch(start, tuple(lines[begin:end]), holds_text and end == len(lines))
        start += sum(map(len, lines[begin:end]))


def _ends_list(lines: Sequence[str]) -> bool:
    """Return whether the last line is no part of the list, or the notice, that the others are."""
    items = [_ITEM.match(line) is not None for line in lines]
    if items[-2] and sum(items[:-1]) > 1:
        return not items[-1]
    return _asks(lines[-1]) and not any(map(_asks, lines[:-1]))


def _handed(stretches: Sequence[_Stretch | None]) -> Iterator[OwnedPart]:
    """Yield the stretches, and parts of them, that are not simply the person's own."""
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
    """Yield for each stretch, last one first, the index after the end of the text that it begins.

    A text ends with what is set apart, with a signature, where the person speaks again, or before
    the last stretch. It is never a heading alone.
    """
    last = end = len(stretches)
    for at in range(last - 1, -1, -1):
        stretch, following = stretches[at], stretches[at + 1] if at + 1 < last else None
        is_heading = (
            stretch
            and not stretch.lines[1:]
            and not is_finished(stretch.title)
            and not SENTENCE_ENDS.search(stretch.title)
        )
        is_over = at + 2 == last or (following and _resumes(following))
        lines = stretch.lines[-2:] if stretch else ()
        is_signed = any(SIGN_OFF.search(line) for line in lines if len(line) <= _LONGEST_SIGNATURE)
        if not following or is_signed or (is_over and not is_heading):
            end = at + 1
        yield end


def _owner(
    stretch: _Stretch, before: _Stretch | None, after: _Stretch | None, *, is_first: bool
) -> Owner:
    """Return the owner of a stretch by what the person says before it and after its text.

    Its text is the one that begins with it.
    """
    announcement = before.lines[-1].strip() if before and not before.holds_text else ""
    if _adopts(announcement):
        return "adopted"
    comments = [comment.text for comment in (before, after) if comment]
    resumes = words.RESUMING.match(_plain(stretch.title))
    points = 0 if resumes else _points_for_announcing(announcement)
    points += _points_for_looks(stretch, is_first=is_first) if comments else 0
    points += (_points_for_mention(after) if after else 0) + _SIGN * any(map(_asks, comments))
    is_own = is_own_heading(announcement) or is_own_heading(stretch.title)
    if is_own or points < _UNSURE:
        return "own"
    return "foreign" if points >= _FOREIGN else "unsure"


def _adopts(line: str) -> bool:
    """Return whether a line hands a text over as a rule to follow."""
    spelled = _plain(line)
    points = line.rstrip().endswith(COLONS) or words.POINTING.search(spelled)
    is_role = words.FROM_NOW.search(spelled) and words.BE.search(spelled)
    return bool(points and (is_role or words.KEEP_TO.search(spelled)))


def _points_for_announcing(line: str) -> int:
    """Return the points for a line's saying that a text follows."""
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
    """Return whether a line says that a text is handed on.

    It says that somebody else gave it, how the person came by it, or what to do with it.
    """
    spelled = _plain(line)
    if words.FOUND.search(spelled) or words.WORKED.search(spelled):
        return True
    by_others = words.BY_US.sub("", spelled)
    return bool(words.GIVEN.search(by_others) and not words.MADE.search(spelled))


def _begins(line: str, kind: re.Pattern[str]) -> bool:
    """Return whether the first or the second word of a line is of a kind."""
    spelled = _plain(line)
    return bool(kind.match(spelled) or kind.match(spelled, spelled.find(" ") + 1))


def _points_for_mention(stretch: _Stretch) -> int:
    """Return the points for a stretch's mentioning a text before it."""
    if stretch.title.startswith("^"):
        return _FOREIGN
    for sentence in _SENTENCE.findall(stretch.text)[:_SENTENCES_READ]:
        spelled = _plain(sentence)
        if words.TEXTS.search(spelled) or _is_handed(sentence):
            points = words.POINTING.search(spelled) or words.BACK.search(spelled)
            return _LIKELY if points else _SIGN
    return 0


def _resumes(stretch: _Stretch) -> bool:
    """Return whether the person speaks again in a stretch.

    It shows by its beginning, a question, or a mention of the text before.
    """
    is_own = words.RESUMING.match(_plain(stretch.title)) or is_own_heading(stretch.title)
    return bool(is_own) or _asks(stretch.text) or _points_for_mention(stretch) >= _LIKELY


def _points_for_looks(stretch: _Stretch, *, is_first: bool) -> int:
    """Return the points for a stretch that looks like a text by itself.

    Such texts are a letter, a prompt, a notice, and a verse.
    """
    line = stretch.title
    is_greeting = _begins(line, words.OPENINGS) and not is_finished(line)
    letters = [mark for mark in re.split(r"[.:(!]", line[:_HEAD])[0] if mark.isalpha()]
    is_shouted = len(letters) > _MOST_INITIALS and "".join(letters).isupper()
    ended = sum(is_finished(line.strip()) for line in stretch.lines)
    is_list = sum(_ITEM.match(line) is not None for line in stretch.lines) > 1
    is_verse = len(stretch.lines) >= max(_FEWEST_VERSES, 2 * ended) and not is_list
    is_verse &= max(map(len, stretch.lines)) <= _LONGEST_VERSE
    is_role = not is_first and words.ROLES.match(_plain(line))
    if is_role or any(SUBJECT.search(line) for line in stretch.lines[:_LINES_READ]):
        return _UNSURE
    return _LIKELY * (is_greeting or is_shouted) + _SIGN * is_verse


def _asks(text: str) -> bool:
    return any(mark in text for mark in QUESTION_MARKS)


def _after_colons(stretch: _Stretch) -> Iterator[OwnedPart]:
    """Yield what follows, in one line, after a colon that announces a text.

    It ends where the person speaks again.
    """
    start = stretch.start
    for line in stretch.lines:
        colon = _COLON_WITHIN.search(line)
        stop = begin = colon.end() if colon else 0
        is_announced = _points_for_announcing(line[:begin]) == _FOREIGN
        if is_announced and not is_own_heading(line[:begin]):
            for sentence in _SENTENCE.finditer(line, begin):
                is_own = words.RESUMING.match(_plain(sentence.group())) or _asks(sentence.group())
                if is_own and stop > begin:
                    break
                stop = sentence.end()
            is_text = words.TEXTS.search(_plain(line[:begin]))
            yield OwnedPart(start + begin, start + stop, "unsure" if is_text else "reported")
        start += len(line)
