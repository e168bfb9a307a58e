"""Split a text into blocks (lines of prose, code, tables), and prose into sentences in any script.

A sentence ends at a stop of its script, including emoji after it, or with its line. Most stops need
white space after them; those of Chinese, Hindi, Burmese and others do not. A full stop may also
belong to an abbreviation, an initial or a date. Thai and Lao have no stop: a long run of theirs is
cut at a space.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rules.extract.languages import MONTHS
from rules.extract.words import length, listed_words

_LINE = re.compile(r"[^\n\r\u2028\u2029]*(?:\r\n|[\n\r\u2028\u2029]|\Z)")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")
_ROW = re.compile(r"[ \t]*\|[^\n]*\|")
_CODE_INDENT = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
_ITEM = re.compile(r"[ \t]*(?:[-*+•·‣–—]|\(?\w{1,3}[.)])[ \t]")

BEFORE_ANYTHING = listed_words(
    """
    mr mrs ms mx dr prof st mt rev hon gen col capt lt sgt maj gov sen fr messrs mme mlle vs e.g i.e
    eg viz cf
    z.b u.a d.h s.o s.u o.ä i.d.r z.t v.a bzw bspw evtl ggf inkl exkl vgl hr str sog
    p.ex env m mm p.ej aprox sr sra srta dra ud uds ee avda
    sig sig.ra sig.na dott dott.ssa prof.ssa ing avv es exmo exma
    т.е т.к т.н т.о напр им ул просп пер кв см ср проф акад св о.о зам вул буд див
    np tzw tj ul pl al mgr inż hab św sn doç bkz örn mah
    """
)
"""Abbreviations that never end a sentence: titles, references, "for instance"."""

BEFORE_NUMBER = listed_words(
    """
    no nos vol vols p pp pg ch ed est fig figs eq approx ca max min abs art nr tel av núm pág pag
    pagg
    стр рис табл гл тел ст ok os godz r sok cad №
    """
)
"""Abbreviations only before a digit: "no. 5", but "I said no."."""

BEFORE_SMALL = listed_words(
    """
    etc a.m p.m jr inc ltd co corp llc u.s u.k e.u ph.d b.a m.a dept approx jan feb apr aug sept nov
    dec
    usw etw u.s.w bzgl jh jhd mio mrd ecc ecc.mo itd itp m.in tzn
    т.д т.п др пр гг вв н.э руб коп тыс млн млрд ін т.ін рр грн vb
    """
)
"""Abbreviations only before a small letter, since they can also end a sentence."""


EMOJI = "\u2600-\u27bf\u2b50\u2b55\u200d\ufe0f\U0001f000-\U0001faff"
"""The inside of a character class: emoji, and what joins or colours them."""
_CLOSERS = r"""[\"'”’»›“‘)\]}】」』）》〉*_~`]"""
_STOP = re.compile(
    r"(?P<code>`[^`\n]++`)"
    rf"|(?P<plain>(?<![.!?…])[.!?…‼⁇⁈⁉⸮]++{_CLOSERS}*+(?:\[\d+\])?(?=\s|$|[{EMOJI}]))"
    r"|[。！？｡][。！？｡!?…]*+[”’」』）》〉】\"')*_~]*+"
    r"|[।॥؟۔։።፧፨។៕။༎꧉᠃᠉]++[”’»\"')*_~]*+"
    r"|།(?:\s*།)*+"
)
MARK = re.compile(
    r"[ \t]*(?:(?:>|#{1,6}(?=\s)|[-*+•·‣](?=\s)|\(?\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))[ \t]*)*+"
)
_EMOJI_AFTER = re.compile(rf"\s*[{EMOJI}]+(?!\w)")
_WORD_BEFORE = re.compile(r"[^\s\"'“‘„«(\[*_]+$")
_WORD_AFTER = re.compile(r"[\W_]*(\w+)")
_EMOJI_MODIFIERS = "\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
"""Joiners, variation selectors and skin tones, which may follow an emoji."""
_THAI = re.compile(r"[\u0e00-\u0eff]")
_LETTER = re.compile(r"[^\W_]")
_GAP = re.compile(r"\s+")
_THAI_AT_LEAST = 60
"""The characters of a part of Thai or Lao before it may be cut."""
_REACH = 40
"""The characters before and after a stop in which its neighbouring words are looked for."""
_LONGEST_NUMBERING = 6
"""A beginning of fewer characters that is a number with a stop numbers a line or a sentence."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """The characters [start, stop) of a text: prose, or else code, a table or mere signs.

    Prose is a line where a text is split into blocks, and a sentence where it is split into these.
    A sentence has no white space around it, and no mark of a list, a heading or a quotation before
    it.
    """

    start: int
    stop: int
    prose: bool


def split_blocks(text: str) -> Iterator[TextPiece]:
    """Yield the blocks of `text` in order: lines of prose, code and tables, without blank lines.

    Code is between fences (a fence that never closes reaches to the end) or is indented by four
    columns after a blank line, outside a list. A table is a run of lines with pipes on both sides.
    """
    lines = _bounds_of_lines(text)
    at, in_list, after_blank = 0, False, True
    while at < len(lines):
        start, stop = lines[at]
        line = text[start:stop]
        if not line.strip():
            at, after_blank = at + 1, True
            continue
        after_code = _line_after_code(text, lines, at, indented=after_blank and not in_list)
        yield TextPiece(start, lines[max(after_code - 1, at)][1], prose=after_code == at)
        in_list = bool(_ITEM.match(line)) or (in_list and line[0].isspace())
        at, after_blank = max(after_code, at + 1), False


def _bounds_of_lines(text: str) -> list[tuple[int, int]]:
    """Return the bounds of each line, including its line break."""
    return [match.span() for match in _LINE.finditer(text) if match.group()]


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a piece of code."""
    return _FENCE.match(line) is not None


def without_open_fence(text: str) -> str:
    """Return the longest part of `text` between unclosed fences; `text` if all fences close."""
    longest, rest = "", text
    while fence := _open_fence(rest):
        longest = max(longest, rest[: fence.start()].strip(), key=len)
        # The pattern of a line matches anything.
        rest = rest[_LINE.match(rest, fence.end()).end() :]  # type: ignore[union-attr]
    return max(longest, rest.strip(), key=len) if longest or rest != text else text


def with_closed_fence(text: str) -> str:
    """Return `text` with a closing fence at its end, where one never closes."""
    fence = _open_fence(text)
    if fence is None:
        return text
    quoted = re.sub(r"[^>]", " ", text[fence.start() : fence.start(1)])
    return f"{text}\n{quoted}{fence[1]}"


def _open_fence(text: str) -> re.Match[str] | None:
    """Find the first fence that never closes."""
    if "```" not in text and "~~~" not in text:
        return None
    lines = _bounds_of_lines(text)
    at: int | None = 0
    while at is not None and at < len(lines):
        fence = _FENCE.match(text, *lines[at])
        at = _line_after_fence(text, lines, at, fence[1]) if fence else at + 1
        if at is None:
            return fence
    return None


def _line_after_code(text: str, lines: list[tuple[int, int]], at: int, *, indented: bool) -> int:
    """Return the index of the line after the code or table that begins at line `at`; else `at`."""
    line = text[slice(*lines[at])]
    fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if fence:
        return _line_after_fence(text, lines, at, fence.group(1)) or len(lines)
    if indented and _CODE_INDENT.match(line) and not _ITEM.match(line):
        # Blank lines between two indented ones belong to the code.
        after_code = at
        for further in range(at, len(lines)):
            if _CODE_INDENT.match(text, *lines[further]):
                after_code = further + 1
            elif text[slice(*lines[further])].strip():
                break
        return after_code
    while at < len(lines) and _ROW.match(text, *lines[at]):
        at += 1
    return at


def _line_after_fence(text: str, lines: list[tuple[int, int]], at: int, fence: str) -> int | None:
    """Return the index of the line after the one that closes the fence; None if none does."""
    closing = re.compile(rf"[ \t>]*{re.escape(fence)}{re.escape(fence[0])}*\s*\Z")
    for further in range(at + 1, len(lines)):
        if closing.match(text, *lines[further]):
            return further + 1
    return None


def split_sentences(text: str) -> tuple[TextPiece, ...]:
    """Split `text` into pieces that do not overlap and together hold all its letters.

    Takes linear time.
    """
    # In chats, many people begin their sentences with small letters.
    initials = [text[match.end()] for match in re.finditer(r"(?<=\w\w[.!?])\s+(?=\w)", text)]
    small = sum(map(str.islower, initials)) > sum(map(str.isupper, initials))
    pieces: list[TextPiece] = []
    for block in split_blocks(text):
        if block.prose:
            pieces.extend(_split_line(text, block.start, block.stop, small=small))
        else:
            pieces.append(_stripped(text, block.start, block.stop, prose=False))
    return tuple(pieces)


def find_prose_sentences(text: str) -> list[str]:
    """Return the sentences of a text, without code, tables and mere signs."""
    return [text[piece.start : piece.stop] for piece in split_sentences(text) if piece.prose]


def ends_whole(text: str) -> bool:
    """Return whether a text ends with the end of a sentence, closed code, a table, or an emoji.

    Thai and Lao mark no end of a sentence, so a text that ends with their letters counts as whole.
    """
    text = text.rstrip()
    last = next(reversed(list(split_blocks(text))), None)
    if last is None or not last.prose:
        return last is not None and _open_fence(text) is None
    signs = text.rstrip(_EMOJI_MODIFIERS)[-1:]
    if _THAI.match(text[-1]) or (signs and unicodedata.category(signs) == "So"):
        return True
    return any(
        stop.end() == len(text)
        and not stop["code"]
        and not _is_numbering(text, last.start, stop.start())
        for stop in _STOP.finditer(text, last.start)
    )


def _split_line(text: str, start: int, stop: int, *, small: bool) -> Iterator[TextPiece]:
    """Yield the sentences of a line, without the marks before it.

    `small`: sentences begin with small letters.
    """
    mark = MARK.match(text, start, stop)
    start = mark.end() if mark else start
    for match in _STOP.finditer(text, start, stop):
        if match["code"] or _is_numbering(text, start, match.start()):
            continue
        if match["plain"] and not _ends(text, match, stop, small=small):
            continue
        emoji = _EMOJI_AFTER.match(text, match.end(), stop)
        end = emoji.end() if emoji else match.end()
        yield from _cut_thai(text, start, end)
        start = end
    yield from _cut_thai(text, start, stop)


def _is_numbering(text: str, start: int, stop: int) -> bool:
    """Return whether only a short number precedes the first stop of a line or sentence."""
    return stop - start < _LONGEST_NUMBERING and text[start:stop].strip().isdecimal()


def _ends(text: str, stop: re.Match[str], line_end: int, *, small: bool) -> bool:
    """Return whether the stop after a word of a spaced script ends the sentence."""
    after = _WORD_AFTER.match(text, stop.end(), min(line_end, stop.end() + _REACH))
    if after is None:
        return True
    signs, following = stop.group(), after.group(1)
    word = _WORD_BEFORE.search(text, max(0, stop.start() - _REACH), stop.start())
    if signs == "." and word and _is_short_form(word.group(), following):
        return False
    begins_small = following[0].islower()
    if signs[0] in "!?":
        return not (begins_small and signs[-1] not in "!?")
    return small or not begins_small


def _is_short_form(word: str, following: str) -> bool:
    """Return whether the full stop between `word` and the word `following` belongs to `word`."""
    folded = word.casefold()
    small = following[0].islower()
    is_before_number = folded in BEFORE_NUMBER or folded.endswith(("str", "nr"))  # Hauptstr. 5
    if folded in BEFORE_ANYTHING or (following[0].isdecimal() and is_before_number):
        return True
    if word.isdecimal():
        return len(word) <= 2 and (small or following.casefold() in MONTHS)
    if folded in BEFORE_SMALL and len(word) > 1:
        return small
    return word != "I" and all(len(part) == 1 and part.isupper() for part in word.split("."))


def _cut_thai(text: str, start: int, stop: int) -> Iterator[TextPiece]:
    """Yield a sentence; a long run of Thai or Lao in several parts, cut at spaces."""
    if stop - start > _THAI_AT_LEAST and _THAI.search(text, start, stop):
        for gap in _GAP.finditer(text, start, stop):
            is_long = gap.start() - start >= _THAI_AT_LEAST
            if is_long and _THAI.search(text, gap.start() - 2, gap.start()):
                yield _stripped(text, start, gap.start(), prose=True)
                start = gap.end()
    if start < stop and not text[start:stop].isspace():
        yield _stripped(text, start, stop, prose=True)


def _stripped(text: str, start: int, stop: int, *, prose: bool) -> TextPiece:
    """Return the piece without the white space around it; mere signs are not prose."""
    whole = text[start:stop]
    inner = whole.strip()
    start += len(whole) - len(whole.lstrip())
    return TextPiece(start, start + len(inner), prose=prose and _LETTER.search(inner) is not None)


def sentences_within(text: str, words: float) -> str:
    """Return a text's beginning: the whole sentences within `words` words, but at least one."""
    left, stop = words, 0
    for piece in split_sentences(text):
        left -= length(text[piece.start : piece.stop])
        if left < 0 and stop:
            return text[:stop]
        stop = piece.stop
    return text
