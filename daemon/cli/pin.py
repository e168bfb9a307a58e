"""`memproc pin MEMORY`: a memory that is never rewritten or folded by itself."""

import click

from daemon.archive.choices import pin as keep_as_it_is
from daemon.chat.holding import holding_of
from daemon.cli.settings import Settings, pass_settings
from daemon.events import tell_nobody
from rules.conversation.memory import called


@click.command
@click.argument("memory")
@pass_settings
def pin(settings: Settings, memory: str) -> int:
    """Never rewrite or fold MEMORY by itself: no hindsight edition, no other one either, and no place in a fold."""
    with settings.context(tell_nobody) as context:
        _, found = holding_of(context.archive, context.config, memory)
        changed = keep_as_it_is(context.archive, found)
    if changed:
        settings.say(f"Pinned {called(found)}: it stays as it is. To undo this: memproc unpin {found.memory_id}")
    else:
        settings.say(f"Nothing to do: {called(found)} is pinned already.")
    return 0
