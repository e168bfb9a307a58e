"""Render a table for a terminal, in its width."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from daemon.files.clock import in_full
from daemon.reports.report import Beginning, Column, Link, Moment, Row, Table
from daemon.status.printable import columns_of, folded, in_one_line, padded

_LEAST_WORDS = 20
"""Columns of a terminal that a folded or cut column keeps, however narrow the terminal is."""
_LONGEST_LINE = 60
"""Columns of a cut cell where no terminal says how wide it is."""
_FEW_COLUMNS = 5
"""A table with so few is folded, however narrow the terminal is."""
_GAP = "  "
_Cells = list[Beginning]


def table_lines(
    table: Table[Row], width: int | None, strong: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield the lines of a table, its headings first, in `strong` letters.

    `width` is None where no terminal bounds it. Where it is too narrow, columns are dropped in
    their order. If all others still do not fit, each row becomes a few lines with headings in them.
    """
    columns = table.columns
    rows = [[_cell(column, row) for column in columns] for row in table.rows]
    heads = [Beginning(column.heading) for column in columns]
    widths = _widths(columns, [heads, *rows], width)
    if width and not _fits(widths, width) and len(columns) > _FEW_COLUMNS:
        for row in rows:
            yield from _headed_lines(columns, row, width, strong)
        return
    yield from map(strong, _row_lines(columns, heads, widths))
    for row in rows:
        yield from _row_lines(columns, row, widths)


def _cell(column: Column[Row], row: Row) -> Beginning:
    """Return what a cell says, on one line."""
    value = column.cell(row)
    if isinstance(value, Beginning):
        return Beginning(in_one_line(value.words), value.after)
    if isinstance(value, Moment):
        return Beginning(in_full(value.at))
    if isinstance(value, int):
        return Beginning(f"{value:,}")
    return Beginning(in_one_line(value.words if isinstance(value, Link) else value))


def _widths(
    columns: Sequence[Column[Row]], rows: Sequence[_Cells], width: int | None
) -> dict[int, int]:
    """Return how wide each column is, by its place, without those that are dropped."""
    wanted = [max(map(_size, column)) for column in zip(*rows, strict=True)]
    widths = dict(enumerate(wanted))
    flowing = [at for at, column in enumerate(columns) if column.kind in ("prose", "line")]
    if width is None:
        return {
            at: min(size, _LONGEST_LINE) if columns[at].kind == "line" else size
            for at, size in widths.items()
        }
    widths |= {at: min(wanted[at], _LEAST_WORDS) for at in flowing}
    for at in sorted(widths, key=lambda at: columns[at].drop):
        if columns[at].drop and not _fits(widths, width):
            del widths[at]
    for at in widths.keys() & flowing:
        spare = width - _total(widths)
        widths[at] += max(0, min(spare, wanted[at] - widths[at]))
    return widths


def _size(cell: Beginning) -> int:
    return columns_of(cell.words + cell.after)


def _total(widths: Mapping[int, int]) -> int:
    return sum(widths.values()) + len(_GAP) * (len(widths) - 1)


def _fits(widths: Mapping[int, int], width: int) -> bool:
    return _total(widths) <= width


def _row_lines(
    columns: Sequence[Column[Row]], row: _Cells, widths: Mapping[int, int]
) -> Iterator[str]:
    """Yield the lines of a row: more than one where its prose is folded."""
    cells = [_cell_lines(columns[at], row[at], size) for at, size in widths.items()]
    for parts in zip_longest(*cells, fillvalue=""):
        line = [
            " " * (size - columns_of(part)) + part
            if columns[at].kind == "number"
            else padded(part, size)
            for part, (at, size) in zip(parts, widths.items(), strict=True)
        ]
        yield _GAP.join(line).rstrip()


def _cell_lines(column: Column[Row], cell: Beginning, width: int) -> list[str]:
    """Return the lines of a cell, each within the width."""
    if _size(cell) <= width:
        return [cell.words + cell.after]
    from rich.cells import chop_cells, set_cell_size  # late: few cells are too wide

    if column.kind == "line":
        room = max(_LEAST_WORDS, width - columns_of(cell.after))
        words = cell.words
        if columns_of(words) > room:
            words = set_cell_size(words, room - 3).rstrip() + "..."
        return [set_cell_size(words + cell.after, width)]
    lines = folded(cell.words, width, further=0).splitlines()
    return [part for line in lines for part in chop_cells(line, width)]


def _headed_lines(
    columns: Sequence[Column[Row]], row: _Cells, width: int, strong: Callable[[str], str]
) -> Iterator[str]:
    """Yield a row as a few lines, in which each cell follows its heading."""
    line, left = "", width
    for column, cell in zip(columns, row, strict=True):
        size = columns_of(f"{column.heading} {cell.words}{cell.after}")
        if line and len(_GAP) + size > left:
            yield line
            line, left = _GAP, width - len(_GAP)
        line += f"{_GAP if line else ''}{strong(column.heading)} {cell.words}{cell.after}"
        left -= len(_GAP) + size
    yield line
