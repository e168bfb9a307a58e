"""`memproc chats`: the chats that the archive knows."""

from dataclasses import asdict

import click

from daemon.archive.chats import known_chats
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.status.sentences import printable_json


@click.command
@json_option
@pass_settings
def chats(settings: Settings, as_json: bool) -> int:
    """List the chats that the archive knows, with how much of each stands under memories."""
    with settings.archive() as archive:
        known = known_chats(archive)
    if as_json:
        click.echo(printable_json([asdict(chat) for chat in known]))
    elif not known:
        click.echo("The archive knows no chats yet. Drop an export into the inbox, then: memproc run")
    else:
        rows = [
            (
                chat.title,
                chat.chat_id,
                f"{chat.messages:,}",
                f"{chat.memories:,}",
                chat.last_seen[:16].replace("T", " "),
            )
            for chat in known
        ]
        print_table(("Chat", "Id", "Messages", "Memories", "Last seen (UTC)"), rows, right=(2, 3))
    return 0
