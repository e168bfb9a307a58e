"""Render a table within the width of a terminal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from daemon.files.clock import in_full
from daemon.reports.report import Cell, Column, Link, Moment, ReportTable, Row
from daemon.status.printable import columns_of, in_one_line, padded, wrap_lines

_LEAST_WORDS = 20
"""The least width of a column of folded or cut words, however narrow the terminal is."""
_LONGEST_LINE = 60
"""The width of a cut cell where there is no terminal."""
_FEW_COLUMNS = 5
"""A table with no more columns stays a table, however narrow the terminal is."""
_GAP = "  "


def table_lines(
    table: ReportTable[Row], width: int | None, strong: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield the lines of a table, its headings first, in `strong` letters.

    `width` is None where there is no terminal. Where the table is too wide, columns are dropped in
    the order of their `drop`. If the others still do not fit, each row becomes a few lines with the
    headings in them. Without any headings, a row is one line that is folded as a whole.
    """
    columns, headings = table.columns, [column.heading for column in table.columns]
    rows = [[_in_words(column.cell(row)) for column in columns] for row in table.rows]
    if not any(headings):
        for line in _section_lines(table, rows):
            yield from wrap_lines(line, width).splitlines() if width else [line]
        return
    widths = _widths(columns, [headings, *rows], width)
    if width and _total(widths) > width and len(columns) > _FEW_COLUMNS:
        for row in rows:
            yield from _headed_lines(headings, row, width, strong)
        return
    yield from map(strong, _row_lines(columns, headings, widths))
    for row in rows:
        yield from _row_lines(columns, row, widths)


def _section_lines(table: ReportTable[Row], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the title, the rows in columns, the last of them unpadded, and what is left out."""
    indent = "  " if table.title else ""
    if table.title:
        yield in_one_line(table.title)
    widths = [max(map(columns_of, cells)) for cells in zip(*rows, strict=True)][:-1]
    for *cells, last in rows:
        yield f"{indent}{_GAP.join((*map(padded, cells, widths), last))}".rstrip()
    if table.rest:
        yield f"{indent}{table.rest}"


def _in_words(value: Cell) -> str:
    """Return the words of a cell, on one line."""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Moment):
        return in_full(value.at)
    return in_one_line(value.words if isinstance(value, Link) else value)


def _widths(
    columns: Sequence[Column[Row]], rows: Sequence[Sequence[str]], width: int | None
) -> dict[int, int]:
    """Return the width of each column by its place, without those that are dropped."""
    wanted = [max(map(columns_of, cells)) for cells in zip(*rows, strict=True)]
    if width is None:
        return {
            at: min(size, _LONGEST_LINE) if columns[at].kind == "line" else size
            for at, size in enumerate(wanted)
        }
    words = [at for at, column in enumerate(columns) if column.kind in ("prose", "line")]
    widths = dict(enumerate(wanted)) | {at: min(wanted[at], _LEAST_WORDS) for at in words}
    for at in sorted(widths, key=lambda at: columns[at].drop):
        if columns[at].drop and _total(widths) > width:
            del widths[at]
    for at in widths.keys() & words:
        spare = max(0, width - _total(widths))
        widths[at] = min(wanted[at], widths[at] + spare)
    return widths


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _row_lines(
    columns: Sequence[Column[Row]], row: Sequence[str], widths: Mapping[int, int]
) -> Iterator[str]:
    """Yield the lines of a row: more than one where its prose is folded."""
    cells = [_cell_lines(row[at], columns[at].kind == "line", size) for at, size in widths.items()]
    for parts in zip_longest(*cells, fillvalue=""):
        line = [
            " " * (size - columns_of(part)) + part
            if columns[at].kind == "number"
            else padded(part, size)
            for part, (at, size) in zip(parts, widths.items(), strict=True)
        ]
        yield _GAP.join(line).rstrip()


def _cell_lines(words: str, is_cut: bool, width: int) -> list[str]:
    """Return the lines of a cell, each within the width; a cut cell has a single line."""
    if columns_of(words) <= width:
        return [words]
    from rich.cells import chop_cells, set_cell_size  # late: few cells are too wide

    if is_cut:
        return [f"{set_cell_size(words, width - 3).rstrip()}..."]
    lines = wrap_lines(words, width, further=0).splitlines()
    return [part for line in lines for part in chop_cells(line, width)]


def _headed_lines(
    headings: Sequence[str], row: Sequence[str], width: int, strong: Callable[[str], str]
) -> Iterator[str]:
    """Yield a row as a few lines, in which each cell follows its heading."""
    line, columns_left = "", width
    for heading, words in zip(headings, row, strict=True):
        size = columns_of(f"{_GAP}{heading} {words}")
        if line and size > columns_left:
            yield line
            line, columns_left = _GAP, width - len(_GAP)
        line += f"{_GAP if line else ''}{strong(heading)} {words}"
        columns_left -= size
    yield line
