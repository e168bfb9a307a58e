"""Decides what of all that happens is worth a notice on the desktop, and how it reads."""

from dataclasses import dataclass
from typing import Literal

from daemon.seeing import logged
from daemon.seeing.logged import Logged
from daemon.seeing.sentences import is_problem, sentence
from daemon.seeing.visible import in_one_line

Kind = Literal["problem", "ready", "edits", "begun"]
_WANTED: dict[str, frozenset[Kind]] = {
    "problems": frozenset({"problem", "ready", "edits"}),
    "all": frozenset({"problem", "ready", "edits", "begun"}),
    "never": frozenset(),
}
_TITLES: dict[Kind, str] = {
    "problem": "memproc needs you",
    "ready": "An updated export is ready",
    "edits": "memproc has seen what you changed",
    "begun": "memproc has begun to work",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """What is to be shown; notices of one kind and `cause` are the same thing told again."""

    kind: Kind
    cause: str
    title: str
    text: str


def is_wanted(when: str, kind: Kind) -> bool:
    """Whether `[notify] when` asks for notices of this kind."""
    return kind in _WANTED[when]


def notice_of(event: Logged) -> Notice | None:
    """The notice that an event is worth, or None: most are worth none.

    Chats are told with their file. Of several files with one and the same trouble, which has one remedy,
    one notice is enough.
    """
    match event:
        case logged.ChatIs():
            return None
        case logged.UserEdits(chat_id=chat_id, text=text):
            return _notice("edits", f"{chat_id} {text}", event)
        case logged.FileIs(file=file, state="written"):
            return _notice("ready", file, event)
        case logged.FileIs(file=file, state="working"):
            return _notice("begun", file, event)
        case logged.FileIs(reason=reason, next_step=next_step) if is_problem(event):
            return _notice("problem", next_step or reason, event)
        case logged.Trouble(what=what, next_step=next_step):
            # Without a next step, memproc mends it by itself.
            return _notice("problem", what, event) if next_step else None
        case _:
            return _notice("problem", type(event).__name__, event) if is_problem(event) else None


def _notice(kind: Kind, cause: str, event: Logged) -> Notice:
    return Notice(kind, cause, _TITLES[kind], in_one_line(sentence(event)))
