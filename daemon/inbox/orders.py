"""What the daemon asks of its worker, one order after the other."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.inbox.lines import of_line, of_object


@dataclass(frozen=True, slots=True)
class Use:
    """These are the settings from now on, whatever memproc.toml says meanwhile: the last that were right."""

    path: str
    """Where memproc.toml lies; relative paths in it start at its folder."""
    text: str
    found_here: bool = False
    """Whether nobody has named it: it lay in the current folder."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Read memproc.toml, and answer SettingsAre or SettingsWrong."""


@dataclass(frozen=True, slots=True)
class Work:
    """Take the export of an arrival through the whole trip."""

    arrival: int
    path: str
    """The copy that is worked on."""
    name: str
    """The file as the person knows it."""


@dataclass(frozen=True, slots=True)
class Prune:
    """Remove the kept versions whose time is over."""


@dataclass(frozen=True, slots=True)
class Verify:
    """Read one of so many parts of the backups, counted from 0, and hold it against its hashes."""

    part: int
    parts: int


@dataclass(frozen=True, slots=True)
class Retry:
    """Say which postponed work can be tried again."""

    night: bool
    """Whether this is the nightly window, in which memories that the built-in engine made are asked for too."""


@dataclass(frozen=True, slots=True)
class Maintain:
    """Keep the archive in order, and copy it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """End: the call that is under way is waited for, and nothing new is begun."""


Order = Use | Settings | Work | Prune | Verify | Retry | Maintain | Stop
KINDS: Mapping[str, type[Order]] = {
    kind.__name__: kind for kind in (Use, Settings, Work, Prune, Verify, Retry, Maintain, Stop)
}


def read_order(line: bytes) -> Order:
    """The order in a line. Raises Garbled."""
    return of_object(KINDS, of_line(line))


def in_words(order: Order) -> str:
    """The order as part of a sentence: what the worker does, or was doing."""
    match order:
        case Use() | Settings():
            return "reading memproc.toml"
        case Work():
            return f"working on {order.name}"
        case Prune():
            return "removing old versions from the backups"
        case Verify():
            return "verifying the backups"
        case Retry():
            return "looking for postponed work"
        case Maintain():
            return "keeping the archive in order"
        case Stop():
            return "ending"
