"""`memproc rebuild`: have a lost archive back from the backups and the updated exports."""

from dataclasses import asdict
from pathlib import Path

import click

from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.events import tell_nobody
from daemon.recovery.rebuild import Rebuilt, RebuiltChat
from daemon.recovery.rebuild import rebuild as have_back
from daemon.status.sentences import printable_json, visible


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def rebuild(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Add to the archive what it lacks and the backups and updated exports still hold. No model is asked.

    PATHS are exports, or folders of them, that you still have: raw messages that stand in no backup may be there.
    What the archive knows stays as it is, so this can be run at any time.
    """
    with settings.context(tell_nobody) as context:
        found = have_back(context, paths)
    if as_json:
        click.echo(printable_json(asdict(found)))
    else:
        for line in _told(found):
            settings.say(line)
    for one in () if as_json else found.passed_over:
        click.echo(visible(f"Passed over {one.path}: {one.reason}"), err=True)
    return 1 if found.passed_over else 0


def _told(found: Rebuilt) -> list[str]:
    if not found.chats and found.passed_over:
        return ["Nothing was added."]
    if not found.chats:
        return ["Nothing was added: the archive has all that the backups and the updated exports hold."]
    return [line for chat in found.chats for line in _told_of(chat)]


def _told_of(chat: RebuiltChat) -> list[str]:
    with_them = chat.memories - chat.without_messages
    lines = [
        f'"{chat.title}" ({chat.chat_id}): {chat.messages:,} raw messages, {with_them:,} memories with the raw '
        f"messages that they stand for, {chat.without_messages:,} without."
    ]
    if chat.found_again:
        lines.append(f"  {chat.found_again:,} memories have their raw messages again.")
    if chat.without_messages:
        lines.append("  Those without stay as they are. Older exports that you have may help: memproc rebuild PATH")
    return lines
