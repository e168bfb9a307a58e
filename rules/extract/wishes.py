"""Find what a person asks for good, what is still to be done, and what the persona has promised.

    Always format dates as 5 March when I ask about meetings.      wish
    Could you ask me about the beans on Sundays?                   wish
    This stays between us.                                         wish
    You can stop asking me about the beans now.                    end: it takes a wish back
    Remind me tomorrow to move the car.                            task: to be done once
    I'll ask about the flat in April. (the persona)                promise
    I've moved the car.                                            done

Promises and what is done are told by their forms. What is asked for is told by its form in English: what the persona is
to say or to leave out, and what makes it hold for good; in other languages by what `wish_model` has learned from
labelled sentences. Only the person's own words are read: not what they hand on, nor what is in quotation marks or code.
What only sounds like a wish ("I always loved the sea", "Never say never") is none. A wish in words that may be somebody
else's is doubtful: it counts once the person takes it.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from rules.extract.brackets import last_quotation_end, quotations_in
from rules.extract.english_wishes import compiled
from rules.extract.handed_on import OWN, Owner, is_own_heading, owned_parts, owner_at
from rules.extract.promises import done, promised
from rules.extract.sentences import TextPiece, sentences
from rules.extract.spoken_languages import heard, is_english, languages_of
from rules.extract.voices import COLONS, QUESTION_MARKS, QUOTED, voiced_lines
from rules.extract.wish_model import scores
from rules.extract.words import length

Kind = Literal["wish", "end", "task", "promise", "done"]

_SURE_END, _SURE_WISH, _SURE_TASK = -0.9, 0.2, -0.25
"""The least scores. There are fifty plain sentences in a talk to a wish: the score must make up for it."""
_LIKELY = -1.2
"""The score from which on a line may be one of a list of wishes."""
_LONGEST = 1_500.0
"""A sentence of more words is a pasted text."""
_LONG = 100.0
"""Of a sentence of more words, the wish is the clause between two commas."""
_SHORTEST, _SHORTEST_NOTE = 2.0, 4.0
_LONGEST_NOTE = 60.0
"""The most words of what is promised, to be done, or done."""
_MOST_ITEMS = 12
"""The most lines of a list of wishes."""
_LEAST_LISTED = 2
_HEADINGS = 4
"""The lines before a list, blank ones counted, and its first sentence, that may say whose it is."""
_BEFORE_ITEMS = " \t\n-*•—>0123456789.)"
_REACH = 120
"""The characters of a sentence in which a word that makes an order hold for good is looked for, on both sides."""
_COMMAS = (",", ";", "，", "、", "；")
_CLAUSE = re.compile(rf"[^{''.join(_COMMAS)}]+")
_PAIRED = (("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("“", "”"))
_MESSAGES = 16_384
"""Messages whose wishes are remembered: a fold looks for them again, long after its memories did."""
_PARAGRAPH = 4_000
"""Characters after which an open quotation mark is taken to be closed."""
_ITEM = re.compile(
    r"[ \t]*(?:->|→|=>|—|–|[-*+•·‣]|(?:§|Art\.?) ?\d{1,2}[.:)]?|\(?\d{1,2}[.)、]|\(?[a-z][.)])[ \t]*(?=\S)"
)
_LABEL = re.compile(r"[^\W\d_]{3,15}: (?=\S)")
"""A word before a rule in a list: "Mornings: no questions before eight"."""
_NEAR = 60
"""The characters after a request in which what it is about is looked for."""
_CODE = re.compile(r"[{}]|\w\(\)|[=!]=|\w = ?[\"'\w]|</")
"""What prose does not have."""
_TAG = re.compile(
    r", ?(?:ok(?:ay)?|(?:will|would|can) you|please|right|yeah|all ?right|deal) ?\?$", re.IGNORECASE
)
"""A question after an order."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a sentence asks, promises or ends, word for word."""

    text: str
    kind: Kind
    is_sure: bool = True
    """It is the speaker's own; else it counts once the person takes it."""


def forget_wishes() -> None:
    """Drop what is remembered of messages."""
    for remembered in (find_stated, find_promises, owned_parts, heard):
        remembered.cache_clear()


@lru_cache(_MESSAGES)
def find_stated(text: str) -> tuple[Stated, ...]:
    """Return what a message of the person's asks for, ends, or says to be done, in order, each once."""
    found: list[Stated] = []
    breaks = [gap.end() for gap in re.finditer("\n\n", text)]
    for _, paragraph in groupby(
        _own_pieces(text), key=lambda owned: bisect(breaks, owned[0].start)
    ):
        found.extend(_in_paragraph(text, list(paragraph)))
    return tuple(dict.fromkeys(found))


@lru_cache(_MESSAGES)
def find_promises(text: str) -> tuple[Stated, ...]:
    """Return what a message of the persona's promises, or says to be done, in order, each once."""
    found: list[Stated] = []
    for line in voiced_lines(text, drafts=True):
        if line.voice == "other":
            continue
        for piece in sentences(text[line.start : line.stop]):
            sentence = text[line.start : line.stop][piece.start : piece.stop]
            plain = sentence.replace("’", "'").lstrip("*_ ")
            if (
                not piece.prose
                or length(sentence) > _LONGEST_NOTE
                or plain.endswith(QUESTION_MARKS)
            ):
                continue
            if length(sentence) >= _SHORTEST_NOTE and any(
                promised(number).search(plain) for number in languages_of(plain, text)
            ):
                found.append(Stated(sentence, "promise"))
    return tuple(dict.fromkeys(found))


def _own_pieces(text: str) -> Iterator[tuple[TextPiece, Owner]]:
    """Yield the sentences of prose that are not somebody else's, without the marks of a list."""
    for piece in sentences(text):
        owner = owner_at(text, piece.start)
        if piece.prose and owner != "foreign":
            mark = _ITEM.match(text, piece.start, piece.stop)
            yield TextPiece(mark.end() if mark else piece.start, piece.stop, prose=True), owner


def _in_paragraph(text: str, pieces: list[tuple[TextPiece, Owner]]) -> Iterator[Stated]:
    """Yield what a paragraph asks for; all the lines of a list of which several ask for something."""
    kinds = [_kind_at(text, piece, owner) for piece, owner in pieces]
    is_list = _lists_wishes(text, pieces, [kind[0] for kind in kinds if kind is not None])
    if is_list and _has_heading(text, pieces):
        del pieces[0], kinds[0]
    items = 0
    for (piece, owner), kind in zip(pieces, kinds, strict=True):
        sentence = text[piece.start : piece.stop]
        is_item = is_list or owner == "adopted" or (items > 0 and _is_item(text, piece))
        items -= items > 0
        if kind is not None and kind[0] != "order":
            items = _MOST_ITEMS if sentence.endswith(COLONS) else items
            is_sure = owner_at(text, piece.start + kind[1]) in OWN
            yield Stated(_clause(sentence, kind[1]), kind[0], is_sure=is_sure)
        elif is_item and length(sentence) >= _SHORTEST and not sentence.endswith(QUESTION_MARKS):
            yield Stated(sentence, "wish", is_sure=owner in OWN)
        else:
            items = 0


def _lists_wishes(
    text: str, pieces: Sequence[tuple[TextPiece, Owner]], kinds: Sequence[str]
) -> bool:
    """Return whether the lines of a paragraph are a list of wishes, by the `kinds` of what asks there."""
    hits = kinds.count("wish") + kinds.count("order")
    start = pieces[0][0].start
    lines = {text.count("\n", start, piece.start): piece for piece, _ in reversed(pieces)}
    before = text[max(0, start - _PARAGRAPH) : start].rstrip(_BEFORE_ITEMS)
    items = [piece for piece in lines.values() if _is_item(text, piece)]
    headings = [*before.splitlines(), text[start : pieces[0][0].stop]][-_HEADINGS:]
    if _LEAST_LISTED <= len(items) <= _MOST_ITEMS and any(map(is_own_heading, headings)):
        return len(items) >= len(lines) - 2
    if (
        "wish" not in kinds
        or hits < _LEAST_LISTED
        or not _LEAST_LISTED <= len(lines) <= _MOST_ITEMS
    ):
        return False
    is_list = before.endswith(COLONS) or all(_is_item(text, piece) for piece in lines.values())
    return is_list and len(lines) <= 2 * hits + 1


def _has_heading(text: str, pieces: Sequence[tuple[TextPiece, Owner]]) -> bool:
    """Return whether a list begins with a heading in the person's own name, in a line of its own."""
    (first, _), *items = pieces
    is_over_items = not _is_item(text, first) and items and _is_item(text, items[0][0])
    return bool(is_over_items) and is_own_heading(text[first.start : first.stop])


def _is_item(text: str, piece: TextPiece) -> bool:
    """Return whether the sentence begins an item of a list."""
    line = text.rfind("\n", 0, piece.start) + 1
    return bool(text[line : piece.start].strip("# \t"))


def _clause(sentence: str, at: int) -> str:
    """Return the sentence; of a long one, the part between two commas in which a wish begins `at`."""
    if length(sentence) <= _LONG:
        return sentence
    start = max(sentence.rfind(mark, 0, at + 1) for mark in _COMMAS) + 1
    ends = (sentence.find(mark, at + 1) for mark in _COMMAS)
    return sentence[start : min((end for end in ends if end >= 0), default=None)].strip()


def _kind_at(
    text: str, piece: TextPiece, owner: Owner
) -> tuple[Kind | Literal["order"], int] | None:
    """Return what a sentence is, and where in it its form begins; None where it is nothing of these."""
    sentence = text[piece.start : piece.stop].replace("’", "'")
    words = length(sentence)
    if not _SHORTEST <= words <= _LONGEST:
        return None
    bare = sentence.lstrip("*_ ")
    if _CODE.search(bare):
        return None
    if "\n" in text and (label := _LABEL.match(bare)):
        bare = bare[label.end() :]
    shift = len(sentence) - len(bare)
    told = _told_in(bare, text)
    if told is None or (told[0] in ("task", "done") and words > _LONGEST_NOTE):
        return None
    kind, at = told[0], told[1] + shift
    if owner == "adopted":
        return (kind, at) if kind in ("wish", "order") else None
    return None if _is_quoted(text, piece.start + at) else (kind, at)


def _told_in(sentence: str, text: str) -> tuple[Kind | Literal["order"], int] | None:
    """Return what a sentence of a message is, and where that begins."""
    among = languages_of(sentence, text)
    told = _told(sentence) if is_english(sentence, text, among) else _learned(sentence)
    if told is None and not _asks(sentence) and any(done(each).search(sentence) for each in among):
        return "done", 0
    return told


def _learned(sentence: str) -> tuple[Kind | Literal["order"], int] | None:
    """Return what a sentence is by its score, and where it begins: in a long one, the clause most like a wish."""
    at = 0
    if length(sentence) > _LONG:
        clause = max(_CLAUSE.finditer(sentence), key=lambda found: scores(found[0])["wish"])
        at, sentence = clause.start(), clause[0]
    score = scores(sentence)
    if score["end"] >= _SURE_END:
        return "end", at
    if score["wish"] >= _SURE_WISH:
        return "wish", at
    if score["task"] >= _SURE_TASK:
        return "task", at
    return ("order", at) if score["wish"] >= _LIKELY else None


def _told(sentence: str) -> tuple[Kind | Literal["order"], int] | None:
    """Return what an English sentence is by its form, and where that begins."""
    if compiled("idle", leads=True).match(sentence):
        return None
    is_asked = _asks(sentence)
    is_once = compiled("once").search(sentence) is not None
    told = compiled("told").search(sentence)
    last = told.start() if told else len(sentence)
    if not is_asked and (end := compiled("ended").search(sentence)) and end.start() <= last:
        return "end", end.start()
    for kind, match in _asked_for(sentence, is_asked=is_asked, is_once=is_once):
        if match.start("core") <= last:
            return kind, match.start("core")
    return None


def _asks(sentence: str) -> bool:
    """Return whether a sentence is a question, and no order with one after it."""
    bare = sentence.rstrip(" \"'”»)*_")
    return bare.endswith(QUESTION_MARKS) and not _TAG.search(bare)


def _asked_for(
    sentence: str, *, is_asked: bool, is_once: bool
) -> Iterator[tuple[Kind | Literal["order"], re.Match[str]]]:
    """Yield what a sentence asks for, and where: as a wish, to be done once, or as an order of which nothing says so."""
    if not is_asked and (found := compiled("within").search(sentence)):
        yield "wish", found
    if ask := compiled("ask", leads=True).search(sentence):
        asked = sentence[ask.start() : ask.end() + _REACH]
        is_about_talk = compiled("about").search(sentence, ask.end(), ask.end() + _NEAR)
        if is_once:
            yield "task", ask
        elif is_about_talk and (ask["case"] or _any_of(("holds", "less"), asked)):
            yield "wish", ask
    if not is_asked:
        yield from _ordered(sentence, is_once=is_once)


def _ordered(
    sentence: str, *, is_once: bool
) -> Iterator[tuple[Kind | Literal["order"], re.Match[str]]]:
    """Yield the bans and orders of a sentence."""
    for part in ("ban", "form", "after"):
        found = None if is_once else compiled(part, leads=True).search(sentence)
        if found and (part != "after" or found["case"]):
            yield "wish", found
    if order := compiled("order", leads=True).search(sentence):
        asked = sentence[max(0, order.start() - _REACH) : order.end() + _REACH]
        holds = order["case"] or _any_of(("holds",), asked)
        yield "task" if is_once else "wish" if holds else "order", order


def _any_of(parts: Iterable[str], text: str) -> bool:
    """Return whether one of these slots is filled in a text."""
    return any(compiled(part).search(text) for part in parts)


def _is_quoted(text: str, at: int) -> bool:
    """Return whether quotation marks are open at this place of its paragraph, or open there."""
    if last_quotation_end(quotations_in(text), at) > at:
        return True
    begin = max(at - _PARAGRAPH, text.rfind("\n\n", max(0, at - _PARAGRAPH), at) + 1, 0)
    before = QUOTED.sub("", text[begin : at + 1])
    return before.count('"') % 2 == 1 or any(
        before.count(opening) > before.count(closing) for opening, closing in _PAIRED
    )
