"""The subject of a memory: two to four words that tell its passage from those before it.

They are chosen from raw words alone, as the passage has them, and never from what comes later, so
that a name is the same whenever rounds happened. A word is worth more the more messages of the
passage hold it, above all the person's, and the fewer messages before; and so are names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from rules.conversation.answer import in_own_words
from rules.conversation.everyday import is_everyday
from rules.extract.languages import MONTHS
from rules.extract.words import has_digit

_WORD = re.compile(
    r"[\u30a1-\u30fa\u30fc]{2,12}"  # katakana
    r"|[\u4e00-\u9fff\u3005]{2,6}"  # a run of Han
    r"|[\uac00-\ud7af]{2,8}"  # Hangul
    r"|(?:(?![_\u0e00-\u10ff\u1780-\u17ff\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
    r"[\w\u0900-\u0dff])++(?!['’]t\b)"  # no part of "didn't"
)
_WORDS = 16_384
"""Words of which it is remembered whether they name something."""
_LEAST_LETTERS = 4
_MOST_LETTERS = 18
_IS_CROWDED = re.compile(r"[\u3005-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_STEM = 5
_LEAST_WORDS, _MOST_WORDS = 2, 4
_ROOM = 26
_ROOM_OF_TWO = 34
"""Letters, as many as let the questions of a memory stay within their 60 tokens."""
_OF_PERSON, _OF_NAME, _OF_SHORT = 2.0, 1.5, 0.7
_LONG = 6
_BEGINS_SENTENCE = re.compile(r"(?:\A|[.!?:*#>\n-])\W*\Z")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a message: as it has it first, and whether that is a name by its capital letter."""

    written: str
    is_name: bool

    @property
    def weight(self) -> float:
        """Return how telling it is by its form: names are, and long words more than short ones."""
        is_short = len(self.written) < _LONG and not _IS_CROWDED.match(self.written)
        return _OF_NAME if self.is_name else _OF_SHORT if is_short else 1.0


_Words = Mapping[str, _Word]
"""The telling words of a message by their stems, in order."""


def subjects(passages: Iterable[Sequence[tuple[bool, str]]]) -> Iterator[str]:
    """Yield the subject of each passage, in order; empty for one that has no words to choose from.

    Of each message it is given whether the person wrote it, and its text.
    """
    before, messages = Counter[str](), 0
    for passage in passages:
        of_messages = [(by_person, _words_of(text)) for by_person, text in passage]
        messages += len(passage)
        yield ", ".join(_chosen(_worths(of_messages, before, messages), of_messages))
        before.update(stem for _, words in of_messages for stem in words)


def _worths(
    of_messages: Sequence[tuple[bool, _Words]], before: Counter[str], messages: int
) -> dict[str, float]:
    """Return the worth of each word, by stem; `messages` are those up to the passage's end."""
    counts: dict[str, float] = {}
    for by_person, words in of_messages:
        for stem, word in words.items():
            weight = (_OF_PERSON if by_person else 1.0) * word.weight
            counts[stem] = counts.get(stem, 0.0) + weight
    return {stem: count * log(messages / (1 + before[stem]) + 1) for stem, count in counts.items()}


def _chosen(worths: Mapping[str, float], of_messages: Sequence[tuple[bool, _Words]]) -> list[str]:
    """Return the words to show, the most telling first, as many as there is room for."""
    shown: list[str] = []
    spent = 0
    for stem in sorted(worths, key=lambda stem: -worths[stem]):  # of equal ones the earliest
        word = _as_written(stem, [words for _, words in of_messages])
        if any(_is_form_of(word, other) for other in shown):
            continue
        spent_then = spent + _weight(word)
        if spent_then <= (_ROOM if len(shown) >= _LEAST_WORDS else _ROOM_OF_TWO):
            shown.append(word)
            spent = spent_then
        elif len(shown) >= _LEAST_WORDS:
            break
        if len(shown) == _MOST_WORDS:
            break
    return shown if len(shown) >= _LEAST_WORDS else []


def _is_form_of(word: str, other: str) -> bool:
    """Return whether one of two words begins with the other, as the forms of a short name do."""
    shorter, longer = sorted((word.casefold(), other.casefold()), key=len)
    return longer.startswith(shorter)


def _as_written(stem: str, of_messages: Sequence[_Words]) -> str:
    """Return the form in which most messages have a word; of equally many, one in small letters."""
    forms = Counter(words[stem].written for words in of_messages if stem in words)
    return max(forms, key=lambda form: (forms[form], form.islower()))


def _words_of(text: str) -> _Words:
    words: dict[str, _Word] = {}
    own = in_own_words(text)
    for match in _WORD.finditer(own):
        written = match.group()
        folded = written.casefold()
        if _is_telling(folded) and folded[:_STEM] not in words:
            begins = _BEGINS_SENTENCE.search(own, max(0, match.start() - 4), match.start())
            words[folded[:_STEM]] = _Word(written, written[0].isupper() and not begins)
    return words


@lru_cache(_WORDS)
def _is_telling(folded: str) -> bool:
    """Return whether a word names something: no number, no short one, none that any talk has."""
    if has_digit(folded) or folded in MONTHS or is_everyday(folded):
        return False
    if _IS_CROWDED.match(folded):
        return True
    return _LEAST_LETTERS <= len(folded) <= _MOST_LETTERS


def _weight(word: str) -> int:
    """Return about how much room a word takes, in Latin letters."""
    return 2 + sum(
        1 if ord(letter) < 0x250 else 2 if ord(letter) < 0x2E80 else 4 for letter in word
    )
