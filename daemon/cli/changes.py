"""Change what a chat keeps in mind, or keep the change for the end of a run, and say which."""

from contextlib import suppress
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.pressed import find_pressed, keep_pressed, pressed_lines
from daemon.chat.changes import CHANGES
from daemon.cli.settings import Settings
from daemon.files.clock import now
from daemon.files.lock import Busy
from rules.wording import TO_SEE_IT


@dataclass(frozen=True, slots=True)
class Answer:
    """What is told of a change: that it is done, or that it waits."""

    says: str
    to_see_it: str = ""
    """How the person sees it."""
    waits: bool = False

    @property
    def text(self) -> str:
        """Return both, for a terminal."""
        return f"{self.says}\n{self.to_see_it}".rstrip()


def change(settings: Settings, name: str, chat: str, **values: object) -> Answer:
    """Do a change of a chat, or keep it for the end of the run. Raises what refuses it."""
    try:
        with settings.context() as context:
            chat_id = find_chat(context.archive, chat).chat_id
            changed = CHANGES[name](context, chat_id, **values)
        return Answer(changed.says, TO_SEE_IT if changed.is_shown_later else "")
    except Busy as busy:
        with Archive.open(settings.folders.state, zone=settings.config.memory.zone) as archive:
            chat_id = find_chat(archive, chat).chat_id
            number = keep_pressed(archive, name, chat_id, values, now())
        with suppress(Busy), settings.context():
            pass  # the run has ended meanwhile, and this has done what waits
        with settings.archive() as archive:
            kept = find_pressed(archive, number)
        if kept and kept.done_at:
            return Answer(kept.sentence)
        return Answer(f"{busy.message} This waits, and is done when that ends.", waits=True)


def tell_presses(settings: Settings, chat_id: str, as_json: bool, *groups: str) -> None:
    """Print which changes of a chat wait for a run, and what became of others; not as JSON."""
    if as_json:
        return
    with settings.archive() as archive:
        for line in pressed_lines(archive, chat_id, *groups):
            settings.say(line)
