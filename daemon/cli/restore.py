"""`memproc restore CHAT VERSION`: put a kept version back; the difference is shown first."""

import click

from daemon.archive.chats import find_chat
from daemon.cli.settings import Settings, pass_settings
from daemon.house import tell_nobody
from daemon.restore import find_version, updated_path
from daemon.restore import restore as put_back
from rules.output.difference import Difference, difference


@click.command
@click.argument("chat")
@click.argument("version", type=int)
@click.option("--yes", is_flag=True, help="Do it; without this, only the difference is shown.")
@pass_settings
def restore(settings: Settings, chat: str, version: int, yes: bool) -> int:
    """Put VERSION (a number from `memproc versions`) of CHAT in the place of its updated export.

    The present file is kept as a version first. Without --yes only the difference is shown.
    """
    with settings.house(tell_nobody) as house:
        known = find_chat(house.archive, chat)
        wanted = find_version(settings.folders, known, version, updated_path(house, known))
        for line in _told(difference(wanted.now, wanted.content)):
            settings.say(line)
        if not yes:
            settings.say(f"Nothing was changed. To do it: memproc restore {known.chat_id} {version} --yes")
            return 0
        put_back(house, known, wanted)
    settings.say(f"Restored. Import this file into TypingMind: {wanted.path}")
    return 0


def _told(found: Difference) -> list[str]:
    return [
        f"now:  {found.now} messages, {found.memories_now} memories",
        f"then: {found.then} messages, {found.memories_then} memories",
        f"{found.come_back} messages come back, {found.go} go",
    ]
