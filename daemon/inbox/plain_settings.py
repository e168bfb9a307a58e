"""What the daemon itself needs of memproc.toml, as plain values: reading the file takes more memory than watching."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """Where the daemon works, how it watches, and when it speaks."""

    inbox: Path
    updated: Path
    backups: Path
    state: Path
    settle_seconds: float
    """How long a file must have stood still before it is taken."""
    rescan_seconds: float
    """How often the whole inbox is looked through, whatever events say."""
    mode: str
    """`auto`, `native` or `poll`."""
    subfolders: bool
    night: str
    """The window for postponed work, in local time, as "02:00-05:00"; empty for none."""
    notify: str
    """`problems`, `all` or `never`."""
    config: Path | None
    """The memproc.toml that this was read from."""
