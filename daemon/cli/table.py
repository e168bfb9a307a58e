"""What commands print: a plain table with numbers to the right, nothing cut off in a pipe; and moments."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from daemon.status.sentences import in_one_line

if TYPE_CHECKING:
    from rich.text import Text

_ENDLESS = 1000
_FEW_COLUMNS = 5  # and prose in them: such a table is folded, however narrow the terminal is


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table; `right` are the columns whose entries end at the same place.

    On a terminal that is too narrow for its ids and numbers, each row becomes a few lines with the headings in them.
    """
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    on_a_terminal = Console().is_terminal
    console = Console(highlight=False, width=None if on_a_terminal else _ENDLESS)
    table = Table(box=None, pad_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(in_one_line(cell)) for cell in row))
    least = Measurement.get(console, console.options.update(max_width=_ENDLESS), table).minimum
    if len(headings) <= _FEW_COLUMNS or least <= console.width:
        console.print(table)
        return
    for row in rows:
        for line in _lines(headings, row, console.width):
            console.print(line, soft_wrap=True)


def moment(written: str) -> str:
    """A time of the archive (UTC) as people read it, to the second."""
    return written[:19].replace("T", " ")


def _lines(headings: Sequence[str], row: Sequence[str], width: int) -> "Iterator[Text]":
    """A row as lines of "heading value", as many of them in a line as fit."""
    from rich.text import Text

    line = Text()
    for heading, cell in zip(headings, row, strict=True):
        part = Text.assemble((f"{heading} ", "bold"), in_one_line(cell))
        if line and line.cell_len + 2 + part.cell_len > width:
            yield line
            line = Text("    ")
        elif line:
            line += Text("  ")
        line += part
    yield line
