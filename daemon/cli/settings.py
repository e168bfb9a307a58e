"""What every command starts from: which memproc.toml, and the folders, archive and texts that it names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.files.candidates import exports_in
from daemon.status.sentences import visible
from rules.errors import FileTrouble

if TYPE_CHECKING:
    from daemon.archive.archive import Archive
    from daemon.config import Config, Found
    from daemon.context import Context
    from daemon.events import Tell
    from daemon.files.paths import Folders


@dataclass(frozen=True, slots=True)
class Settings:
    """The global options, and what they lead to. Each thing is loaded only by the commands that use it."""

    path: Path | None
    quiet: bool

    @property
    def found(self) -> "Found":
        """Which memproc.toml counts, and why that one."""
        from daemon.config import find

        return find(self.path, Path.cwd(), os.environ)

    @property
    def config(self) -> "Config":
        """The settings. Raises ConfigurationError with all that is wrong."""
        from daemon.config import Config, load

        found = self.found
        config = load(found.path) if found.path else Config()
        return config.as_found_here() if found.is_here else config

    @property
    def folders(self) -> "Folders":
        """Where everything lies. Raises ConfigurationError."""
        from daemon.config import folders

        return folders(self.config)

    @contextmanager
    def archive(self) -> Iterator["Archive"]:
        """The archive for reading; an empty one where there is none yet. Nothing is created."""
        from daemon.archive.archive import Archive

        with Archive.read(self.folders.state) as archive:
            yield archive

    @contextmanager
    def context(self, tell: "Tell") -> Iterator["Context"]:
        """All that a trip needs, with the archive held for writing by this process alone."""
        from daemon.context import open_context

        with open_context(self.config, self.folders, tell) as context:
            yield context

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


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Those named, files or folders, or the inbox's. Raises FileTrouble without an inbox."""
    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path))
