"""What every command starts from: settings, exports, chats; and how tables are printed.

All is imported late, since `memproc --help` passes here too.
"""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from daemon.status.sentences import in_one_line, visible

if TYPE_CHECKING:
    from daemon.archive.archive import Archive
    from daemon.chat.deliver import SetAside
    from daemon.config import Config, FoundConfig
    from daemon.context import Context
    from daemon.events import SettingsAre, Tell
    from daemon.files.paths import Folders

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
        line = Text()
        for heading, cell in zip(headings, row, strict=True):
            part = Text.assemble((f"{heading} ", "bold"), in_one_line(cell))
            if line and line.cell_len + 2 + part.cell_len > console.width:
                console.print(line, soft_wrap=True)
                line = Text("    ")
            elif line:
                line += Text("  ")
            line += part
        console.print(line, soft_wrap=True)


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
    def found(self) -> "FoundConfig":
        """Which memproc.toml counts, and why that one."""
        from daemon.config import find

        return find(self.path, Path.cwd(), os.environ)

    @cached_property
    def config(self) -> "Config":
        """The settings. Raises ConfigurationError with all that is wrong."""
        from daemon.config import Config, load, parse

        if given := self.handed_over:
            config = parse(given.text.encode(), Path(given.path)) if given.path else Config()
            is_here = given.found_here
        else:
            config = load(self.found.path) if self.found.path else Config()
            is_here = self.found.is_here
        return config.as_found_here() if is_here else config

    @cached_property
    def folders(self) -> "Folders":
        """Where everything lies. Raises ConfigurationError."""
        from daemon.config import folders

        return folders(self.config)

    def archive(self) -> AbstractContextManager["Archive"]:
        """The archive for reading; an empty one where there is none yet. Nothing is created."""
        from daemon.archive.archive import Archive

        return Archive.read(self.folders.state)

    def context(self, tell: "Tell | None" = None) -> AbstractContextManager["Context"]:
        """All that a change or a run needs, with the archive held for writing by this process alone."""
        from daemon.context import open_context
        from daemon.events import tell_nobody

        return open_context(self.config, self.folders, tell or tell_nobody)

    def say_which_file(self) -> None:
        """Where more than one memproc.toml could have counted, print which one does."""
        if choice := self.found.choice:
            self.say(choice)

    def say(self, text: str) -> None:
        """Print a line, unless `--quiet` was given."""
        if not self.quiet:
            click.echo(visible(text))


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


def other_files(settings: Settings, paths: tuple[Path, ...]) -> "tuple[SetAside, ...]":
    """The files in the inbox, where no path is named, that are no exports: none is ignored without a word."""
    from daemon.chat.deliver import SetAside
    from daemon.files.candidates import others_in

    others = () if paths else others_in(settings.folders.inbox)
    return tuple(SetAside(path.name, reason, next_step) for path, reason, next_step in others)


@dataclass(frozen=True, slots=True)
class AboutChat:
    """What a command of a `ChatGroup` is given: the settings, and the chat as the person has named it."""

    settings: Settings
    name: str


pass_about = click.make_pass_decorator(AboutChat)


class ChatGroup(click.Group):
    """Commands about one chat, which is named before them: `memproc core CHAT [COMMAND]`.

    Where no command is named it is `default`, also with that one's options: click itself would take an option
    behind the chat for the name of a command.
    """

    def __init__(self, *arguments: Any, default: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._default = default

    def parse_args(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Name the command where only the chat, or options behind it, are given."""
        chat, command = (*args, "", "")[:2]
        names_none = command not in ctx.help_option_names and command[:1] in ("", "-")
        if chat[:1] not in ("", "-") and names_none:
            args = [chat, self._default, *args[1:]]
        return super().parse_args(ctx, list(args))
