"""Print tables and text as wide as the terminal."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from shutil import get_terminal_size
from typing import Any

import click

from daemon.faces.table import table_lines
from daemon.reports.report import Card, ReportTable
from daemon.status.printable import columns_of, in_one_line, make_visible, wrap_lines
from rules.wording import as_sentence

_COLOURS = {"error": "red", "warning": "yellow", "ok": "green"}
"""The colours of a card's first word, if that is a level."""
_WIDE = 120
"""The columns that a terminal needs for cards side by side."""


def print_rows(table: ReportTable[Any]) -> None:
    """Print a table in the width of the terminal, with a pager where it is too long for it.

    A section with a title is only a part of what is shown, and gets no pager of its own.
    """
    if table.card and not table.columns:
        cards = [table.card(row) for row in table.rows]
        if table.is_compared and len(cards) > 1 and get_terminal_size().columns >= _WIDE:
            _print_side_by_side(cards)
        else:
            for card in cards:
                _print_card(card)
        return
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    text = "\n".join(table_lines(table, width, partial(styled, bold=True)))
    if table.title:
        click.echo(text)
    else:
        paged(text)


def _print_card(card: Card) -> None:
    """Print a card: its head, its text with marked words in bold, notes, and what opens it.

    That command is left out where the output goes to a file or a pipe.
    """
    words = "".join(
        styled(make_visible(part.text), bold=part.is_marked) for part in card.text
    ).rstrip()
    head = in_width(in_one_line(card.head))
    word = head.partition(" ")[0].rstrip(":")
    click.echo(f"{styled(word, _COLOURS.get(word, ''))}{head[len(word) :]}")
    for text in filter(None, (words, *(make_visible(as_sentence(note)) for note in card.notes))):
        click.echo(in_width(text, "  "))
    if card.text:
        is_shown = card.command and sys.stdout.isatty()
        click.echo(f"  memproc {card.command}\n" if is_shown else "")


def _print_side_by_side(cards: Sequence[Card]) -> None:
    """Print cards in columns, with corresponding parts at the same height."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(expand=True, padding=(0, 2))
    for _ in cards:
        grid.add_column(ratio=1, overflow="fold")
    grid.add_row(*(Text(in_one_line(card.head)) for card in cards))
    for parts in zip(*(card.text for card in cards), strict=True):
        grid.add_row(*(Text(f"\n{make_visible(part.text.rstrip())}") for part in parts))
    grid.add_row(*(Text("\n".join(map(make_visible, card.notes))) for card in cards))
    Console(highlight=False, markup=False, emoji=False).print(grid)


def print_step(words: str, command: str) -> None:
    """Print what can be done next; a command that does not fit has a line of its own."""
    line = f"{words}: {command}"
    if sys.stdout.isatty() and columns_of(line) > get_terminal_size().columns:
        line = f"{in_width(f'{words}:')}\n    {command}"
    click.echo(make_visible(line))


def print_error(text: str) -> None:
    """Print text on standard error, in the width of the terminal."""
    click.echo(in_width(make_visible(text)), err=True)


def paged(text: str) -> None:
    """Print text, with a pager where it has more lines than the terminal."""
    if sys.stdout.isatty() and text.count("\n") + 1 >= get_terminal_size().lines:
        click.echo_via_pager(f"{text}\n")
    else:
        click.echo(text)


def styled(text: str, colour: str = "", *, bold: bool = False) -> str:
    """Return text in a colour or in bold letters, where the terminal has them.

    NO_COLOR turns colours off (https://no-color.org).
    """
    fg = None if os.environ.get("NO_COLOR") else colour or None
    is_plain = os.environ.get("TERM") == "dumb" or not sys.stdout.isatty() or not (fg or bold)
    return text if is_plain else click.style(text, fg=fg, bold=bold or None)


def in_width(text: str, indent: str = "") -> str:
    """Return text folded at blanks for a terminal, but never within a command or a path.

    Without a terminal it keeps its lines.
    """
    whole = "\n".join(f"{indent}{line}" if line else "" for line in text.splitlines())
    if not sys.stdout.isatty():
        return whole
    return wrap_lines(whole, get_terminal_size().columns, further=0 if indent else 4)


@contextmanager
def sign_of_life(words: str) -> Iterator[None]:
    """Show on a terminal's standard error that work is in progress, while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        yield
