"""`memproc recall MEMORY`: bring back a memory that was deleted in TypingMind."""

import click

from daemon.archive.choices import recall as bring_back
from daemon.chat.holding import holding_of
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.use import TO_SEE_IT
from daemon.events import tell_nobody
from rules.conversation.memory import called


@click.command
@click.argument("memories", metavar="MEMORY...", nargs=-1, required=True)
@pass_settings
def recall(settings: Settings, memories: tuple[str, ...]) -> int:
    """Bring back each MEMORY, which you have deleted in TypingMind; a fold comes with the memories that it is made of.

    The next run puts it between its neighbours again, and later memories see it again.
    """
    with settings.context(tell_nobody) as context:
        wanted = [holding_of(context.archive, context.config, memory) for memory in memories]
        recalled = [bring_back(context.archive, found) for _, found in wanted]
    for (whole, found), back in zip(wanted, recalled, strict=True):
        for name in back:
            settings.say(f"Recalled {called(whole.memory(name))}.")
        if not back:
            settings.say(f"Nothing to do: {called(found)} is not forgotten.")
    if any(recalled):
        settings.say(TO_SEE_IT)
    return 0
