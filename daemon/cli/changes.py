"""Change what a chat keeps in mind, or keep the change for the end of a run, and say which."""

from collections.abc import Mapping
from contextlib import suppress

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.pressed import find_pressed, keep_pressed, pressed_lines
from daemon.chat.changes import CHANGES, ChangeDone
from daemon.cli.settings import Settings
from daemon.files.clock import now
from daemon.files.lock import Busy
from daemon.reports.report import TO_SEE_IT


def change(settings: Settings, name: str, chat: str, **values: object) -> None:
    """Do a change of a chat, and tell it; or keep it for the end of the run that works just now.

    Raises what refuses it.
    """
    change = _changed(settings, name, chat, values)
    see_it = TO_SEE_IT if change.is_shown_later else None
    settings.done(change.says, next=(see_it,), waits=change.waits)


def _changed(settings: Settings, name: str, chat: str, values: Mapping[str, object]) -> ChangeDone:
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


def tell_presses(settings: Settings, chat_id: str, *groups: str) -> None:
    """Tell which changes of a chat wait for a run, and what became of others."""
    with settings.archive() as archive:
        for line in pressed_lines(archive, chat_id, *groups):
            settings.say(line)
