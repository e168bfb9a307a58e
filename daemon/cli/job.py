"""`memproc job NAME`: one timed job of the daemon's, or its settings, told as events. The daemon starts it; hidden."""

import click

from daemon.cli.settings import Settings, pass_settings
from daemon.cli.supervised import as_events
from daemon.events import Alive, Tell
from daemon.inbox.watch_plan import read_settings_here

_LONGEST_SECONDS = 3600.0
"""How long a job may take, which tells nothing on its way: backups of many gigabytes are read."""


@click.command(hidden=True)
@click.argument("name", type=click.Choice(("settings", "prune", "verify", "maintain", "retry")))
@pass_settings
def job(settings: Settings, name: str) -> int:
    """Do one of the daemon's timed jobs now, and print what came of it as a line of JSON."""
    return as_events(lambda tell: _do(settings, name, tell))


def _do(settings: Settings, name: str, tell: Tell) -> int:
    if name == "settings":
        tell(read_settings_here(settings.path))
        return 0
    from daemon.events import tell_nobody
    from daemon.inbox.jobs import do_job

    with settings.context(tell_nobody) as context:
        tell(Alive(_LONGEST_SECONDS))
        tell(do_job(name, context))
    return 0
