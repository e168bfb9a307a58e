"""`memproc pause [DURATION]`: the daemon takes up no new work for a while, or until it is told to go on."""

from datetime import timedelta

import click

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.status import place_of
from daemon.files.clock import now
from daemon.files.lock import is_held
from daemon.status.sentences import with_span
from daemon.status.status import begin_pause, read_duration


def _duration(context: click.Context, parameter: click.Parameter, text: str | None) -> timedelta | None:
    try:
        return None if text is None else read_duration(text)
    except ValueError as fault:
        raise click.BadParameter(f"{fault}.", context, parameter) from fault


@click.command
@click.argument("duration", required=False, callback=_duration)
@pass_settings
def pause(settings: Settings, duration: timedelta | None) -> int:
    """Have the daemon take up no new work, for DURATION (30m, 2h, 3d), or until `memproc resume`.

    What it is doing is finished, and new files are still noticed. `memproc run` by hand is not paused.
    """
    place = place_of(settings)
    when = now()
    with Archive.open(place.state) as archive:
        until = begin_pause(archive, duration, when).until
    end = f"until {with_span(until, when)}" if until else "until you say: memproc resume"
    settings.say(f"memproc takes up no new work {end}.")
    if not is_held(place.lock):
        settings.say("No daemon is running now; this counts for the next one.")
    return 0
