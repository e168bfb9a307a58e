"""Show the whole conversation, a sheet of some days at a time, with memories next to their words.

It is cut into sheets so that a page never grows too long. A raw message shows who said it, when,
and its words in blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from itertools import groupby, pairwise
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.chats import persona_of
from daemon.archive.messages import OutlinedMessage, read_outline, read_words
from daemon.chat.holding import holding
from daemon.page.app import desk_of, named_chat, render
from daemon.page.message_blocks import MarkedPassage, MessageBlock, cut_blocks
from rules.conversation.memory import Memory, Quote
from rules.conversation.memory_title import subject_of
from rules.errors import NotFound
from rules.typingmind.dates import day_of, in_zone
from rules.typingmind.message import Message

_SHEET_BYTES = 40_000
_LEAST_BYTES = 400
"""What a message takes at least, with its line about who said it."""


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message in blocks; those from `first` to before `stop` are shown."""

    key: str
    is_persona: bool
    date: str
    """When it was said, by the clocks of the archive's zone; empty where that is not known."""
    blocks: tuple[MessageBlock, ...]
    first: int
    stop: int
    quotes: tuple[int, ...] = ()
    """The numbers of its memory's quotes in it, from 1."""
    is_deleted: bool = False
    is_edited: bool = False
    left_out: str = ""
    """Why no memory is made of it; else empty."""
    day: str = ""
    """The day that begins with it on this page, as an ISO date; else empty."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """Messages in a row that are under one memory, or under none."""

    memory: Memory | None
    subject: str
    messages: tuple[SaidMessage, ...]

    @property
    def is_read_whole(self) -> bool:
        """Return whether the model reads it word for word."""
        if self.memory:
            return False
        return any(not (message.left_out or message.is_deleted) for message in self.messages)


def show_message(
    key: str,
    message: Message,
    zone: tzinfo,
    quotes: Sequence[Quote] = (),
    prefix: str = "",
    query: str = "",
) -> SaidMessage:
    """Return a message with those of the quotes marked that are from it, and a query's words.

    It was said by the clocks of `zone`. With a `prefix`, the place of each quote has an id: the
    prefix and the quote's number.
    """
    numbers: list[int] = []
    passages: list[MarkedPassage] = []
    for number, quote in enumerate(quotes, 1):
        if quote.source == key:
            name = f"{prefix}{number}" if prefix else ""
            numbers.append(number)
            passages.append(MarkedPassage(quote.text, name))
    blocks = cut_blocks(message.parts, passages, query)
    return SaidMessage(
        key,
        is_persona=message.speaker == "assistant",
        date=in_zone(message.created_at, zone),
        blocks=blocks,
        first=0,
        stop=len(blocks),
        quotes=tuple(numbers),
    )


def reading_page(request: Request) -> Response:
    """Show a sheet of the conversation; the first one, unless a number or a day is asked for."""
    asked = request.query_params
    query = asked.get("words", "")
    with named_chat(request) as (archive, known):
        rows = read_outline(archive, known.chat_id)
        if not rows:
            raise NotFound("Nothing was ever said in this chat.", "Drop an export of it on Home.")
        days = local_days(rows, archive.zone)
        sheets = cut_sheets(rows, days)
        if asked.get("day"):
            return _to_day(request, asked["day"], days, sheets)
        wanted = asked.get("sheet", "")
        is_number = wanted.isdecimal() and len(wanted) < 9
        number = min(max(1, int(wanted)), len(sheets)) if is_number else 1
        sheet = sheets[number - 1]
        persona = persona_of(archive, known.chat_id)
        passages = _passages(request, archive, known.chat_id, rows, sheet, days)
    return render(
        request,
        "reading.html",
        chat=known,
        persona=persona,
        passages=passages,
        number=number,
        last=len(sheets),
        began=days[sheet.start],
        ended=days[sheet.stop - 1],
        months=group_by_month(days, sheets),
        is_dated=days[0] != date.min,
        first_day=days[0],
        last_day=days[-1],
        messages=len(rows),
        query=query,
        address=f"/chat/{known.chat_id}/read",
    )


def place_page(request: Request) -> Response:
    """Lead to the place of a message in the conversation. Raises NotFound."""
    key = request.path_params["key"]
    with named_chat(request) as (archive, known):
        rows, zone = read_outline(archive, known.chat_id), archive.zone
    keys = [row.key for row in rows]
    if key not in keys:
        raise NotFound("This message is not in the conversation any more.", "Search for it again.")
    sheets = cut_sheets(rows, local_days(rows, zone))
    number = sheet_at(keys.index(key), sheets)
    return _to_sheet(request, number, key, request.query_params.get("words", ""))


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
    return next(number for number, sheet in enumerate(sheets, 1) if at in sheet)


def _passages(
    request: Request,
    archive: Archive,
    chat_id: str,
    rows: Sequence[OutlinedMessage],
    sheet: range,
    days: Sequence[date],
) -> list[ReadPassage]:
    """Return the messages of a sheet, by their memories."""
    held = holding(archive, desk_of(request).config, chat_id)
    query = request.query_params.get("words", "")
    words = read_words(archive, chat_id, [rows[at].key for at in sheet])
    passages = []
    for memory_id, places in groupby(sheet, key=lambda at: _memory_at(rows, at)):
        memory = held.by_id.get(memory_id)
        quotes = memory.edition.quotes if memory else ()
        subject = subject_of(memory) if memory else ""
        shown = []
        for at in places:
            row = rows[at]
            begins_day = days[at] != (date.min if at == sheet.start else days[at - 1])
            said = show_message(row.key, words[row.key], archive.zone, quotes, query=query)
            shown.append(
                replace(
                    said,
                    is_deleted=row.is_deleted,
                    is_edited=row.is_edited,
                    left_out=row.left_out,
                    day=days[at].isoformat() if begins_day else "",
                )
            )
        passages.append(ReadPassage(memory, subject, tuple(shown)))
    return passages


def _memory_at(rows: Sequence[OutlinedMessage], at: int) -> str:
    """Return the memory that a message is shown beside: its own, or that of the one before it.

    The latter is so where no memory is made of it.
    """
    while at and not rows[at].memory and (rows[at].left_out or rows[at].is_deleted):
        at -= 1
    return rows[at].memory


def _to_day(
    request: Request, asked: str, days: Sequence[date], sheets: Sequence[range]
) -> Response:
    """Lead to the first message of a day, or of the next day on which something was said."""
    try:
        day = date.fromisoformat(asked)
    except ValueError:
        day = days[0]
    at = next((at for at, other in enumerate(days) if other >= day), len(days) - 1)
    return _to_sheet(request, sheet_at(at, sheets), f"day-{days[at]}", "")


def _to_sheet(request: Request, number: int, place: str, words: str) -> Response:
    """Lead to a place on a sheet, with the words of a search that are marked there."""
    chat = request.path_params["chat"]
    parameters = {"sheet": str(number)}
    if words:
        parameters["words"] = words
    return RedirectResponse(f"/chat/{chat}/read?{urlencode(parameters)}#{place}", 303)
