"""What can stand in the log. No message text and no key is in any of it; a chat is named by its id alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.seeing.titles import Titled, without_titles


@dataclass(frozen=True, slots=True)
class Started:
    """The daemon is up."""

    version: str
    pid: int
    inbox: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The daemon ends; `reason` is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Watching:
    """How the inbox is watched from now on; `mode` is `native`, `poll` or `none`, `why` a sentence."""

    mode: str
    why: str


@dataclass(frozen=True, slots=True)
class FileIs:
    """A file of the inbox has come into another state."""

    arrival: int
    file: str
    """The file's name, without its folder."""
    state: str
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins."""

    arrival: int
    chat_id: str
    chunks: int
    calls: int


@dataclass(frozen=True, slots=True)
class UserEdits:
    """What the person has done to a chat in TypingMind, in numbers."""

    arrival: int
    chat_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A model has answered; its answer is in the journal, and not here."""

    arrival: int
    chat_id: str
    step: str
    model: str
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Remembered:
    """One more chunk has become a memory: `done` of `of`."""

    arrival: int
    chat_id: str
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class ChatIs:
    """What became of a chat; make it with `chat_is`, which leaves the title out."""

    arrival: int
    file: str
    chat_id: str
    """Empty where the id is not known."""
    kind: str
    """`written`, `left alone` or `set aside`."""
    detail: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A timed job is done; `error` is empty where it went well."""

    name: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Paused:
    """The daemon was told to take up no work until `until`; empty: until it is told to go on."""

    until: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """The daemon goes on."""


@dataclass(frozen=True, slots=True)
class SettingsRead:
    """memproc.toml was read again, and counts; after a restart only where `restart` names keys that need one."""

    restart: str = ""


@dataclass(frozen=True, slots=True)
class SettingsRefused:
    """memproc.toml is wrong, so the settings before it still count."""

    reason: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something else went wrong: the watch, the archive, the worker's process; `what` is a name for it."""

    what: str
    reason: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """Something worth knowing that is no trouble."""

    text: str


Logged = (
    Started | Stopped | Watching | FileIs | Planned | UserEdits | Answered | Remembered | ChatIs
    | JobEnded | Paused | Resumed | SettingsRead | SettingsRefused | Trouble | Said
)  # fmt: skip
KINDS: Mapping[str, type[Logged]] = {
    kind.__name__: kind
    for kind in (
        Started, Stopped, Watching, FileIs, Planned, UserEdits, Answered, Remembered, ChatIs,
        JobEnded, Paused, Resumed, SettingsRead, SettingsRefused, Trouble, Said,
    )
}  # fmt: skip


def chat_is(
    arrival: int, file: str, chat_id: str, title: str, kind: str, detail: str = "", next_step: str = ""
) -> ChatIs:
    """What became of a chat, with the title taken out of both sentences: a title can be as private as a message."""
    said = (without_titles(text, [Titled(title, chat_id)]) for text in (detail, next_step))
    return ChatIs(arrival, file, chat_id, kind, *said)
