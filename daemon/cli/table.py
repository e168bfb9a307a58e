"""A plain table for the terminal: headings, rows, numbers to the right, nothing cut off in a pipe."""

from collections.abc import Sequence


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table; `right` are the columns whose entries end at the same place."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left", no_wrap=not console.is_terminal)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    width = None if console.is_terminal else max(console.measure(table).maximum, 80)
    console.print(table, width=width, soft_wrap=not console.is_terminal)
