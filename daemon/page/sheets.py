"""Cut a conversation into sheets of some days each, so that a page never grows too long."""

from collections.abc import Iterator, Sequence
from datetime import date, tzinfo
from itertools import pairwise

from daemon.archive.messages import OutlinedMessage
from rules.typingmind.dates import day_of, in_zone

_SHEET_BYTES = 40_000
_LEAST_BYTES = 400
"""What a message takes at least, with its line about who said it."""


def local_days(rows: Sequence[OutlinedMessage], zone: tzinfo) -> list[date]:
    """Return the day of each message in the zone; one without a date has that of the one before it."""
    known = [day_of(in_zone(row.said_at, zone)) for row in rows]
    last = next(filter(None, known), "")
    days = []
    for day in known:
        last = day or last
        days.append(date.fromisoformat(last) if last else date.min)
    return days


def cut_sheets(rows: Sequence[OutlinedMessage], days: Sequence[date]) -> list[range]:
    """Cut the conversation into sheets between days; a very long day between messages, too.

    Return the places of each sheet's messages.
    """
    sizes = [max(row.size, _LEAST_BYTES) for row in rows]
    begins = [at for at, day in enumerate(days) if at == 0 or day != days[at - 1]]
    pieces: list[range] = []
    for begin, end in pairwise([*begins, len(days)]):
        pieces += _filled(sizes[begin:end], begin)
    weights = [sum(sizes[piece.start : piece.stop]) for piece in pieces]
    sheets = []
    for sheet in _filled(weights):
        first, last = pieces[sheet.start], pieces[sheet.stop - 1]
        sheets.append(range(first.start, last.stop))
    return sheets


def group_by_month(
    days: Sequence[date], sheets: Sequence[range]
) -> dict[str, list[tuple[date, int]]]:
    """Return all days of the conversation by the names of their months, in order, each with its first sheet."""
    first: dict[date, int] = {}
    for number, sheet in enumerate(sheets, 1):
        for day in days[sheet.start : sheet.stop]:
            first.setdefault(day, number)
    months: dict[str, list[tuple[date, int]]] = {}
    for day, number in sorted(first.items()):
        months.setdefault(f"{day:%B %Y}", []).append((day, number))
    return months


def _filled(sizes: Sequence[int], begin: int = 0) -> Iterator[range]:
    """Yield ranges of neighbours that together are no larger than a sheet; each has one at least.

    The first of the sizes, in bytes, is of the one at `begin`.
    """
    start, total = begin, 0
    for at, size in enumerate(sizes, begin):
        if at > start and total + size > _SHEET_BYTES:
            yield range(start, at)
            start, total = at, 0
        total += size
    yield range(start, begin + len(sizes))


def sheet_at(at: int, sheets: Sequence[range]) -> int:
    """Return the number of the sheet, from 1 on, with the message at this place."""
    for number, sheet in enumerate(sheets, 1):
        if at in sheet:
            return number
    raise IndexError(at)
