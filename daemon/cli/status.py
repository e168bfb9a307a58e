"""`memproc status`: whether the daemon is well, and what it has done; 0 healthy, 1 see to something, 2 not running."""

import sys
import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import get_terminal_size

import click

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.lock import is_held
from daemon.status.page import folded, page
from daemon.status.sentences import printable_json
from daemon.status.status import DaemonPlace, Status, StatusProblem, read_place
from daemon.status.status import status as gather
from daemon.status.waiting import waits_for
from rules.errors import MemprocError

_REDRAW_SECONDS = 2.0


def place_of(settings: Settings) -> DaemonPlace:
    """Where the daemon keeps its archive and its lock. Raises ConfigurationError where memproc.toml does not tell."""
    toml = settings.found.path
    return (toml and read_place(toml)) or DaemonPlace(settings.folders.state)


@click.command
@json_option
@click.option("--watch", is_flag=True, help="Show it anew every two seconds, until Ctrl-C.")
@pass_settings
def status(settings: Settings, as_json: bool, watch: bool) -> int:
    """Say whether the daemon is well: problems first, then what it waits for and what it has done.

    The exit code is 0 where all is well, 1 where something wants attention, 2 where no daemon runs.
    """
    try:
        place, toml = place_of(settings), settings.found.path
    except MemprocError as fault:
        raise _or_what_is_waited_for(fault, settings.path) from fault
    if not as_json:
        settings.say_which_file()
    shown = _show(place, toml, as_json, watch)
    try:
        while watch:
            time.sleep(_REDRAW_SECONDS)
            shown = _show(place, toml, as_json, watch)
    except KeyboardInterrupt:
        pass  # this is how one stops watching
    return shown.exit_code


def _show(place: DaemonPlace, toml: Path | None, as_json: bool, anew: bool) -> Status:
    """Print the status; on a terminal, one that is shown anew takes the place of the one before."""
    try:
        with Archive.read(place.state) as archive:
            now = datetime.now(UTC)
            shown = _with_waiting(gather(archive, now, is_held(place.lock), place.rescan_seconds), toml)
    except MemprocError as fault:
        raise _or_what_is_waited_for(fault, toml) from fault
    if as_json:
        text = printable_json({"exit_code": shown.exit_code, **asdict(shown)}, indent=None if anew else 2)
    else:
        text = page(shown)
        if sys.stdout.isatty():
            text = folded(text, get_terminal_size().columns)
        text += "\n" if anew else ""
    if anew and not as_json:
        click.clear()
    click.echo(text)
    return shown


def _with_waiting(status: Status, toml: Path | None) -> Status:
    """The status with what a daemon waits for that cannot begin yet, where there is one; it may be trying just now."""
    if (trouble := waits_for(toml)) is None:
        return status
    waiting = StatusProblem("the daemon waits and tries again", trouble.message, trouble.next_step)
    return replace(status, running=True, problems=(waiting, *status.problems))


def _or_what_is_waited_for(fault: MemprocError, toml: Path | None) -> MemprocError:
    """What a daemon waits for, where the status cannot be read: often because of the same."""
    trouble = waits_for(toml)
    if trouble is None:
        return fault
    return MemprocError(f"The daemon waits and tries again: {trouble.message}", trouble.next_step)
