"""The titles of memories, written and read: their numbers, their days and their subjects.

A subject is two to four words that tell a passage from those before it. They are chosen from raw
words alone, as the passage has them, and never from what comes later, so that a name is the same
whenever rounds happened. A word is worth more the more messages of the passage hold it, above all
the person's, and the fewer messages before; and so are names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from rules.conversation.answer import in_own_words, is_everyday
from rules.conversation.memory import CHUNK_LEVEL, Memory
from rules.extract.languages import MONTHS
from rules.extract.words import has_digit
from rules.typingmind.dates import parse_date

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TITLE = re.compile(
    r"<context_manager>\n(?:Memory ([1-9]\d{0,5})|Memories ([1-9]\d{0,5}) to ([1-9]\d{0,5}))[,.:]"
)
_SUBJECT = re.compile(
    r"\A((?:<context_manager>\n)?Memory [1-9]\d{0,5}(?:, [^:.\n]*)?)(?:: ([^:.\n]+))\."
)

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


def called(memory: Memory) -> str:
    """Return the name in sentences: `memory 3 (m1f0c...)`, `fold f1 (f03b...)`."""
    kind = "fold" if memory.is_fold else "memory"
    return f"{kind} {short_name(memory)} ({memory.memory_id})"


def short_name(memory: Memory) -> str:
    """Return its name within its chat: `6`, or `f2` for a fold, `ff1` for one of the next level.

    It is never given to another memory of the chat.
    """
    return "f" * (memory.level - CHUNK_LEVEL) + str(memory.number)


def dates(memory: Memory) -> str:
    """Return the days of its first and last message in words; one day if they are the same."""
    first, last = first_day(memory.began_at), first_day(memory.ended_at)
    return first if first == last else f"{first} to {last}"


def first_day(date: str | None) -> str:
    """Return the day of an export's date."""
    return (date or "no date")[:10]


def write_title(
    first: int,
    last: int,
    dates: Iterable[str | None],
    *,
    extracted: bool = False,
    subject: str = "",
) -> str:
    """Return the title of a memory, or of a fold of those from `first` to `last`.

    `dates` are those of its messages. A fold has no subject.
    """
    name = f"Memory {first}" if first == last else f"Memories {first} to {last}"
    title = ", ".join([name, *_days(dates), *(["extracted"] if extracted else [])])
    return f"{title}: {subject}." if subject else f"{title}."


def subject_in(question: str) -> str:
    """Return the subject in a memory's first question; empty where its name has none."""
    titled = _SUBJECT.match(question)
    return titled[2] if titled else ""


def without_subject(title: str) -> str:
    """Return what begins with a memory's title without the subject in it."""
    return _SUBJECT.sub(r"\1.", title, count=1)


def numbers_in(question: str) -> tuple[int, int] | None:
    """Return the first and last number in a memory's first question; None if it has no title, as older ones."""
    titled = _TITLE.match(question)
    if titled is None:
        return None
    first, last = titled[1] or titled[2], titled[1] or titled[3]
    return int(first), int(last)


def counted_on(memories: Sequence[Memory]) -> int:
    """Return how far the numbers in new titles are ahead of the archive's; 0 unless an archive was lost."""
    frozen = [memory for memory in memories if not memory.keys and not memory.is_fold]
    titles = ((memory.number, numbers_in(memory.in_prompts.texts[0])) for memory in frozen)
    return max((titled[1] - number for number, titled in titles if titled), default=0)


def numbers_of(memory: Memory, by_id: Mapping[str, Memory], ahead: int) -> tuple[int, int]:
    """Return the numbers of its first and last memory, as titles count them; `ahead` is `counted_on`."""
    if titled := numbers_in(memory.in_prompts.texts[0]):
        return titled
    if not memory.is_fold:
        return memory.number + ahead, memory.number + ahead
    each = [numbers_of(by_id[name], by_id, ahead) for name in memory.members]
    return each[0][0], each[-1][1]


def _days(dates: Iterable[str | None]) -> list[str]:
    """Return the first and last day in words, each part of a date named once; empty if no day is known."""
    days = sorted(date.date() for text in dates if (date := parse_date(text)))
    if not days:
        return []
    begin, end = days[0], days[-1]
    until = f"{end.day} {_MONTHS[end.month - 1]} {end.year}"
    if begin == end:
        return [until]
    month = (
        f" {_MONTHS[begin.month - 1]}" if (begin.month, begin.year) != (end.month, end.year) else ""
    )
    year = f" {begin.year}" if begin.year != end.year else ""
    return [f"{begin.day}{month}{year} to {until}"]


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
