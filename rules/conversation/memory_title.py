"""The titles of memories, written and read: their numbers, their days and their subjects."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rules.conversation.memory import Memory, memories_of_chunks, name_in_chat
from rules.typingmind.dates import day_of, parse_date

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TITLE = re.compile(
    r"<context_manager>\n(?:Memory ([1-9]\d{0,5})|Memories ([1-9]\d{0,5}) to ([1-9]\d{0,5}))[,.:]"
)
_SUBJECT = re.compile(
    r"\A((?:<context_manager>\n)?Memor(?:y [1-9]\d{0,5}|ies [1-9]\d{0,5} to [1-9]\d{0,5})"
    r"(?:, [^:.\n]*)?)(?:: ([^:.\n]+))\."
)

_DAYS = re.compile(r"\A<context_manager>\nMemory [1-9]\d{0,5}(?:, (\d[^:.,\n]*))?[,.:]")
TitlePair = tuple[str, str]
"""A memory's title with its days in UTC, which requests are known by, and with the days that are
shown; both without what follows the days."""


def called(memory: Memory) -> str:
    """Return the name in sentences: `memory 3`, `fold f1`."""
    return f"{'fold' if memory.is_fold else 'memory'} {short_name(memory)}"


def short_name(memory: Memory) -> str:
    """Return its name within its chat: `6`, `f2`, `ff1`."""
    return name_in_chat(memory.level, memory.number)


def dates(memory: Memory) -> str:
    """Return the days of its first and last message in words; one day if they are the same."""
    first, last = first_day(memory.began_at), first_day(memory.ended_at)
    return first if first == last else f"{first} to {last}"


def first_day(date: str | None) -> str:
    """Return the day of a date, or words for none."""
    return day_of(date) or "no date"


def write_title(
    first: int,
    last: int,
    dates: Iterable[str | None],
    *,
    extracted: bool = False,
    subject: str = "",
) -> str:
    """Return the title of a memory, or of a fold of those from `first` to `last`.

    `dates` are those of its messages.
    """
    name = f"Memory {first}" if first == last else f"Memories {first} to {last}"
    words = [name, *_days(dates)]
    if extracted:
        words.append("extracted")
    title = ", ".join(words)
    return f"{title}: {subject}." if subject else f"{title}."


def title_pair(
    first: int, last: int, dates: Sequence[str | None], days: Iterable[str], before: str = ""
) -> TitlePair:
    """Return both titles: by the dates of its messages, and by the days on which they were said.

    A memory that is written again keeps the days of its title: `before` is its first question.
    """
    by_utc = write_title(first, last, dates).removesuffix(".")
    stands = _DAYS.match(before)
    if stands is None:
        return by_utc, write_title(first, last, days).removesuffix(".")
    name = write_title(first, last, ()).removesuffix(".")
    return by_utc, f"{name}, {stands[1]}" if stands[1] else name


def with_shown_title(question: str, title: TitlePair) -> str:
    """Return a question that begins with a memory's title with the one that shows its days."""
    by_utc, shown = (f"<context_manager>\n{text}" for text in title)
    return shown + question.removeprefix(by_utc) if question.startswith(by_utc) else question


def subject_of(memory: Memory) -> str:
    """Return the subject in a memory's name; empty where it has none."""
    titled = _SUBJECT.match(memory.in_prompts.texts[0])
    return titled[2] if titled else ""


def without_subject(title: str) -> str:
    """Return what begins with a memory's title without the subject in it."""
    return _SUBJECT.sub(r"\1.", title, count=1)


def numbers_in(question: str) -> tuple[int, int] | None:
    """Return the first and last number in a memory's first question.

    None if it has no title, as older ones.
    """
    titled = _TITLE.match(question)
    if titled is None:
        return None
    first, last = titled[1] or titled[2], titled[1] or titled[3]
    return int(first), int(last)


def counted_on(memories: Sequence[Memory]) -> int:
    """Return how far the numbers in new titles are ahead of the archive's.

    0 unless an archive was lost.
    """
    frozen = [memory for memory in memories_of_chunks(memories) if not memory.keys]
    ahead = 0
    for memory in frozen:
        if titled := numbers_in(memory.in_prompts.texts[0]):
            ahead = max(ahead, titled[1] - memory.number)
    return ahead


def numbers_of(memory: Memory, by_id: Mapping[str, Memory], ahead: int) -> tuple[int, int]:
    """Return the numbers of its first and last memory, as titles count them.

    `ahead` is `counted_on`.
    """
    if titled := numbers_in(memory.in_prompts.texts[0]):
        return titled
    if not memory.is_fold:
        number = memory.number + ahead
        return number, number
    first, _ = numbers_of(by_id[memory.members[0]], by_id, ahead)
    _, last = numbers_of(by_id[memory.members[-1]], by_id, ahead)
    return first, last


def _days(dates: Iterable[str | None]) -> list[str]:
    """Return the first and last day in words, each part of a date named once.

    Empty if no day is known.
    """
    days = sorted(date.date() for text in dates if (date := parse_date(text)))
    if not days:
        return []
    begin, end = days[0], days[-1]
    until = f"{end.day} {_MONTHS[end.month - 1]} {end.year}"
    if begin == end:
        return [until]
    since = str(begin.day)
    if (begin.month, begin.year) != (end.month, end.year):
        since += f" {_MONTHS[begin.month - 1]}"
    if begin.year != end.year:
        since += f" {begin.year}"
    return [f"{since} to {until}"]
