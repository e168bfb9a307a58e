"""A plain table for the terminal: headings, rows, numbers to the right, nothing cut off in a pipe."""

from collections.abc import Sequence

from daemon.status.sentences import in_one_line

_ENDLESS = 1000


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print a table; `right` are the columns whose entries end at the same place."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    on_a_terminal = Console().is_terminal
    console = Console(highlight=False, width=None if on_a_terminal else _ENDLESS)
    table = Table(box=None, pad_edge=False)
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(in_one_line(cell)) for cell in row))
    console.print(table)
