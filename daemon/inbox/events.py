"""What the worker tells the daemon while it goes about an order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from daemon.inbox.lines import of_line, of_object


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has started, and waits for orders."""

    pid: int


@dataclass(frozen=True, slots=True)
class Begun:
    """The order was taken up; an order that was not can be given to another worker without harm."""

    order: str


@dataclass(frozen=True, slots=True)
class SettingsAre:
    """memproc.toml is right. `plan` holds the fields of WatchPlan, paths as texts."""

    plan: dict[str, Any]
    path: str
    """Where memproc.toml lies, for `orders.Use`."""
    text: str
    """All of it; empty where there is no file and the defaults count."""
    found_here: bool = False
    """Whether nobody has named the file: it lay in the current folder."""


@dataclass(frozen=True, slots=True)
class SettingsWrong:
    """memproc.toml cannot be used; `message` holds all its problems."""

    message: str
    next_step: str
    may_pass: bool = False
    """It could not be read now, whatever stands in it; another time it may be."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins."""

    arrival: int
    chat_id: str
    title: str
    chunks: int
    calls: int


@dataclass(frozen=True, slots=True)
class UserEdits:
    """What the person has done to a chat in TypingMind, in numbers."""

    arrival: int
    chat_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A model was asked just now, and its answer is in the journal."""

    arrival: int
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
    title: str
    number: int
    done: int
    of: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """So many requests went together as a batch, and its end is waited for."""

    arrival: int
    requests: int


@dataclass(frozen=True, slots=True)
class OutcomeOf:
    """What became of a chat, or of a file that holds none."""

    arrival: int
    chat_id: str
    """Empty for a file, and for a chat without one."""
    title: str
    """The chat's, or the file's name."""
    kind: Literal["written", "left alone", "set aside"]
    detail: str
    next_step: str
    path: str
    """Of the updated export; empty where none was written."""
    later: bool = False
    """Set aside for something that may pass: a full disk, a provider out of reach."""


@dataclass(frozen=True, slots=True)
class Alive:
    """A sign of life before something that may take long: a call, or a pause."""

    silence: float
    """How many seconds may pass at most before the next sign."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What came of an order that is no work on a file, as plain values under the names of its result."""

    order: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """The order is carried out."""

    order: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The order could not be carried out."""

    order: str
    message: str
    next_step: str
    fatal: bool
    """Whether nothing else can go on either, until the person has done the next step."""
    until: str = ""
    """When it goes on by itself (UTC), where that is known: a cap of the budget turns."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The order was left in the middle because the worker was told to end. What is finished is kept."""

    order: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the person should know."""

    text: str


Event = (
    Ready | Begun | SettingsAre | SettingsWrong | Planned | UserEdits | Answered | Remembered | Waiting
    | OutcomeOf | Alive | Reported | Done | Failed | Stopped | Notice
)  # fmt: skip
KINDS: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Ready, Begun, SettingsAre, SettingsWrong, Planned, UserEdits, Answered, Remembered, Waiting,
        OutcomeOf, Alive, Reported, Done, Failed, Stopped, Notice,
    )
}  # fmt: skip


def read_event(line: bytes) -> Event:
    """The event in a line. Raises Garbled."""
    return event_of(of_line(line))


def event_of(found: Mapping[str, Any]) -> Event:
    """The event that an object says, as a WorkerSaid holds it. Raises Garbled."""
    return of_object(KINDS, found)
