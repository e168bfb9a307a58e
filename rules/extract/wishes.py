"""Find standing wishes: sentences of the person's that hold beyond the moment.

    Always format dates as 5 March when I ask about meetings.      Never call me sir.
    From now on, answer in German.                                 I prefer short answers.

A wish is told by its form alone, in the languages that the engine knows: an order with "always" or
"never", a beginning with "from now on", a preference in the first person, a name to be called by.
What only sounds like one ("I always loved the sea", "Never mind") is none, nor is what is in
quotation marks, code, a quoted block or a draft, nor a question, unless it states a preference.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from rules.extract.languages import TONGUES, UNKNOWN, spoken
from rules.extract.sentences import MARK, TextPiece, sentences
from rules.extract.voices import COLONS, QUESTION_MARKS
from rules.extract.wish_forms import ANNOUNCED, CONDITION, DRAFT, FORMS, PREFERENCES, STARTS, WITHIN
from rules.extract.words import length, listed_words, terms

_LONGEST = 1_500.0
"""A sentence of more words is a pasted text."""
_LONG = 100.0
"""Of a sentence of more words, the wish is the clause between two commas."""
_SHORTEST = 2.0
_MOST_ITEMS = 12
"""The most items of a list that belong to the wish that announces them."""
_COMMAS = (",", ";", "，", "、", "；")
_PAIRED = (("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"))
_MESSAGES = 16_384
"""Messages whose wishes are remembered: a fold looks for them again, long after its memories did."""
_PARAGRAPH = 4_000
"""Characters after which an open quotation mark is taken to be closed."""
_GENERAL = listed_words(
    """
    always never please from now on going forward prefer i i'd would really much want you to your me
    my for and or the a an of in with as at by be is are use using include provide give show make do
    don't not any all ever when ask about
    immer nie bitte ab jetzt und der die das toujours jamais siempre nunca sempre mai
    """
)
"""Words that tell nothing of what a wish is about."""
_SAME_SHARE = 0.5

ASKED: Final = tuple(forms.asked for forms in FORMS)
"""The engine's words before wishes, in every language."""


def asked_frame(texts: Iterable[str]) -> str:
    """Return the engine's words before wishes, in the language of most of the texts."""
    tongue = spoken((term for text in texts for term in terms(text)), TONGUES)
    return FORMS[0 if tongue is UNKNOWN else TONGUES.index(tongue)].asked


@lru_cache(_MESSAGES)
def find_wishes(text: str) -> tuple[str, ...]:
    """Return the standing wishes in a message of the person's, word for word, in order, each once."""
    pieces = [piece for piece in sentences(text) if piece.prose]
    drafted = _draft_start(text)
    wishes: list[str] = []
    items = 0
    for piece in pieces:
        if piece.start >= drafted:
            break
        sentence = text[piece.start : piece.stop]
        if items and _is_item(text, piece):
            items -= 1
        elif (at := _wish_at(text, piece)) is not None:
            items = _MOST_ITEMS if sentence.endswith(COLONS) else 0
            if length(sentence) > _LONG:
                sentence = _clause(sentence, at - piece.start)
        else:
            items = 0
            continue
        wishes.append(sentence)
    return tuple(dict.fromkeys(wishes))


def _draft_start(text: str) -> int:
    """Return where a letter, a sample or an announced text begins; the end where there is none."""
    at, is_announced = 0, False
    for line in text.splitlines(keepends=True):
        words = line.strip()
        if (at and DRAFT.match(words)) or (is_announced and words):
            return at
        is_announced = bool(ANNOUNCED.search(words)) or (is_announced and not words)
        at += len(line)
    return len(text)


def _is_item(text: str, piece: TextPiece) -> bool:
    """Return whether the sentence begins an item of a list."""
    line = text.rfind("\n", 0, piece.start) + 1
    return bool(text[line : piece.start].strip())


def _clause(sentence: str, at: int) -> str:
    """Return the part between two commas in which a wish begins `at`."""
    start = max(sentence.rfind(mark, 0, at + 1) for mark in _COMMAS) + 1
    ends = (sentence.find(mark, at + 1) for mark in _COMMAS)
    return sentence[start : min((end for end in ends if end >= 0), default=None)].strip()


def _wish_at(text: str, piece: TextPiece) -> int | None:
    """Return where in the text the form of a wish begins; None where the sentence is none."""
    sentence = text[piece.start : piece.stop].replace("’", "'")
    if not _SHORTEST <= length(sentence) <= _LONGEST or _is_quoted_block(text, piece):
        return None
    forms = [PREFERENCES]
    if not sentence.rstrip(" \"'”»)*_").endswith(QUESTION_MARKS):
        forms += [STARTS, WITHIN]
    bare = sentence.lstrip("*_ ")
    places = (
        piece.start + found.start()
        for patterns in forms
        for found in _searched(patterns, bare)
        if found is not None
    )
    return next((at for at in places if not _is_quoted(text, at)), None)


def _searched(patterns: Sequence[re.Pattern[str]], sentence: str) -> Iterator[re.Match[str] | None]:
    return (pattern.search(sentence) for pattern in patterns)


def _is_quoted_block(text: str, piece: TextPiece) -> bool:
    line = text.rfind("\n", 0, piece.start) + 1
    mark = MARK.match(text, line, piece.stop)
    return mark is not None and ">" in mark.group()


def _is_quoted(text: str, at: int) -> bool:
    """Return whether quotation marks are open at this place of its paragraph, or open there."""
    begin = max(at - _PARAGRAPH, text.rfind("\n\n", max(0, at - _PARAGRAPH), at) + 1, 0)
    before = text[begin : at + 1]
    if before.count('"') % 2:
        return True
    return any(
        before.count(opening) > before.count(closing) for opening, closing in _PAIRED
    ) and not before.endswith("”")


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
