"""Change what a chat keeps in mind, or keep the change for the end of a run, and say which."""

from contextlib import suppress

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.pressed import find_pressed, keep_pressed, pressed_lines
from daemon.chat.changes import CHANGES, ChangeDone
from daemon.cli.settings import Settings
from daemon.files.clock import now
from daemon.files.lock import Busy


def change(settings: Settings, name: str, chat: str, **values: object) -> ChangeDone:
    """Do a change of a chat, or keep it for the end of the run. Raises what refuses it."""
    try:
        with settings.context() as context:
            chat_id = find_chat(context.archive, chat).chat_id
            return CHANGES[name](context, chat_id, **values)
    except Busy as busy:
        with Archive.open(settings.folders.state, zone=settings.config.memory.zone) as archive:
            chat_id = find_chat(archive, chat).chat_id
            number = keep_pressed(archive, name, chat_id, values, now())
        with suppress(Busy), settings.context():
            pass  # the run has ended meanwhile, and this has done what waits
        with settings.archive() as archive:
            kept = find_pressed(archive, number)
        if kept and kept.done_at:
            return ChangeDone(kept.sentence, is_shown_later=False)
        says = f"{busy.message} This waits, and is done when that ends."
        return ChangeDone(says, is_shown_later=False, waits=True)


def tell_presses(settings: Settings, chat_id: str, as_json: bool, *groups: str) -> None:
    """Print which changes of a chat wait for a run, and what became of others; not as JSON."""
    if as_json:
        return
    with settings.archive() as archive:
        for line in pressed_lines(archive, chat_id, *groups):
            settings.say(line)
