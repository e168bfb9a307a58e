"""`memproc run`: compress the exports in the inbox, or those named, once."""

from pathlib import Path

import click

from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, pass_settings
from daemon.files.inbox import exports_in
from daemon.house import Written
from daemon.round import SetAside, go_round
from rules.errors import FileTrouble


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@pass_settings
def run(settings: Settings, paths: tuple[Path, ...]) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit."""
    exports = wanted_exports(settings, paths)
    if not exports:
        settings.say(f"Nothing to do: there are no exports in {settings.folders.inbox}.")
        return 0
    outcomes = []
    with Progress(quiet=settings.quiet) as progress, settings.house(progress.tell) as house:
        for outcome in go_round(house, exports):
            progress.tell_outcome(outcome)
            outcomes.append(outcome)
    written = sum(isinstance(outcome, Written) for outcome in outcomes)
    aside = sum(isinstance(outcome, SetAside) for outcome in outcomes)
    settings.say(f"{written} written, {len(outcomes) - written - aside} left alone, {aside} set aside.")
    return 1 if aside else 0


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The exports that a command is about: those named, or the inbox's. Raises FileTrouble without an inbox."""
    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path))
