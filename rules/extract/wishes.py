"""Find what a person asks for good, what is still to be done, and what the persona has promised.

    Always format dates as 5 March when I ask about meetings.      wish
    Could you ask me about the beans on Sundays?                   wish
    This stays between us.                                         wish
    You can stop asking me about the beans now.                    end: it takes a wish back
    Remind me tomorrow to move the car.                            task: to be done once
    I'll ask about the flat in April. (the persona)                promise
    I've moved the car.                                            done

Each is told by its form, in the languages that have rules: what the persona is to say or to leave out, and
what makes it hold for good. Only the person's own words are read: not what they hand on, nor what is in
quotation marks or code. What only sounds like a wish ("I always loved the sea", "Never say never") is none.
A wish in words that may be somebody else's is doubtful: it counts once the person takes it.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice
from typing import Final, Literal

from rules.extract.brackets import last_quotation_end, quotations_in
from rules.extract.handed_on import OWN, Owner, is_own_heading, owned_parts, owner_at
from rules.extract.languages import TONGUES, UNKNOWN, spoken
from rules.extract.sentences import TextPiece, sentences
from rules.extract.voices import COLONS, QUESTION_MARKS, QUOTED, voiced_lines
from rules.extract.wish_forms.table import CONDITION, compiled
from rules.extract.words import length, terms

Kind = Literal["wish", "end", "task", "promise", "done"]

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
_RANKS = ("end", "wish", "task", "done", "order")
"""Of what a sentence may be in several languages, the first counts. An order holds only in a list of wishes."""
_COMMAS = (",", ";", "，", "、", "；")
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
    r"[,，、] ?(?:ok(?:ay)?|(?:will|would|can) you|please|right|yeah|all ?right|deal|ja|gut|nicht wahr|d'accord"
    r"|hein|vale|sí|eh|ладно|хорошо|да|好吗|好不好|行吗|可以吗|certo|va bene|tá|está bem) ?[?？]$",
    re.IGNORECASE,
)
"""A question after an order."""
_PLAIN = str.maketrans(
    "’後請說講話問別麼時個對給嗎會這裡語寫從開當陪聽應該習慣體讓許準總閉點條種長發簡單繁換",
    "'后请说讲话问别么时个对给吗会这里语写从开当陪听应该习惯体让许准总闭点条种长发简单繁换",
)
"""One apostrophe, and the simpler characters for those of traditional Chinese."""
_SCRIPTS = (
    ("CYRILLIC", (6, 7)),
    ("HIRAGANA", (13,)),
    ("KATAKANA", (13,)),
    ("CJK", (12,)),
    ("ARABIC", (10,)),
    ("DEVANAGARI", (11,)),
)
"""The numbers of the languages of a script; all others are written in Latin letters."""
_LATIN = (0, 1, 2, 3, 4, 5, 8, 9)
_LAST_LATIN = "ɏ"
_TERMS = 400
"""Words of a message by which its language is told."""
_TELLING = 3
"""Fewer everyday words of a language do not tell it."""
_SAMPLE = 60
"""Characters of a sentence by which its script is told."""
_GENERAL = frozenset(
    terms(
        """
        always never please from now on going forward prefer i i'd would really much want you to your me
        my for and or the a an of in with as at by be is are use using include provide give show make do
        don't not any all ever when ask about have more longer anymore could can
        immer nie bitte ab jetzt und der die das toujours jamais siempre nunca sempre mai
        """
    )
)
"""Words that tell nothing of what a wish is about."""
_SAME_SHARE = 0.5
_STEM = 4
"""The characters by which two forms of a word are told to be one."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a sentence asks, promises or ends, word for word."""

    text: str
    kind: Kind
    is_sure: bool = True
    """It is the speaker's own; else it counts once the person takes it."""


def language_of(texts: Iterable[str]) -> int:
    """Return the number of the language of most of the texts, by its place in `TONGUES`."""
    tongue = spoken((term for text in texts for term in terms(text)), TONGUES)
    return 0 if tongue is UNKNOWN else TONGUES.index(tongue)


def find_wishes(text: str) -> tuple[str, ...]:
    """Return the standing wishes in a message of the person's, and what ends one, in order, each once."""
    return tuple(
        stated.text
        for stated in find_stated(text)
        if stated.is_sure and stated.kind in ("wish", "end")
    )


def forget_wishes() -> None:
    """Drop what is remembered of messages."""
    for remembered in (find_stated, find_promises, owned_parts, _latin_languages):
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
            for number in _languages(plain, text):
                if length(sentence) >= _SHORTEST_NOTE and compiled(number, "promise").search(plain):
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
    sentence = text[piece.start : piece.stop].translate(_PLAIN)
    words = length(sentence)
    if not _SHORTEST <= words <= _LONGEST:
        return None
    bare = sentence.lstrip("*_ ")
    if _CODE.search(bare):
        return None
    if "\n" in text and (label := _LABEL.match(bare)):
        bare = bare[label.end() :]
    shift = len(sentence) - len(bare)
    told = [
        found
        for number in _languages(bare, text)
        if (found := _told(number, bare))
        and (
            found[0] in ("wish", "order")
            if owner == "adopted"
            else not _is_quoted(text, piece.start + shift + found[1])
        )
        and (found[0] not in ("task", "done") or words <= _LONGEST_NOTE)
    ]
    kind, at = min(told, key=lambda found: _RANKS.index(found[0]), default=(None, 0))
    return None if kind is None else (kind, at + shift)


def _told(number: int, sentence: str) -> tuple[Kind | Literal["order"], int] | None:
    """Return what a sentence is by the forms of one language, and where they begin."""
    if compiled(number, "idle", leads=True).match(sentence):
        return None
    bare = sentence.rstrip(" \"'”»)*_")
    is_asked = bare.endswith(QUESTION_MARKS) and not _TAG.search(bare)
    is_once = compiled(number, "once").search(sentence) is not None
    told = compiled(number, "told").search(sentence)
    last = told.start() if told else len(sentence)
    if not is_asked and (end := compiled(number, "ended").search(sentence)) and end.start() <= last:
        return "end", end.start()
    for kind, match in _asked_for(number, sentence, is_asked=is_asked, is_once=is_once):
        if match.start("core") <= last:
            return kind, match.start("core")
    if not is_asked and compiled(number, "done").search(sentence):
        return "done", 0
    return None


def _asked_for(
    number: int, sentence: str, *, is_asked: bool, is_once: bool
) -> Iterator[tuple[Kind | Literal["order"], re.Match[str]]]:
    """Yield what a sentence asks for, and where: as a wish, to be done once, or as an order of which nothing says so."""
    if not is_asked and (found := compiled(number, "within").search(sentence)):
        yield "wish", found
    if ask := compiled(number, "ask", leads=True).search(sentence):
        asked = sentence[ask.start() : ask.end() + _REACH]
        is_about_talk = compiled(number, "about").search(sentence, ask.end(), ask.end() + _NEAR)
        if is_once:
            yield "task", ask
        elif is_about_talk and (ask["case"] or _any_of(number, ("holds", "less"), asked)):
            yield "wish", ask
    if not is_asked:
        yield from _ordered(number, sentence, is_once=is_once)


def _ordered(
    number: int, sentence: str, *, is_once: bool
) -> Iterator[tuple[Kind | Literal["order"], re.Match[str]]]:
    """Yield the bans and orders of a sentence."""
    for part in ("ban", "form", "after"):
        found = None if is_once else compiled(number, part, leads=True).search(sentence)
        if found and (part != "after" or found["case"]):
            yield "wish", found
    if order := compiled(number, "order", leads=True).search(sentence):
        asked = sentence[max(0, order.start() - _REACH) : order.end() + _REACH]
        holds = order["case"] or _any_of(number, ("holds",), asked)
        yield "task" if is_once else "wish" if holds else "order", order


def _any_of(number: int, parts: Iterable[str], text: str) -> bool:
    """Return whether one of these slots of a language is filled in a text."""
    return any(compiled(number, part).search(text) for part in parts)


def _languages(sentence: str, message: str) -> tuple[int, ...]:
    """Return the numbers of the languages that a sentence may be in, by its script and its message."""
    letters = [mark for mark in sentence[:_SAMPLE] if mark > _LAST_LATIN and mark.isalpha()]
    if 3 * len(letters) > len(sentence[:_SAMPLE].replace(" ", "")):
        names = {unicodedata.name(mark, "").partition(" ")[0] for mark in letters}
        return next((numbers for script, numbers in _SCRIPTS if script in names), _LATIN)
    return _latin_languages(message)


@lru_cache(_MESSAGES)
def _latin_languages(message: str) -> tuple[int, ...]:
    """Return the numbers of those, written in Latin letters, whose everyday words a message has; all where it has few."""
    heard = dict.fromkeys(_LATIN, 0)
    for term in islice(terms(message), _TERMS):
        for number in _EVERYDAY.get(term, ()):
            heard[number] += 1
    most = max(heard.values())
    return tuple(number for number in _LATIN if most < _TELLING or heard[number] * 2 >= most)


def _everyday() -> dict[str, list[int]]:
    """Return by everyday word the numbers of the languages, written in Latin letters, that have it."""
    numbers: dict[str, list[int]] = {}
    for number in _LATIN:
        tongue = TONGUES[number]
        for word in tongue.common.whole | tongue.me.whole | tongue.you.whole:
            numbers.setdefault(word, []).append(number)
    return numbers


_EVERYDAY: Final = _everyday()


def _is_quoted(text: str, at: int) -> bool:
    """Return whether quotation marks are open at this place of its paragraph, or open there."""
    if last_quotation_end(quotations_in(text), at) > at:
        return True
    begin = max(at - _PARAGRAPH, text.rfind("\n\n", max(0, at - _PARAGRAPH), at) + 1, 0)
    before = QUOTED.sub("", text[begin : at + 1])
    return before.count('"') % 2 == 1 or any(
        before.count(opening) > before.count(closing) for opening, closing in _PAIRED
    )


@lru_cache(_MESSAGES)
def _matter(wish: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of what a wish asks for, and of its case ("when I ask about X")."""
    plain = wish.replace("’", "'")
    condition = CONDITION.search(plain)
    asked, case = (
        (plain[: condition.start()], plain[condition.end() :]) if condition else (plain, "")
    )
    if condition and not asked.strip():
        case, _, asked = case.partition(",")
    return _telling(asked), _telling(case)


def _telling(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if term not in _GENERAL)


def is_same_matter(wish: str, later: str) -> bool:
    """Return whether a later wish is about the same case, or where neither names one, object."""
    (asked, case), (asked_later, case_later) = _matter(wish), _matter(later)
    if case or case_later:
        return bool(case) and case == case_later
    shared = len(asked & asked_later)
    return bool(shared) and shared >= _SAME_SHARE * min(len(asked), len(asked_later))


def ends(text: str, earlier: Sequence[str], *, is_done: bool) -> list[int]:
    """Return the places of the earlier texts that are taken back by this one, or said to be done.

    What takes a wish back ends the newest of those that share most with it, and what asks the same. What
    is done shares two words with it at least, or all that it tells.
    """
    telling = _stems(text)
    shared = [len(telling & _stems(other)) for other in earlier]
    if is_done:
        least = min(2, max(1, len(telling)))
        return [at for at, number in enumerate(shared) if number >= least]
    most = max(shared, default=0)
    if not most:
        return []
    newest = max(at for at, number in enumerate(shared) if number == most)
    return [
        at
        for at, other in enumerate(earlier)
        if at == newest or (shared[at] and is_same_matter(other, earlier[newest]))
    ]


def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words that tell what a text is about."""
    return frozenset(term[:_STEM] for term in _telling(text.replace("’", "'")))
