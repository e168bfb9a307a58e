"""The title that a memory's first question bears, so that the persona and the person can find it: number and days.

    Memory 7, 15 March to 5 April 2024.
    Memory 8, 6 April 2024, extracted.           no model wrote it
    Memories 1 to 6, 28 December 2023 to 14 March 2024.

Numbers are those of the chunks, and a fold bears those of all that it stands for. Where the archive was lost, memories
are counted anew from the export, in which a fold is one of them: those to come are then counted on from the titles.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from rules.conversation.memory import Memory
from rules.typingmind.message import parse_date

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TITLE = re.compile(r"<context_manager>\n(?:Memory ([1-9]\d{0,5})|Memories ([1-9]\d{0,5}) to ([1-9]\d{0,5}))[,.]")


def write_title(first: int, last: int, dates: Iterable[str | None], *, extracted: bool = False) -> str:
    """The title of a memory, or of a fold of those from `first` to `last`; `dates` are those of its messages."""
    name = f"Memory {first}" if first == last else f"Memories {first} to {last}"
    return ", ".join([name, *_days(dates), *(["extracted"] if extracted else [])]) + "."


def numbers_in(question: str) -> tuple[int, int] | None:
    """The first and the last number in a memory's first question; None where it bears no title, as older ones."""
    titled = _TITLE.match(question)
    if titled is None:
        return None
    first, last = titled[1] or titled[2], titled[1] or titled[3]
    return int(first), int(last)


def counted_on(memories: Sequence[Memory]) -> int:
    """By how much the titles of memories to come run ahead of the archive's numbers; 0 unless an archive was lost."""
    frozen = [memory for memory in memories if not memory.keys and not memory.is_fold]
    titles = ((memory.number, numbers_in(memory.told.texts[0])) for memory in frozen)
    return max((titled[1] - number for number, titled in titles if titled), default=0)


def numbers_of(memory: Memory, by_id: Mapping[str, Memory], ahead: int) -> tuple[int, int]:
    """The first and the last of the memories that it stands for, as titles count them; `ahead` is `counted_on`."""
    if titled := numbers_in(memory.told.texts[0]):
        return titled
    if not memory.is_fold:
        return memory.number + ahead, memory.number + ahead
    each = [numbers_of(by_id[name], by_id, ahead) for name in memory.members]
    return each[0][0], each[-1][1]


def _days(dates: Iterable[str | None]) -> list[str]:
    """From the first day to the last, each part of a date named once; none where nobody knows."""
    days = sorted(date.date() for text in dates if (date := parse_date(text)))
    if not days:
        return []
    begin, end = days[0], days[-1]
    until = f"{end.day} {_MONTHS[end.month - 1]} {end.year}"
    if begin == end:
        return [until]
    month = f" {_MONTHS[begin.month - 1]}" if (begin.month, begin.year) != (end.month, end.year) else ""
    year = f" {begin.year}" if begin.year != end.year else ""
    return [f"{begin.day}{month}{year} to {until}"]
