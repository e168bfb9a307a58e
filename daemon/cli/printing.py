"""Print tables and text as wide as the terminal."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from shutil import get_terminal_size
from typing import Any

import click

from daemon.faces.as_json import in_shape
from daemon.faces.table import table_lines
from daemon.files.clock import in_full
from daemon.reports.report import Card, ReportTable
from daemon.status.printable import folded, in_one_line, printable_json, visible
from rules.wording import as_sentence


def print_rows(table: ReportTable[Any]) -> None:
    """Print a table in the width of the terminal, with a pager where it is longer."""
    if table.card and not table.columns:
        for row in table.rows:
            _print_card(table.card(row))
        return
    width = get_terminal_size().columns if sys.stdout.isatty() else None
    paged("\n".join(table_lines(table, width, partial(styled, bold=True))))


def _print_card(card: Card) -> None:
    """Print a card: its head, its words with marked ones in bold, notes, and what opens it.

    The command is for people: a file or a pipe gets the words alone.
    """
    words = "".join(styled(visible(part.text), bold=part.is_marked) for part in card.text)
    click.echo(in_width(in_one_line(card.head)))
    for text in filter(None, (words, *(visible(as_sentence(note)) for note in card.notes))):
        click.echo(in_width(text, "  "))
    if card.text:
        is_shown = card.command and sys.stdout.isatty()
        click.echo(f"  memproc {card.command}\n" if is_shown else "")


def print_json(values: Mapping[str, object]) -> None:
    """Print values as the one object that every command prints for programs."""
    click.echo(printable_json(in_shape(values)))


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


def styled(text: str, colour: str = "", *, bold: bool = False) -> str:
    """Set text in a colour or in bold letters where a terminal knows them.

    A person may want no colours (https://no-color.org).
    """
    fg = None if os.environ.get("NO_COLOR") else colour or None
    is_plain = os.environ.get("TERM") == "dumb" or not sys.stdout.isatty() or not (fg or bold)
    return text if is_plain else click.style(text, fg=fg, bold=bold or None)


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
