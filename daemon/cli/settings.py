"""What every command starts from: settings, exports, chats; and how tables are printed.

All is imported late, since `memproc --help` passes here too.
"""

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from daemon.status.printable import in_one_line, visible

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table
    from rich.text import Text

    from daemon.archive.archive import Archive
    from daemon.chat.outcome import Skipped
    from daemon.config.search import FoundConfig
    from daemon.config.settings import Config
    from daemon.events import SettingsAre, Tell
    from daemon.files.paths import Folders
    from daemon.models.context import Context

_ENDLESS = 1000
_WHOLE = re.compile(
    r"`[^`]+`|(?<=: )memproc [^.]+|(?<!\S)(?:~?/|[A-Z]:\\)[^:]*?\.(?:json|zip|toml)\b"
)
"""Commands and the paths of files, in which no line is folded."""
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
    """Print a table; `right` are the columns whose entries end at the same place.

    Only the `prose` columns are folded, at blanks; None: all of them are. On a terminal that is too narrow, the `drop`
    columns go, in that order, until the others fit; where they never do, each row becomes a few lines with the headings
    in them. `pages`: a table that is longer than the terminal is shown by the pager.
    """
    from rich.console import Console
    from rich.measure import Measurement

    on_a_terminal = Console().is_terminal
    console = Console(highlight=False, width=None if on_a_terminal else _ENDLESS)
    columns = list(range(len(headings)))
    gone = iter(drop)
    while True:
        table = _table(headings, rows, right, prose, columns)
        least = Measurement.get(console, console.options.update(max_width=_ENDLESS), table).minimum
        if least <= console.width or (column := next(gone, None)) is None:
            break
        columns.remove(column)
    with console.capture() as printed:
        if least <= console.width or len(headings) <= _FEW_COLUMNS:
            console.print(table)
        else:
            for line in _as_lines(headings, rows, console.width):
                console.print(line, soft_wrap=True)
    (paged if pages else click.echo)(printed.get().removesuffix("\n"))


def _table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int],
    prose: Sequence[int] | None,
    columns: Sequence[int],
) -> "Table":
    """The table with these columns alone."""
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for index in columns:
        justify: JustifyMethod = "right" if index in right else "left"
        is_whole = prose is not None and index not in prose
        width = (
            max(cell_len(in_one_line(row[index])) for row in (headings, *rows))
            if is_whole
            else None
        )
        table.add_column(headings[index], justify=justify, overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*(Text(in_one_line(row[index])) for index in columns))
    return table


def _as_lines(
    headings: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> "Iterator[Text]":
    """Each row as a few lines, in which every entry stands behind its heading."""
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


def paged(text: str) -> None:
    """Print a text; with a pager where it is longer than the terminal."""
    if sys.stdout.isatty() and text.count("\n") + 1 >= get_terminal_size().lines:
        click.echo_via_pager(f"{text}\n")
    else:
        click.echo(text)


def in_colour(text: str, colour: str) -> str:
    """The text in a colour, on a terminal of somebody who wants colours (https://no-color.org)."""
    wants = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return click.style(text, fg=colour) if wants else text


def in_width(text: str, indent: str = "") -> str:
    """The text for a terminal: folded at blanks there, but never within a command or a path, and as it is elsewhere."""
    if not sys.stdout.isatty():
        return "\n".join(f"{indent}{line}" for line in text.splitlines())
    return "\n".join(
        line for part in text.splitlines() for line in _folded(f"{indent}{part}", bool(indent))
    )


def _folded(line: str, is_flush: bool) -> list[str]:
    """The lines of one line; those that follow begin as it does, or a little further in."""
    begins = " " * (len(line) - len(line.lstrip()) + (0 if is_flush else 4))
    whole = _WHOLE.sub(lambda part: part[0].replace(" ", "\xa0"), line)
    columns = get_terminal_size().columns
    folded = wrap(
        whole, columns, subsequent_indent=begins, break_long_words=False, break_on_hyphens=False
    )
    return [part.replace("\xa0", " ") for part in folded] or [""]


def moment(written: str) -> str:
    """A time of the archive (UTC) as people read it, to the second."""
    return written[:19].replace("T", " ")


@dataclass(frozen=True)
class Settings:
    """The global options, and what they lead to. Each thing is loaded once, and only for the commands that use it."""

    path: Path | None
    quiet: bool
    handed_over: "SettingsAre | None" = None
    """The settings of the daemon whose child this is: they count, whatever memproc.toml says by now."""

    @cached_property
    def config_file(self) -> "FoundConfig":
        """The memproc.toml that counts, and why that one."""
        from daemon.config.search import find

        return find(self.path, Path.cwd(), os.environ)

    @cached_property
    def config(self) -> "Config":
        """The settings. Raises ConfigurationError with all that is wrong."""
        from daemon.config.loading import load, parse_settings
        from daemon.config.settings import Config

        if given := self.handed_over:
            config = (
                parse_settings(given.text.encode(), Path(given.path)) if given.path else Config()
            )
            is_here = given.found_here
        else:
            config = load(self.config_file.path) if self.config_file.path else Config()
            is_here = self.config_file.is_here
        return config.as_found_here() if is_here else config

    @cached_property
    def folders(self) -> "Folders":
        """The folders in which everything lies. Raises ConfigurationError."""
        from daemon.config.loading import load_folders

        return load_folders(self.config)

    def archive(self) -> AbstractContextManager["Archive"]:
        """The archive for reading; an empty one where there is none yet. Nothing is created."""
        from daemon.archive.archive import Archive

        return Archive.read(self.folders.state)

    def context(self, tell: "Tell | None" = None) -> AbstractContextManager["Context"]:
        """All that a change or a run needs, with the archive held for writing by this process alone."""
        from daemon.events import tell_nobody
        from daemon.models.context import open_context

        return open_context(self.config, self.folders, tell or tell_nobody)

    def say_which_file(self) -> None:
        """Print which memproc.toml counts, where more than one could have."""
        if choice := self.config_file.choice:
            self.say(choice)

    def say_what_counts(self) -> None:
        """Print which memproc.toml counts, where more than one could have, and what in it does nothing any more."""
        self.say_which_file()
        for note in self.config.notes:
            self.say(note)

    def say(self, text: str) -> None:
        """Print a line, unless `--quiet` was given."""
        if not self.quiet:
            click.echo(in_width(visible(text)))


pass_settings = click.make_pass_decorator(Settings)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
TO_SEE_IT = "To put it into the updated export, drop the chat's newest export into the inbox, then: memproc run"


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The exports that are named, as files or folders, or those of the inbox. Raises FileTrouble without an inbox."""
    from daemon.files.candidates import exports_in
    from rules.errors import FileTrouble

    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path))


def other_files(settings: Settings, paths: tuple[Path, ...]) -> "tuple[Skipped, ...]":
    """The files in the inbox, where no path is named, that are no exports: none is ignored without a word."""
    from daemon.chat.outcome import Skipped
    from daemon.files.candidates import others_in

    others = () if paths else others_in(settings.folders.inbox)
    return tuple(Skipped(path.name, reason, next_step) for path, reason, next_step in others)


@dataclass(frozen=True, slots=True)
class AboutChat:
    """The argument of a command of a `ChatGroup`: the settings, and the chat as the person has named it."""

    settings: Settings
    name: str


pass_about = click.make_pass_decorator(AboutChat)


def confirmed(settings: Settings, question: str, yes: bool, command: str) -> bool:
    """Whether the person agrees: by `--yes`, or by an answer at a terminal; else they are told how to say it."""
    if yes or (sys.stdin.isatty() and sys.stdout.isatty() and click.confirm(question)):
        return True
    settings.say(f"Nothing was changed. To do it: {command} --yes")
    return False
