"""`memproc erase`: a chat goes for good, after what there is of it was shown."""

import click

from daemon.archive.chats import find_chat
from daemon.cli.settings import Settings, confirmed, pass_settings
from daemon.files.clock import at, now
from daemon.inbox.jobs import maintain
from daemon.recovery.erase import erase as erase_chat
from daemon.recovery.erase import look, sentences


@click.command
@click.argument("chat")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@pass_settings
def erase(settings: Settings, chat: str, yes: bool) -> None:
    """Remove CHAT for good: from the archive and its copies, the backups, updated and expanded exports.

    What there is of it is shown first. Chats that were forked from it keep what they share with it. It cannot be
    brought back. TypingMind is not touched, nor is the inbox, whose files are yours.
    """
    with settings.context() as context:
        erasure = look(context, find_chat(context.archive, chat))
        for line in sentences(erasure):
            settings.say(line)
        known = erasure.chat
        if not confirmed(settings, "Remove all of this for good?", yes, f"memproc erase {known.chat_id}"):
            return
        erase_chat(context, erasure)
        if erasure.copies:
            maintain(context.archive, context.folders.state, at(now()))
    settings.say(f'"{known.title}" is erased.')
    if erasure.in_inbox:
        paths = "\n".join(f"  {path}" for path in erasure.in_inbox)
        settings.say(f"It still lies in the inbox. Remove it there, or the next run takes it in again:\n{paths}")
    for folder in erasure.aside:
        settings.say(f"What an import has put aside may hold it too: {folder}")
    settings.say("TypingMind still has it, and so may exports of your own and files of `memproc export-archive`.")
