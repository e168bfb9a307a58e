"""What the checks look at: the computer with its installation, and the house that memproc.toml describes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from daemon.config import Config
from daemon.models.roles import FindKey
from daemon.paths import Folders
from service.ask import NoBus
from service.standing import Standing


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer, the account and the installation. No check of it needs memproc.toml."""

    now: datetime
    system: str
    """As `sys.platform` names it."""
    user: int
    """The account's number; 0 where accounts have none."""
    home: Path
    python: tuple[int, ...]
    sqlite: tuple[int, ...]
    litellm: str
    """The version that is installed; empty where none is."""
    site_packages: tuple[Path, ...]
    """The folders that Python loads packages from, and runs `.pth` files of at every start."""
    tokenizers: Path
    """The folder in which tiktoken looks for its tables."""
    proc: Path
    """Where Linux shows its processes and limits."""
    service: Standing | NoBus
    lingers: bool | None
    """Whether the account's services run while nobody is logged in; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Place:
    """The house: settings, folders and keys, on its machine."""

    machine: Machine
    config: Config
    folders: Folders
    key: FindKey
    credentials: Path
    """The folder whose files systemd hands to the service, one key each."""
    lock: Path
    """Held by the daemon for as long as it lives."""
    free: Callable[[Path], int]
    """Bytes that are free on the disk of a folder."""
    thorough: bool
    """Whether everything that is kept is to be read, however long that takes."""
