"""`memproc restore CHAT VERSION`: put a kept version back; the difference is shown first."""

import click

from daemon.archive.chats import KnownChat, find_chat
from daemon.cli.diff import counts, print_lines
from daemon.cli.settings import Settings, pass_settings
from daemon.context import Context
from daemon.events import tell_nobody
from daemon.recovery.compare import Content, compare
from daemon.recovery.restore import Restorable, find_version, restorable
from daemon.recovery.restore import restore as put_back
from rules.errors import NotAnExport
from rules.output.readable import readable


@click.command
@click.argument("chat")
@click.argument("version", type=int)
@click.option("--yes", is_flag=True, help="Do it; without this, only the difference is shown.")
@pass_settings
def restore(settings: Settings, chat: str, version: int, yes: bool) -> int:
    """Put VERSION (a number from `memproc versions`) of CHAT in the place of its updated export.

    The present file is kept as a version first. Without --yes only the difference is shown.
    """
    with settings.context(tell_nobody) as context:
        known = find_chat(context.archive, chat)
        kept = find_version(context.folders, known, version)
        wanted = restorable(context.archive, context.folders, known, kept)
        _show_difference(settings, context, known, wanted)
        if not yes:
            settings.say(f"Nothing was changed. To do it: memproc restore {known.chat_id} {version} --yes")
            return 0
        put_back(context, known, wanted)
    settings.say(f"Restored. Import this file into TypingMind: {wanted.path}")
    if wanted.now is not None and wanted.now != wanted.content:
        settings.say("To talk on from there, fork it in TypingMind and export the fork: it lacks what came after.")
    return 0


def _show_difference(settings: Settings, context: Context, known: KnownChat, wanted: Restorable) -> None:
    """From the present file to the version. One that is no export any more can be replaced all the same."""
    if settings.quiet:
        return
    if wanted.now is None:
        settings.say(f"There is no {wanted.path} now.")
        return
    then = Content(f"version {wanted.version.number}", wanted.content)
    try:
        there = Content(wanted.path.name, wanted.now)
        found, memories = compare(context.archive, context.config, known.chat_id, there, then)
    except NotAnExport as spoilt:
        settings.say(f"What stands there now cannot be compared: {spoilt.message}")
        return
    print_lines(counts(found, "now", "then"))
    print_lines(readable(found, memories))
    if found.is_empty:
        settings.say("They say the same.")
