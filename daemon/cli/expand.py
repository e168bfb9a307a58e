"""`memproc expand CHAT`: the full raw conversation as an export again."""

from pathlib import Path

import click

from daemon.archive.chats import find_chat
from daemon.cli.settings import Settings, pass_settings
from daemon.events import tell_nobody
from daemon.recovery.restore import expand as write_whole


@click.command
@click.argument("chat")
@click.option("--output", type=click.Path(path_type=Path), help="Where to write it.")
@pass_settings
def expand(settings: Settings, chat: str, output: Path | None) -> int:
    """Write the full raw conversation of CHAT as an export for TypingMind.

    Every message is byte for byte what it was, but for the dates of messages that a fork has copied: TypingMind dates
    these anew, and here they have the dates on which they were said.

    Without --output it goes into the folder `expanded`, beside that of the updated exports.
    """
    with settings.context(tell_nobody) as context:
        known = find_chat(context.archive, chat)
        written = write_whole(context, known, output)
    settings.say(f"Wrote {written.path}: {written.size:,} bytes. Importing it replaces the chat in TypingMind.")
    return 0
