"""What is said about a subject, as values that every face renders.

Each subject has one module in `daemon/reports/`. It reads what it needs, and returns a Report:

    rows      frozen dataclasses made for the reader: a row has all that any face shows of it
    columns   what a person is shown of a row, cell by cell, each with its kind
    card      what a person is shown of a row that is a text, which has no cells
    none      the sentence shown where there are no rows
    press     what can be done with a row: buttons of the page
    notes     clauses on the whole; a face makes each a sentence
    next      what can be done next: words, and the command to type or the button to press

A command is then `settings.show(report)`; a view of the page passes the report to its template,
which has `shown(report, form_token)` of `report.html`, and `cards(table, form_token)` for a list of
cards with their buttons; `--json` has the rows as they are
(`daemon/faces/as_json.py`). So a row's fields are its keys in JSON, and nothing else names them. A
command that changes something shows what it did in the same way: `settings.done("...", ...)`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Literal, TypeVar

from daemon.archive.chats import KnownChat
from daemon.archive.search_words import Stretch
from daemon.files.clock import in_full

Row = TypeVar("Row")
Kind = Literal["name", "number", "prose", "line"]
"""How a cell is laid out. `name`: whole, flush left. `number`: whole, flush right. `prose`: folded
to the width that is left. `line`: cut to it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A cell that links to an address of the page; elsewhere only its words are shown."""

    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A cell with a time of the archive, which is shown in the reader's time zone."""

    at: str


Cell = str | int | Link | Moment


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """What a person is shown of each row under a heading.

    Where a terminal is too narrow, the column with the smallest `drop` is dropped first; 0 stays.
    """

    heading: str
    cell: Callable[[Row], Cell]
    kind: Kind = "name"
    drop: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """A row that is a text, with who said it and notes on it.

    `command` and `address` open it at a terminal and on the page; empty where nothing does.
    """

    who: str
    text: tuple[Stretch, ...]
    said_at: str = ""
    """When the text was said, as a time or an ISO date."""
    at: str = ""
    """When the archive stored it; shown in place of `said_at` where both are set."""
    place: str = ""
    """The chat that it is in, where there are rows of several."""
    marks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    address: str = ""
    sources: tuple[Link, ...] = ()
    """Links to where it was said, on the page."""
    name: str = ""
    """Its anchor on the page."""

    @property
    def head(self) -> str:
        """Return the line above the text."""
        when = in_full(self.at) if self.at else self.said_at[:10]
        return ", ".join(filter(None, (self.place, when, self.who, *self.marks)))


def unmarked(text: str) -> tuple[Stretch, ...]:
    """Return the text of a card in which nothing is marked."""
    return (Stretch(text, is_marked=False),)


def where_said(chat: KnownChat, key: str) -> Link:
    """Return the link to a message of a chat."""
    return Link("where it was said", f"/chat/{chat.chat_id}/messages/{key}")


@dataclass(frozen=True, slots=True)
class Step:
    """What can be done next: `memproc COMMAND`, or a button on the page.

    `address` is where the button posts to; empty where there is none.
    """

    words: str
    command: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class ReportTable(Generic[Row]):
    """Rows of one kind, under their name in JSON, shown in columns or as cards.

    Without columns and cards they are in JSON alone; without a name they are not in JSON. `data`
    makes a row's object in JSON, by default from its fields.
    """

    name: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]] = ()
    none: str = ""
    card: Callable[[Row], Card] | None = None
    press: Callable[[Row], Sequence[Step]] | None = None
    """Returns what can be done with a row: buttons at its end on the page."""
    data: Callable[[Row], Mapping[str, object]] = field(default=lambda row: asdict(row))
    is_compared: bool = False
    """Whether a wide terminal shows its cards side by side."""
    title: str = ""
    """The line above rows of columns without headings; on a terminal they are indented below it."""
    rest: str = ""
    """The line after the rows, about those that are left out."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that is said about a subject: its tables, notes, and what can be done next.

    `heading` comes first on a terminal. `values` are further keys in JSON.
    """

    tables: tuple[ReportTable[Any], ...] = ()
    heading: str = ""
    notes: tuple[str, ...] = ()
    pressed: tuple[str, ...] = ()
    """Sentences on changes that wait for the end of a run, or on their results."""
    next: tuple[Step, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)


TO_SEE_IT = Step(
    "To put it into the updated export, with the chat's newest export in the inbox", "run"
)
"""The next step at a terminal after a change; the page has a button for it."""
