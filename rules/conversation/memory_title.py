"""Write and read the titles of memories: their numbers, days and subjects."""

import re
from collections.abc import Iterable, Mapping, Sequence

from rules.conversation.memory import Memory, memories_of_chunks, name_in_chat
from rules.typingmind.dates import day_of, parse_date

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
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
"""A memory's title with its days in UTC, which requests are identified by, and with the days that
are shown; both without what follows the days."""


def name_in_sentences(memory: Memory) -> str:
    """Return what sentences call a memory: `memory 3`, `fold f1`."""
    return f"{'fold' if memory.is_fold else 'memory'} {short_name(memory)}"


def short_name(memory: Memory) -> str:
    """Return a memory's name within its chat: `6`, `f2`, `ff1`."""
    return name_in_chat(memory.level, memory.number)


def describe_dates(memory: Memory) -> str:
    """Return the days of a memory's first and last message in words; one if they are the same."""
    first, last = first_day(memory.began_at), first_day(memory.ended_at)
    return first if first == last else f"{first} to {last}"


def first_day(date: str | None) -> str:
    """Return the day of a date, or "no date"."""
    return day_of(date) or "no date"


def write_title(
    first: int,
    last: int,
    dates: Iterable[str | None],
    *,
    extracted: bool = False,
    subject: str = "",
) -> str:
    """Return the title of memory `first`, or of a fold of the memories from `first` to `last`.

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
    """Return both titles of a memory: with its days in UTC, and with the days that are shown.

    `dates` are those of its messages, `days` those that are shown. A memory that is written again
    keeps the days that its title shows: `before` is its first question.
    """
    by_utc = write_title(first, last, dates).removesuffix(".")
    titled = _DAYS.match(before)
    if titled is None:
        return by_utc, write_title(first, last, days).removesuffix(".")
    name = write_title(first, last, ()).removesuffix(".")
    return by_utc, f"{name}, {titled[1]}" if titled[1] else name


def with_shown_title(question: str, title: TitlePair) -> str:
    """Replace the title in UTC, if the question begins with it, by the one with the shown days."""
    by_utc, shown = (f"<context_manager>\n{text}" for text in title)
    return shown + question.removeprefix(by_utc) if question.startswith(by_utc) else question


def subject_of(memory: Memory) -> str:
    """Return the subject in a memory's title; "" where it has none."""
    titled = _SUBJECT.match(memory.in_prompts.texts[0])
    return titled[2] if titled else ""


def without_subject(title: str) -> str:
    """Return a text that begins with a memory's title, without the subject in the title."""
    return _SUBJECT.sub(r"\1.", title, count=1)


def read_numbers(question: str) -> tuple[int, int] | None:
    """Return the first and last number in the title of a first question; None without a title."""
    titled = _TITLE.match(question)
    if titled is None:
        return None
    first, last = titled[1] or titled[2], titled[1] or titled[3]
    return int(first), int(last)


def count_lead(memories: Sequence[Memory]) -> int:
    """Return by how much the numbers in new titles are ahead of the archive's.

    It is 0 unless an archive was lost.
    """
    without_messages = [memory for memory in memories_of_chunks(memories) if not memory.keys]
    ahead = 0
    for memory in without_messages:
        if titled := read_numbers(memory.in_prompts.texts[0]):
            ahead = max(ahead, titled[1] - memory.number)
    return ahead


def numbers_of(memory: Memory, by_id: Mapping[str, Memory], ahead: int) -> tuple[int, int]:
    """Return the numbers of the first and last memory in a memory or fold, as titles count them.

    `ahead` is what `count_lead` returns.
    """
    if titled := read_numbers(memory.in_prompts.texts[0]):
        return titled
    if not memory.is_fold:
        number = memory.number + ahead
        return number, number
    first, _ = numbers_of(by_id[memory.members[0]], by_id, ahead)
    _, last = numbers_of(by_id[memory.members[-1]], by_id, ahead)
    return first, last


def _days(dates: Iterable[str | None]) -> list[str]:
    """Return the first and last day in words, without repeating month or year; none if unknown."""
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
