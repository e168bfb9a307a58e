"""`memproc status`: whether the daemon is well, and what it has done; 0 healthy, 1 see to something, 2 not running."""

import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.lock import is_held
from daemon.status.page import page
from daemon.status.sentences import printable_json
from daemon.status.status import Place, Problem, Status, find_place
from daemon.status.status import status as gather
from daemon.status.waiting import waits_for

_REDRAW_SECONDS = 2.0


@click.command
@json_option
@click.option("--watch", is_flag=True, help="Show it anew every two seconds, until Ctrl-C.")
@pass_settings
def status(settings: Settings, as_json: bool, watch: bool) -> int:
    """Say whether the daemon is well: problems first, then what it waits for and what it has done.

    The exit code is 0 where all is well, 1 where something wants attention, 2 where no daemon runs.
    """
    place, config = find_place(settings), settings.found.path
    if not as_json:
        settings.say_which_file()
    found = _show(place, config, as_json, watch)
    try:
        while watch:
            time.sleep(_REDRAW_SECONDS)
            found = _show(place, config, as_json, watch)
    except KeyboardInterrupt:
        pass  # this is how one stops watching
    return found.exit_code


def _show(place: Place, config: Path | None, as_json: bool, anew: bool) -> Status:
    """Print the status; on a terminal, one that is shown anew takes the place of the one before."""
    with Archive.read(place.state) as archive:
        found = _waiting(gather(archive, datetime.now(UTC), is_held(place.lock), place.rescan_seconds), config)
        text = _in_json(found, anew) if as_json else page(found) + ("\n" if anew else "")
    if anew and not as_json:
        click.clear()
    click.echo(text)
    return found


def _waiting(found: Status, config: Path | None) -> Status:
    """The status of a daemon that cannot begin yet, where there is one."""
    if found.running or (trouble := waits_for(config)) is None:
        return found
    waits = Problem("the daemon waits and tries again", trouble.message, trouble.next_step)
    return replace(found, running=True, problems=(waits, *found.problems))


def _in_json(found: Status, anew: bool) -> str:
    return printable_json({"exit_code": found.exit_code, **asdict(found)}, indent=None if anew else 2)
