"""`memproc logs [CHAT]`: what the daemon did, in sentences, oldest first."""

import time

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.cli.settings import Settings, pass_settings
from daemon.cli.status import place_of
from daemon.status.log import LogEntry, entries, entries_about, log_folder
from daemon.status.sentences import in_full, in_one_line, sentence

_LOOK_SECONDS = 0.5


@click.command
@click.argument("chat", required=False)
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens from now on, until Ctrl-C.")
@pass_settings
def logs(settings: Settings, chat: str | None, follow: bool) -> int:
    """Tell what the daemon did, of all chats or of CHAT (an id or a title), oldest first."""
    place = place_of(settings)
    with Archive.read(place.state) as archive:
        of_chat = entries_about(archive, chat) if chat else None
        titles = {known.chat_id: known.title for known in known_chats(archive)}
    is_empty = True
    try:
        for entry in entries(log_folder(place.state), (lambda: time.sleep(_LOOK_SECONDS)) if follow else None):
            if of_chat is None or of_chat.has(entry.event):
                of_chat = of_chat and of_chat.with_arrival(entry.event)
                is_empty = False
                click.echo(_line(entry, titles))
    except KeyboardInterrupt:
        return 0  # this is how one stops following
    if is_empty:
        settings.say(
            f"The log holds nothing{' about this chat' if chat else ''} yet. The daemon writes it: memproc watch"
        )
    return 0


def _line(entry: LogEntry, titles: dict[str, str]) -> str:
    if entry.event is None:
        return "(a line that this memproc cannot read)"
    return f"{in_full(entry.at)} {in_one_line(sentence(entry.event, titles))}"
