"""`memproc resume`: the daemon goes on after a pause."""

import click

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.status import place_of
from daemon.files.clock import now
from daemon.files.lock import is_held
from daemon.status.status import end_pause


@click.command
@pass_settings
def resume(settings: Settings) -> int:
    """Have the daemon go on after `memproc pause`."""
    place = place_of(settings)
    with Archive.open(place.state) as archive:
        was = end_pause(archive, now())
    settings.say("memproc goes on." if was else "memproc was not paused.")
    if was and not is_held(place.lock):
        settings.say("But no daemon is running. Start one with: memproc service install, or: memproc watch")
    return 0
