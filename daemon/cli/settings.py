"""What every command starts from: settings, exports, chats; and how reports are printed.

Imports are late, since `memproc --help` loads this module, too.
"""

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.cli.printing import in_width, paged, print_rows, print_step
from daemon.reports.report import Report, Step
from daemon.status.printable import make_visible

if TYPE_CHECKING:
    from daemon.archive.archive import Archive
    from daemon.archive.chats import KnownChat
    from daemon.archive.work import By
    from daemon.chat.outcome import Skipped
    from daemon.config.search import FoundConfig
    from daemon.config.settings import Config
    from daemon.events import Tell
    from daemon.files.paths import Folders
    from daemon.inbox.watch_plan import SettingsAre
    from daemon.models.context import Context


@dataclass(frozen=True)
class Settings:
    """The global options, and what they lead to, loaded once and only when used."""

    path: Path | None
    quiet: bool
    handed_over: "SettingsAre | None" = None
    """The settings from the daemon, if this is its child; they replace memproc.toml."""
    further_files: Iterable[Path] = ()
    """The files that the daemon hands over during the work; iterating waits for the next one."""
    by: "By" = "hand"
    """What has begun the run, if not the daemon."""
    kept: list[Report] | None = None
    """The reports collected for the one object of `--json`; None where a person reads."""

    @property
    def for_programs(self) -> bool:
        """Return whether the command was given `--json`."""
        return self.kept is not None

    @property
    def can_ask(self) -> bool:
        """Return whether a person at a terminal can be asked."""
        return not self.for_programs and sys.stdin.isatty() and sys.stdout.isatty()

    @cached_property
    def config_file(self) -> "FoundConfig":
        """Return the memproc.toml that is used, and why that one."""
        from daemon.config.search import find

        return find(self.path, Path.cwd(), os.environ)

    @cached_property
    def config(self) -> "Config":
        """Return the settings. Raises ConfigurationError with all that is wrong."""
        from daemon.config.loading import load, parse_settings
        from daemon.config.settings import Config

        if handed_over := self.handed_over:
            config = (
                parse_settings(handed_over.text.encode(), Path(handed_over.path))
                if handed_over.path
                else Config()
            )
            is_here = handed_over.found_here
        else:
            config = load(self.config_file.path) if self.config_file.path else Config()
            is_here = self.config_file.is_here
        return config.as_found_here() if is_here else config

    @cached_property
    def folders(self) -> "Folders":
        """Return the folders of the settings. Raises ConfigurationError."""
        from daemon.config.loading import load_folders

        return load_folders(self.config)

    @contextmanager
    def chat(self, name: str) -> "Iterator[tuple[Archive, KnownChat]]":
        """Open the archive for reading, and find the chat of this name. Raises NotFound."""
        from daemon.archive.chats import find_chat

        with self.archive() as archive:
            yield archive, find_chat(archive, name, "part")

    def archive(self) -> AbstractContextManager["Archive"]:
        """Open the archive to read, or an empty one where there is none yet; create nothing."""
        from daemon.archive.archive import Archive

        return Archive.read(self.folders.state, zone=self.config.memory.zone)

    @contextmanager
    def context(self, tell: "Tell | None" = None) -> Iterator["Context"]:
        """Open what a change or a run needs, with the archive locked for writing.

        Stored changes are carried out first, if a killed run has left some, and those pressed
        meanwhile at the end; and once more after the lock is released, so that none is missed.
        """
        from daemon.archive.pressed import waiting_presses
        from daemon.events import ignore_event
        from daemon.files.lock import Busy
        from daemon.models.context import open_context
        from rules.errors import MemprocError

        opened = partial(open_context, self.config, self.folders, tell or ignore_event)
        with opened() as context:
            _do_what_waits(context)
            try:
                yield context
            finally:
                # If this fails, the changes go on waiting; the error that ended the work must be
                # raised.
                with suppress(MemprocError):
                    _do_what_waits(context)
        with self.archive() as archive:
            is_late = bool(waiting_presses(archive))
        if is_late:
            with suppress(Busy), opened() as context:
                _do_what_waits(context)

    def say_which_file(self) -> None:
        """Print which memproc.toml is used, if there was a choice."""
        if choice := self.config_file.choice:
            self.say(choice)

    def say_what_counts(self, paths: tuple[Path, ...]) -> None:
        """Print which memproc.toml is used, notes on its settings, and unpacked ZIPs in the inbox.

        The last are printed only without `paths`, since then the inbox is read.
        """
        from daemon.files.candidates import describe_unpacked

        self.say_which_file()
        for _, sentence in () if paths else describe_unpacked(self.folders.inbox):
            self.say(sentence)
        for note in self.config.notes:
            self.say(note)

    def command(self, rest: str) -> str:
        """Return a memproc command to type, with the same `--config` as this one."""
        named = f" --config {shlex.quote(str(self.path))}" if self.path else ""
        return f"memproc{named} {rest}"

    def say(self, sentence: str) -> None:
        """Print a sentence, unless `--quiet` was given."""
        if self.kept is not None:
            self.kept.append(Report(notes=(sentence,)))
        elif not self.quiet:
            click.echo(in_width(make_visible(sentence)))

    def say_whole(self, line: str) -> None:
        """Print a line to copy, which is never folded, unless `--quiet` was given."""
        if not (self.quiet or self.for_programs):
            click.echo(make_visible(line))

    def done(self, *notes: str, next: Sequence[Step | None] = (), **values: object) -> None:
        """Show what a command has done: sentences, steps, and values for programs.

        Empty sentences and missing steps are left out.
        """
        steps = tuple(filter(None, next))
        self.show(Report(notes=tuple(filter(None, notes)), next=steps, values=values))

    def draw(self, text: str) -> None:
        """Print a text for a person only; for programs, a report has its values."""
        if not self.for_programs:
            paged(text)

    def show(self, report: Report) -> None:
        """Print a report in the width of the terminal, with a pager where it is too long for it.

        The next steps are for people, so a pipe gets them only if there are no rows.
        """
        from rules.wording import as_sentence

        if self.kept is not None:
            self.kept.append(report)
            return
        if report.heading:
            self.say(report.heading)
        self._show_tables(report)
        for sentence in (*map(as_sentence, report.notes), *report.pressed):
            self.say(sentence)
        has_rows = any(table.rows for table in report.tables[:1])
        if not self.quiet and (sys.stdout.isatty() or not has_rows):
            for step in report.next:
                print_step(step.words, self.command(step.command))

    def _show_tables(self, report: Report) -> None:
        """Print the tables that people are shown; for an empty one, the sentence that says so."""
        for place, table in enumerate(report.tables):
            if table.rows and (table.columns or table.card):
                if place and table.columns:
                    self.say("")
                print_rows(table)
            elif table.none and not table.rows:
                self.say(table.none)


pass_settings = click.make_pass_decorator(Settings)
file_argument = click.argument("file", type=click.Path(path_type=Path))
paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")


def _do_what_waits(context: "Context") -> None:
    """Carry out the changes that were pressed during a run, if there are any."""
    from daemon.archive.pressed import waiting_presses

    if waiting := waiting_presses(context.archive):
        from daemon.chat.changes import do_what_waits

        do_what_waits(context, waiting)


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the exports in the named files and folders, or in the inbox.

    Raises FileTrouble without an inbox.
    """
    from daemon.files.candidates import exports_in
    from rules.errors import FileTrouble

    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path.absolute()))


def other_files(settings: Settings, paths: tuple[Path, ...]) -> "tuple[tuple[Path, Skipped], ...]":
    """Return the inbox's files that are no exports, with the reasons; none if paths are given."""
    from daemon.chat.outcome import Skipped
    from daemon.files.candidates import others_in

    unprocessed = () if paths else others_in(settings.folders.inbox)
    return tuple(
        (path, Skipped(path.name, reason, next_step)) for path, reason, next_step in unprocessed
    )


@dataclass(frozen=True, slots=True)
class AboutChat:
    """What a command of a `ChatGroup` gets: the settings, and the chat as the person named it."""

    settings: Settings
    name: str

    def show(self, report: "Callable[[Archive, Config, KnownChat], Report]") -> None:
        """Show what `report` says of the chat. Raises NotFound."""
        with self.settings.chat(self.name) as (archive, chat):
            self.settings.show(report(archive, self.settings.config, chat))


pass_about = click.make_pass_decorator(AboutChat)


def confirmed(settings: Settings, question: str, yes: bool, command: str) -> bool:
    """Return whether the person agrees, by `--yes` or at the terminal; if not, show how to."""
    if yes or (settings.can_ask and click.confirm(question)):
        return True
    settings.done("Nothing was changed.", next=(Step("To do it", f"{command} --yes"),))
    return False
