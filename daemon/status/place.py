"""Finds the daemon's archive and lock by memproc.toml, quickly, and also while memproc.toml is wrong elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from daemon.files.paths import default_state, resolve

RESCAN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class DaemonPlace:
    """Where the archive, the log and the daemon's lock lie, and how often the daemon looks through the inbox."""

    state: Path
    rescan_seconds: float = RESCAN_SECONDS

    @property
    def lock(self) -> Path:
        """Held by the daemon for as long as it lives."""
        return self.state / "daemon.lock"


def read_place(toml: Path) -> DaemonPlace | None:
    """The place that memproc.toml names, whatever its other settings say; None where that much cannot be read."""
    try:
        tables, is_whole = _tables(toml.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    folders, watch = tables.get("folders", {}), tables.get("watch", {})
    # Below the line where it is broken, the state folder may be named after all.
    written = folders.get("state", "" if is_whole else None) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve(written or str(default_state()), toml.parent)
    seconds = watch.get("rescan_seconds") if isinstance(watch, dict) else None
    rescan_seconds = float(seconds) if isinstance(seconds, int | float) else RESCAN_SECONDS
    return DaemonPlace(state, rescan_seconds) if isinstance(state, Path) else None


def _tables(text: str) -> tuple[Mapping[str, Any], bool]:
    """The tables of memproc.toml up to the line where it is broken, and whether they are all of it."""
    try:
        return tomli.loads(text), True
    except tomli.TOMLDecodeError as error:
        return tomli.loads("".join(text.splitlines(keepends=True)[: error.lineno - 1])), False
