"""Find what a person asks for good, what is still to be done, and what the persona has promised.

    Always format dates as 5 March when I ask about meetings.      wish
    Could you ask me about the beans on Sundays?                   wish
    This stays between us.                                         wish
    You can stop asking me about the beans now.                    end: it takes a wish back
    Remind me tomorrow to move the car.                            task: to be done once
    I'll ask about the flat in April. (the persona)                promise
    I've moved the car.                                            done

Promises and things done are recognized by patterns. What is asked for is recognized by patterns in
English (what the persona is to say or to leave out, and what makes it hold for good), and in other
languages by what `wish_model` has learned from labelled sentences. Only the person's own words are
read: nothing that they hand on, and nothing in quotation marks or code. What only sounds like a
wish ("I always loved the sea", "Never say never") is none. A wish in words that may be somebody
else's is doubtful: it counts once the person confirms it.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from rules.extract.brackets import last_quotation
from rules.extract.english_wishes import compile_slot
from rules.extract.handed_on import OWN, OwnedPart, find_owned_parts, is_own_heading, owner_at
from rules.extract.promises import done, promised
from rules.extract.sentences import find_prose_sentences, split_sentences
from rules.extract.spoken_languages import count_everyday_words, is_english, languages_of
from rules.extract.voices import COLONS, QUESTION_MARKS, QUOTED, voiced_lines
from rules.extract.wish_model import score_wishes
from rules.extract.words import length

Kind = Literal["wish", "end", "task", "promise", "done"]
_Sign = Kind | Literal["order"]
"""What a sentence says by itself: of what kind it is, or an order that may be a wish."""

_SURE_END, _SURE_WISH, _SURE_TASK = -0.9, 0.2, -0.25
"""The least scores that count. They weigh against fifty plain sentences for each wish."""
_LIKELY = -1.2
"""The least score of a line that counts as a wish within a list of wishes."""
_MOST_WORDS = 1_500.0
"""A sentence of more words is a pasted text."""
_MANY_WORDS = 100.0
"""In a sentence of more words, the wish is the clause between two commas."""
_SHORTEST, _SHORTEST_PROMISE = 2.0, 4.0
"""The fewest words of a sentence that is read, and of a promise."""
_LONGEST_NOTE = 60.0
"""The most words of a promise, of a task, and of a sentence that says something is done."""
_MOST_ITEMS = 12
"""The most lines of a list of wishes."""
_FEWEST_ITEMS = 2
_HEADINGS = 4
"""How many lines may say whose a list is: its first sentence, and lines before it, even blank."""
_BEFORE_ITEMS = " \t\n-*•—>0123456789.)"
_REACH = 120
"""The characters around an order in which to look for a word that makes it hold for good."""
_CLAUSE = re.compile(r"[^,;，、；]+")
_PAIRED = (("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("“", "”"))
_CACHED_MESSAGES = 16_384
"""Messages whose wishes are cached: a fold looks for them again, long after its memories did."""
_LONGEST_QUOTED = 4_000
"""The characters after which an open quotation mark no longer counts."""
_ITEM = re.compile(
    r"[ \t]*(?:->|→|=>|—|–|[-*+•·‣]|(?:§|Art\.?) ?\d{1,2}[.:)]?|\(?\d{1,2}[.)、]|\(?[a-z][.)])[ \t]*(?=\S)"
)
_LABEL = re.compile(r"[^\W\d_]{3,15}: (?=\S)")
"""A word before a rule in a list: "Mornings: no questions before eight"."""
_NEAR = 60
"""The characters after a request in which a word about talking is looked for."""
_CODE = re.compile(r"[{}]|\w\(\)|[=!]=|\w = ?[\"'\w]|</")
"""Signs of code, which prose does not have."""
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
    """Whether these are surely the speaker's own words.

    If not, it counts once the person confirms it.
    """


def forget_wishes() -> None:
    """Clear the caches of messages."""
    for cached in (find_stated, find_promises, find_owned_parts, count_everyday_words):
        cached.cache_clear()


@lru_cache(_CACHED_MESSAGES)
def find_stated(text: str) -> tuple[Stated, ...]:
    """Return what a message of the person's asks for, takes back, or says to be done.

    Each is returned once, in order.
    """
    found: list[Stated] = []
    breaks = [gap.end() for gap in re.finditer("\n\n", text)]
    for _, paragraph in groupby(_own_pieces(text), key=lambda piece: bisect(breaks, piece.start)):
        found.extend(_in_paragraph(text, list(paragraph)))
    return tuple(dict.fromkeys(found))


@lru_cache(_CACHED_MESSAGES)
def find_promises(text: str) -> tuple[Stated, ...]:
    """Return what a message of the persona's promises, in order, each once."""
    found: list[Stated] = []
    for line in voiced_lines(text, drafts=True):
        if line.voice == "other":
            continue
        for sentence in find_prose_sentences(text[line.start : line.stop]):
            plain = sentence.replace("’", "'").lstrip("*_ ")
            is_short = _SHORTEST_PROMISE <= length(sentence) <= _LONGEST_NOTE
            if not is_short or plain.endswith(QUESTION_MARKS):
                continue
            if any(promised(number).search(plain) for number in languages_of(plain, text)):
                found.append(Stated(sentence, "promise"))
    return tuple(dict.fromkeys(found))


def _own_pieces(text: str) -> Iterator[OwnedPart]:
    """Yield the sentences of prose that are not somebody else's.

    The mark of a list is left out.
    """
    for piece in split_sentences(text):
        owner = owner_at(text, piece.start)
        if piece.prose and owner != "foreign":
            mark = _ITEM.match(text, piece.start, piece.stop)
            yield OwnedPart(mark.end() if mark else piece.start, piece.stop, owner)


def _in_paragraph(text: str, pieces: list[OwnedPart]) -> Iterator[Stated]:
    """Yield what a paragraph asks for; of a list of wishes, all lines."""
    kinds = [_kind_at(text, piece) for piece in pieces]
    is_list = _lists_wishes(text, pieces, [kind[0] for kind in kinds if kind is not None])
    if is_list and _has_heading(text, pieces):
        del pieces[0], kinds[0]
    items_left = 0
    for piece, kind in zip(pieces, kinds, strict=True):
        sentence = text[piece.start : piece.stop]
        is_item = is_list or piece.owner == "adopted" or (items_left > 0 and _is_item(text, piece))
        items_left -= items_left > 0
        if kind is not None and kind[0] != "order":
            items_left = _MOST_ITEMS if sentence.endswith(COLONS) else items_left
            is_sure = owner_at(text, piece.start + kind[1]) in OWN
            yield Stated(_clause(sentence, kind[1]), kind[0], is_sure=is_sure)
        elif is_item and length(sentence) >= _SHORTEST and not sentence.endswith(QUESTION_MARKS):
            yield Stated(sentence, "wish", is_sure=piece.owner in OWN)
        else:
            items_left = 0


def _lists_wishes(text: str, pieces: Sequence[OwnedPart], kinds: Sequence[str]) -> bool:
    """Return whether a paragraph's lines are a list of wishes.

    `kinds` are those of its sentences that ask.
    """
    wishes = kinds.count("wish") + kinds.count("order")
    start = pieces[0].start
    lines = {text.count("\n", start, piece.start): piece for piece in reversed(pieces)}
    before = text[max(0, start - _LONGEST_QUOTED) : start].rstrip(_BEFORE_ITEMS)
    items = [piece for piece in lines.values() if _is_item(text, piece)]
    headings = [*before.splitlines(), text[start : pieces[0].stop]][-_HEADINGS:]
    if _FEWEST_ITEMS <= len(items) <= _MOST_ITEMS and any(map(is_own_heading, headings)):
        return len(items) >= len(lines) - 2
    if (
        "wish" not in kinds
        or wishes < _FEWEST_ITEMS
        or not _FEWEST_ITEMS <= len(lines) <= _MOST_ITEMS
    ):
        return False
    is_list = before.endswith(COLONS) or len(items) == len(lines)
    return is_list and len(lines) <= 2 * wishes + 1


def _has_heading(text: str, pieces: Sequence[OwnedPart]) -> bool:
    """Return whether a list begins with a heading of the person's own, in a line of its own."""
    first, *items = pieces
    is_over_items = not _is_item(text, first) and items and _is_item(text, items[0])
    return bool(is_over_items) and is_own_heading(text[first.start : first.stop])


def _is_item(text: str, piece: OwnedPart) -> bool:
    """Return whether the sentence begins an item of a list."""
    line = text.rfind("\n", 0, piece.start) + 1
    return bool(text[line : piece.start].strip("# \t"))


def _clause(sentence: str, at: int) -> str:
    """Return the sentence; of a long one, the part between commas in which a wish begins `at`."""
    if length(sentence) <= _MANY_WORDS:
        return sentence
    return next(clause[0] for clause in _CLAUSE.finditer(sentence) if clause.end() > at).strip()


def _kind_at(text: str, piece: OwnedPart) -> tuple[_Sign, int] | None:
    """Return the kind of a sentence, and where its telling words begin; None without a kind."""
    sentence = text[piece.start : piece.stop].replace("’", "'")
    words = length(sentence)
    if not _SHORTEST <= words <= _MOST_WORDS:
        return None
    bare = sentence.lstrip("*_ ")
    if _CODE.search(bare):
        return None
    if "\n" in text and (label := _LABEL.match(bare)):
        bare = bare[label.end() :]
    shift = len(sentence) - len(bare)
    found = _kind_in(bare, text)
    if found is None or (found[0] in ("task", "done") and words > _LONGEST_NOTE):
        return None
    kind, at = found[0], found[1] + shift
    if piece.owner == "adopted":
        return (kind, at) if kind in ("wish", "order") else None
    return None if _is_quoted(text, piece.start + at) else (kind, at)


def _kind_in(sentence: str, text: str) -> tuple[_Sign, int] | None:
    """Return the kind of a sentence of the message `text`, and where its telling words begin."""
    among = languages_of(sentence, text)
    in_english = is_english(sentence, text, among)
    found = _kind_by_form(sentence) if in_english else _kind_by_score(sentence)
    if found is not None or _asks(sentence):
        return found
    return ("done", 0) if any(done(number).search(sentence) for number in among) else None


def _kind_by_score(sentence: str) -> tuple[_Sign, int] | None:
    """Return the kind of a sentence by its score, and where it begins.

    In a long sentence it begins at the clause most like a wish.
    """
    at = 0
    if length(sentence) > _MANY_WORDS:
        clause = max(_CLAUSE.finditer(sentence), key=lambda found: score_wishes(found[0])["wish"])
        at, sentence = clause.start(), clause[0]
    score = score_wishes(sentence)
    if score["end"] >= _SURE_END:
        return "end", at
    if score["wish"] >= _SURE_WISH:
        return "wish", at
    if score["task"] >= _SURE_TASK:
        return "task", at
    return ("order", at) if score["wish"] >= _LIKELY else None


def _kind_by_form(sentence: str) -> tuple[_Sign, int] | None:
    """Return the kind of an English sentence by its form, and where that begins."""
    if compile_slot("idle", leads=True).match(sentence):
        return None
    is_asked = _asks(sentence)
    is_once = compile_slot("once").search(sentence) is not None
    told = compile_slot("told").search(sentence)
    last = told.start() if told else len(sentence)
    if not is_asked and (end := compile_slot("ended").search(sentence)) and end.start() <= last:
        return "end", end.start()
    for kind, match in _asked_for(sentence, is_asked=is_asked, is_once=is_once):
        if match.start("core") <= last:
            return kind, match.start("core")
    return None


def _asks(sentence: str) -> bool:
    """Return whether a sentence is a question, not an order with a tag ("..., please?")."""
    bare = sentence.rstrip(" \"'”»)*_")
    return bare.endswith(QUESTION_MARKS) and not _TAG.search(bare)


def _asked_for(
    sentence: str, *, is_asked: bool, is_once: bool
) -> Iterator[tuple[_Sign, re.Match[str]]]:
    """Yield what a sentence asks for, and where.

    It is a wish, a task, or an order that does not say which of the two it is.
    """
    if not is_asked and (found := compile_slot("within").search(sentence)):
        yield "wish", found
    if ask := compile_slot("ask", leads=True).search(sentence):
        asked = sentence[ask.start() : ask.end() + _REACH]
        is_about_talk = compile_slot("about").search(sentence, ask.end(), ask.end() + _NEAR)
        if is_once:
            yield "task", ask
        elif is_about_talk and (ask["case"] or _any_of(("holds", "less"), asked)):
            yield "wish", ask
    if not is_asked:
        yield from _ordered(sentence, is_once=is_once)


def _ordered(sentence: str, *, is_once: bool) -> Iterator[tuple[_Sign, re.Match[str]]]:
    """Yield the bans and orders of a sentence, each with its kind."""
    for part in ("ban", "form", "after"):
        found = None if is_once else compile_slot(part, leads=True).search(sentence)
        if found and (part != "after" or found["case"]):
            yield "wish", found
    if order := compile_slot("order", leads=True).search(sentence):
        asked = sentence[max(0, order.start() - _REACH) : order.end() + _REACH]
        holds = order["case"] or _any_of(("holds",), asked)
        yield "task" if is_once else "wish" if holds else "order", order


def _any_of(parts: Iterable[str], text: str) -> bool:
    """Return whether one of these slots is filled in a text."""
    return any(compile_slot(part).search(text) for part in parts)


def _is_quoted(text: str, at: int) -> bool:
    """Return whether the character at an index of a text is in quotation marks, or opens them."""
    if last_quotation(text, at)[1] > at:
        return True
    begin = max(at - _LONGEST_QUOTED, text.rfind("\n\n", max(0, at - _LONGEST_QUOTED), at) + 1, 0)
    before = QUOTED.sub("", text[begin : at + 1])
    return before.count('"') % 2 == 1 or any(
        before.count(opening) > before.count(closing) for opening, closing in _PAIRED
    )
