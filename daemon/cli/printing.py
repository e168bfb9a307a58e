"""Print tables and text as wide as the terminal."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from daemon.files.clock import in_full
from daemon.status.printable import columns_of, folded, in_one_line, padded, printable_json, visible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text


_ENDLESS = 1000
_MANY = 1_000
"""Rows of a table that Rich would take too long for: it measures and folds every cell."""
_LEAST_PROSE = 20
_FEW_COLUMNS = 5  # and prose in them: such a table is folded, however narrow the terminal is


def print_table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int] = (),
    *,
    prose: Sequence[int] | None = None,
    drop: Sequence[int] = (),
    pages: bool = False,
) -> None:
    """Print a table; entries of the `right` columns end at the same place.

    Only the `prose` columns are folded; None means all. On a terminal that is too narrow, the
    `drop` columns go in that order until the others fit; if they never do, each row becomes a few
    lines with headings in them. With `pages`, a table longer than the terminal goes to the pager.
    In a table of very many rows, prose is cut instead of folded.
    """
    from rich.console import Console

    on_a_terminal = Console().is_terminal
    console = Console(highlight=False, width=None if on_a_terminal else _ENDLESS)
    if len(rows) > _MANY:
        cut = range(len(headings)) if prose is None else prose
        lines = _in_one_line_each(headings, rows, right, cut, drop, console.width)
        (paged if pages else click.echo)("\n".join(lines))
        return
    columns = list(range(len(headings)))
    table = _table(headings, rows, right, prose, columns)
    for column in drop:
        if _fits(console, table):
            break
        columns.remove(column)
        table = _table(headings, rows, right, prose, columns)
    with console.capture() as printed:
        if _fits(console, table) or len(headings) <= _FEW_COLUMNS:
            console.print(table)
        else:
            for line in _as_lines(headings, rows, console.width):
                console.print(line, soft_wrap=True)
    (paged if pages else click.echo)(printed.get().removesuffix("\n"))


def _fits(console: "Console", table: "Table") -> bool:
    from rich.measure import Measurement

    endless = console.options.update(max_width=_ENDLESS)
    return Measurement.get(console, endless, table).minimum <= console.width


def _in_one_line_each(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int],
    prose: Sequence[int],
    drop: Sequence[int],
    width: int,
) -> Iterator[str]:
    """Yield the lines of a table in which what is too wide for a `prose` column is cut."""
    cells = [[in_one_line(cell) for cell in row] for row in (headings, *rows)]
    widths = _widths(cells, prose, drop, width)
    for row in cells:
        line = (_in_column(row[at], widths[at], is_right=at in right) for at in widths)
        yield "  ".join(line).rstrip()


def _widths(
    cells: Sequence[Sequence[str]], prose: Sequence[int], drop: Sequence[int], width: int
) -> dict[int, int]:
    """Return the columns of the terminal for each column of a table that is not dropped."""
    wanted = {
        at: max(map(columns_of, column)) for at, column in enumerate(zip(*cells, strict=True))
    }
    widths = {at: min(w, _LEAST_PROSE) if at in prose else w for at, w in wanted.items()}
    for column in drop:
        if sum(widths.values()) + 2 * len(widths) > width:
            del widths[column]
    for at in widths.keys() & set(prose):
        spare = width - sum(widths.values()) - 2 * len(widths)
        widths[at] += max(0, min(spare, wanted[at] - widths[at]))
    return widths


def _in_column(cell: str, width: int, *, is_right: bool) -> str:
    """Return a cell in just this width: cut, or with blanks at one side."""
    if columns_of(cell) > width:
        from rich.cells import set_cell_size

        return set_cell_size(cell, width - 1) + "…"
    return " " * (width - columns_of(cell)) + cell if is_right else padded(cell, width)


def _table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int],
    prose: Sequence[int] | None,
    columns: Sequence[int],
) -> "Table":
    """Make the table with these columns alone."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for index in columns:
        justify: JustifyMethod = "right" if index in right else "left"
        width = None
        if prose is not None and index not in prose:
            width = max(cell_len(in_one_line(row[index])) for row in (headings, *rows))
        table.add_column(headings[index], justify=justify, overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*(Text(in_one_line(row[index])) for index in columns))
    return table


def _as_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> "Iterator[Text]":
    """Yield each row as a few lines, in which each entry follows its heading."""
    from rich.text import Text

    for row in rows:
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


def print_json(report: object) -> None:
    """Print a value as JSON, for programs."""
    click.echo(printable_json(report))


def print_text(text: str) -> None:
    """Print text in the width of the terminal, though `--quiet` was given."""
    click.echo(in_width(visible(text)))


def print_error(text: str) -> None:
    """Print text to the error output, in the width of the terminal."""
    click.echo(in_width(visible(text)), err=True)


def paged(text: str) -> None:
    """Print text, with a pager where it is longer than the terminal."""
    if sys.stdout.isatty() and text.count("\n") + 1 >= get_terminal_size().lines:
        click.echo_via_pager(f"{text}\n")
    else:
        click.echo(text)


def in_colour(text: str, colour: str) -> str:
    """Colour text, unless the terminal or the person wants none (https://no-color.org)."""
    is_unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if is_unwanted or not sys.stdout.isatty() else click.style(text, fg=colour)


def in_width(text: str, indent: str = "") -> str:
    """Fold text at blanks for a terminal, but never within a command or a path.

    Elsewhere than on a terminal it keeps its lines.
    """
    whole = "\n".join(f"{indent}{line}" for line in text.splitlines())
    if not sys.stdout.isatty():
        return whole
    return folded(whole, get_terminal_size().columns, further=0 if indent else 4)


@contextmanager
def sign_of_life(words: str) -> Iterator[None]:
    """Show on a terminal that something goes on, on the error output, while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        yield


def moment(written: str) -> str:
    """Write a time of the archive by local time, to the second."""
    return in_full(written)
