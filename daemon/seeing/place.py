"""Finds the daemon's folder quickly, and also while memproc.toml is wrong: then above all one asks for the status."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli

from daemon.paths import default_state, resolve

if TYPE_CHECKING:
    from daemon.cli.settings import Settings

RESCAN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the archive, the log and the daemon's lock lie, and how often the daemon looks through the inbox."""

    state: Path
    rescan_seconds: float = RESCAN_SECONDS

    @property
    def lock(self) -> Path:
        """Held by the daemon for as long as it lives."""
        return self.state / "daemon.lock"


def find_place(settings: "Settings") -> Place:
    """The place that memproc.toml names, read without checking its other settings.

    Raises ConfigurationError where not even that much can be read.
    """
    path = settings.found.path
    if path is None:
        return Place(settings.folders.state)
    try:
        said, whole = _tables(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError):
        return Place(settings.folders.state)  # which tells all that is wrong
    return _place(said, path.parent, whole) or Place(settings.folders.state)


def _tables(text: str) -> tuple[Mapping[str, Any], bool]:
    """What stands in memproc.toml before the line where it is broken, and whether that is all of it."""
    try:
        return tomli.loads(text), True
    except tomli.TOMLDecodeError as error:
        return tomli.loads("".join(text.splitlines(keepends=True)[: error.lineno - 1])), False


def _place(said: Mapping[str, Any], base: Path, whole: bool) -> Place | None:
    """The place, unless the state folder may be named where it cannot be read."""
    folders, watch = said.get("folders", {}), said.get("watch", {})
    written = folders.get("state", "" if whole else None) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve(written or str(default_state()), base)
    seconds = watch.get("rescan_seconds") if isinstance(watch, dict) else None
    often = float(seconds) if isinstance(seconds, int | float) else RESCAN_SECONDS
    return Place(state, often) if isinstance(state, Path) else None
