"""`memproc unpin MEMORY`: a memory that may be rewritten and folded again."""

import click

from daemon.archive.choices import unpin as let_go
from daemon.chat.holding import holding_of
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.use import TO_SEE_IT
from daemon.events import tell_nobody
from rules.conversation.memory import called


@click.command
@click.argument("memory")
@pass_settings
def unpin(settings: Settings, memory: str) -> int:
    """Let MEMORY be rewritten and folded again.

    If you have edited it in TypingMind, your text gives way to memproc's edition. Your text stays among its editions:
    `memproc use` brings it back.
    """
    with settings.context(tell_nobody) as context:
        _, found = holding_of(context.archive, context.config, memory)
        changed = let_go(context.archive, found)
        _, now = holding_of(context.archive, context.config, found.memory_id)
    if not changed:
        settings.say(f"Nothing to do: {called(found)} is not pinned.")
        return 0
    settings.say(f"Unpinned {called(found)}: it may be rewritten again.")
    if now.edition.number != found.edition.number:
        settings.say(
            f"It is shown in its {now.edition.kind} edition {now.edition.number} again. Your text is edition "
            f"{found.edition.number}: memproc use {found.memory_id} {found.edition.number}"
        )
        settings.say(TO_SEE_IT)
    return 0
