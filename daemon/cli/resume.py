"""`memproc resume`: the daemon goes on after a pause."""

import click

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings, pass_settings
from daemon.files.clock import now
from daemon.files.lock import is_held
from daemon.status.status import find_place
from daemon.status.status import resume as end


@click.command
@pass_settings
def resume(settings: Settings) -> int:
    """Have the daemon go on after `memproc pause`."""
    place = find_place(settings)
    with Archive.open(place.state) as archive:
        was = end(archive, now())
    settings.say("memproc goes on." if was else "memproc was not paused.")
    if was and not is_held(place.lock):
        settings.say("But no daemon is running. Start one with: memproc service install, or: memproc watch")
    return 0
