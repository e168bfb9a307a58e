"""Show the whole conversation, a sheet of some days at a time, with memories beside their messages.

It is cut into sheets so that no page grows too long. Of each message it shows who said it, when,
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
"""The size that a message counts at least, because of its line about who said it."""


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message in blocks; those from `first` up to, but not including, `stop` are shown."""

    key: str
    is_persona: bool
    date: str
    """When it was said, in the archive's time zone; empty where that is unknown."""
    blocks: tuple[MessageBlock, ...]
    first: int
    stop: int
    quotes: tuple[int, ...] = ()
    """The numbers, from 1, of its memory's quotes that are from this message."""
    is_deleted: bool = False
    is_edited: bool = False
    left_out: str = ""
    """Why no memory is made of it; otherwise empty."""
    day: str = ""
    """The day, as an ISO date, if this message is its first on the page; otherwise empty."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """Consecutive messages under the same memory, or under none."""

    memory: Memory | None
    subject: str
    messages: tuple[SaidMessage, ...]

    @property
    def is_read_whole(self) -> bool:
        """Return whether the model reads these messages word for word."""
        if self.memory:
            return False
        return any(not (message.left_out or message.is_deleted) for message in self.messages)


def show_message(
    key: str,
    message: Message,
    zone: tzinfo,
    quotes: Sequence[Quote],
    prefix: str = "",
    query: str = "",
) -> SaidMessage:
    """Return a message with its quotes and the words of a query marked.

    Its date is given in `zone`. With a `prefix`, the place of each quote gets an id: the prefix and
    the quote's number.
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
    """Show a sheet of the conversation: the one asked for by number or day, otherwise the first."""
    parameters = request.query_params
    query = parameters.get("words", "")
    with named_chat(request) as (archive, known):
        rows = read_outline(archive, known.chat_id)
        if not rows:
            raise NotFound("Nothing was ever said in this chat.", "Drop an export of it on Home.")
        days = find_local_days(rows, archive.zone)
        sheets = cut_sheets(rows, days)
        if parameters.get("day"):
            return _to_day(request, parameters["day"], days, sheets)
        wanted = parameters.get("sheet", "")
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
    """Redirect to the place of a message in the conversation. Raises NotFound."""
    key = request.path_params["key"]
    with named_chat(request) as (archive, known):
        rows, zone = read_outline(archive, known.chat_id), archive.zone
    keys = [row.key for row in rows]
    if key not in keys:
        raise NotFound("This message is not in the conversation any more.", "Search for it again.")
    sheets = cut_sheets(rows, find_local_days(rows, zone))
    number = sheet_at(keys.index(key), sheets)
    return _to_sheet(request, number, key, request.query_params.get("words", ""))


def find_local_days(rows: Sequence[OutlinedMessage], zone: tzinfo) -> list[date]:
    """Return each message's day in the zone; one without a date gets that of the one before it."""
    known = [day_of(in_zone(row.said_at, zone)) for row in rows]
    last = next(filter(None, known), "")
    days = []
    for day in known:
        last = day or last
        days.append(date.fromisoformat(last) if last else date.min)
    return days


def cut_sheets(rows: Sequence[OutlinedMessage], days: Sequence[date]) -> list[range]:
    """Return the sheets of the conversation, each as the positions of its messages.

    It is cut between days; a day longer than a sheet is cut between messages, too.
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
    """Return the days by month, in order, each with the number of its first sheet."""
    first: dict[date, int] = {}
    for number, sheet in enumerate(sheets, 1):
        for day in days[sheet.start : sheet.stop]:
            first.setdefault(day, number)
    months: dict[str, list[tuple[date, int]]] = {}
    for day, number in sorted(first.items()):
        months.setdefault(f"{day:%B %Y}", []).append((day, number))
    return months


def _filled(sizes: Sequence[int], begin: int = 0) -> Iterator[range]:
    """Yield ranges of neighbours that together fit on a sheet; a range has at least one of them.

    `sizes` are in bytes; the first is that of position `begin`.
    """
    start, total = begin, 0
    for at, size in enumerate(sizes, begin):
        if at > start and total + size > _SHEET_BYTES:
            yield range(start, at)
            start, total = at, 0
        total += size
    yield range(start, begin + len(sizes))


def sheet_at(at: int, sheets: Sequence[range]) -> int:
    """Return the number, from 1, of the sheet with the message at this position."""
    return next(number for number, sheet in enumerate(sheets, 1) if at in sheet)


def _passages(
    request: Request,
    archive: Archive,
    chat_id: str,
    rows: Sequence[OutlinedMessage],
    sheet: range,
    days: Sequence[date],
) -> list[ReadPassage]:
    """Return the messages of a sheet, grouped by their memories."""
    memories_held = holding(archive, desk_of(request).config, chat_id)
    query = request.query_params.get("words", "")
    words = read_words(archive, chat_id, [rows[at].key for at in sheet])
    passages = []
    for memory_id, places in groupby(sheet, key=lambda at: _memory_at(rows, at)):
        memory = memories_held.by_id.get(memory_id)
        quotes = memory.edition.quotes if memory else ()
        subject = subject_of(memory) if memory else ""
        shown = []
        for at in places:
            row = rows[at]
            begins_day = days[at] != (date.min if at == sheet.start else days[at - 1])
            message = show_message(row.key, words[row.key], archive.zone, quotes, query=query)
            shown.append(
                replace(
                    message,
                    is_deleted=row.is_deleted,
                    is_edited=row.is_edited,
                    left_out=row.left_out,
                    day=days[at].isoformat() if begins_day else "",
                )
            )
        passages.append(ReadPassage(memory, subject, tuple(shown)))
    return passages


def _memory_at(rows: Sequence[OutlinedMessage], at: int) -> str:
    """Return the id of the memory that a message is shown beside.

    It is the message's own; for a message of which no memory is made, that of the one before it.
    """
    while at and not rows[at].memory and (rows[at].left_out or rows[at].is_deleted):
        at -= 1
    return rows[at].memory


def _to_day(
    request: Request, asked: str, days: Sequence[date], sheets: Sequence[range]
) -> Response:
    """Redirect to the first message of a day, or of the next day on which something was said."""
    try:
        day = date.fromisoformat(asked)
    except ValueError:
        day = days[0]
    at = next((at for at, other in enumerate(days) if other >= day), len(days) - 1)
    return _to_sheet(request, sheet_at(at, sheets), f"day-{days[at]}", "")


def _to_sheet(request: Request, number: int, place: str, words: str) -> Response:
    """Redirect to a place on a sheet; the words of a search go along, to be marked there."""
    chat = request.path_params["chat"]
    parameters = {"sheet": str(number)}
    if words:
        parameters["words"] = words
    return RedirectResponse(f"/chat/{chat}/read?{urlencode(parameters)}#{place}", 303)
