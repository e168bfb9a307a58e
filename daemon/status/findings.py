"""What checks of `memproc doctor` take, a machine or a setup, and the findings that they yield."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from daemon.archive.archive import Archive
from daemon.config.keys import FindKey
from daemon.config.settings import Config
from daemon.files.paths import Folders
from service.unit import ServiceState

Level = Literal["error", "warning", "ok"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels of findings, the worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`name` is what was checked, `text` what was found, `remedy` the one step that helps."""

    name: str
    level: Level
    text: str
    remedy: str = ""


def ok(name: str, text: str) -> Finding:
    """Return a finding that something is in order."""
    return Finding(name, "ok", text)


def warning(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that something works, but not as well as it could, or not for long."""
    return Finding(name, "warning", text, remedy)


def error(name: str, text: str, remedy: str) -> Finding:
    """Return a finding that something does not work, or that data may be lost."""
    return Finding(name, "error", text, remedy)


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer, the account and the installation. No check of it needs memproc.toml."""

    now: datetime
    system: str
    """The system as `sys.platform` names it."""
    user: int
    """The account's number; 0 where accounts have none."""
    litellm: str
    """The installed version; empty where it is not installed."""
    untested: tuple[str, ...]
    """The packages whose version is not one that memproc was tested with."""
    tokenizers: Path
    """The folder in which tiktoken looks for its tables."""
    service: ServiceState


@dataclass(frozen=True, slots=True)
class Setup:
    """The setup that memproc.toml describes: settings, folders and keys, on their machine."""

    machine: Machine
    toml: Path | None
    """memproc.toml; None where the defaults apply."""
    config: Config
    folders: Folders
    key: FindKey
    credentials: Path
    """The folder whose files systemd hands to the service, one key each."""
    free: Callable[[Path], int]
    """Returns the free bytes on the disk of a folder."""
    is_thorough: bool
    """Whether to read everything that is kept, however long that takes."""

    def archive(self) -> Archive:
        """Open the archive for reading; an empty one where there is none yet."""
        return Archive.read(self.folders.state, zone=self.config.memory.zone)

    @property
    def present_folders(self) -> dict[str, Path]:
        """Return the folders that exist, by name."""
        return {name: path for name, path in asdict(self.folders).items() if path.is_dir()}
