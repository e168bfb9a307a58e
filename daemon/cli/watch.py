"""`memproc watch`: the daemon, in the foreground; a service runs the same."""

import click

from daemon.cli.settings import Settings, pass_settings


@click.command
@pass_settings
def watch(settings: Settings) -> int:
    """Look after the inbox until you stop it: every export that is dropped there is compressed."""
    from daemon.inbox.watch import watch as look_after

    return look_after(settings.path)
