"""Which settings count for the worker: those that the daemon has handed over, else what memproc.toml says now."""

import os
from dataclasses import dataclass
from pathlib import Path

from daemon.config import Config, find, folders, parse
from daemon.files.paths import Folders
from daemon.files.write import remedy
from daemon.inbox.events import SettingsAre
from daemon.inbox.orders import Use
from rules.errors import ConfigurationError, ConfigurationOutOfReach


@dataclass(frozen=True, slots=True)
class Settled:
    """Settings that are right in every point, and where they come from."""

    config: Config
    folders: Folders
    path: Path | None
    """memproc.toml; None where there is none and the defaults count."""
    text: str
    found_here: bool = False
    """Whether nobody has named it: it lay in the current folder."""


def read(given: Path | None) -> Settled:
    """The settings in the memproc.toml that counts, which may be `given` by `--config`.

    Raises ConfigurationError with all that is wrong; ConfigurationOutOfReach where it cannot be read now.
    """
    found = find(given, Path.cwd(), os.environ)
    path = found.path
    if path is None:
        return _settled(None, b"")
    try:
        content = path.read_bytes()
    except OSError as fault:
        kind = ConfigurationError if path.is_dir() else ConfigurationOutOfReach
        raise kind(
            f"{path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Make it readable, or name another with --config."),
        ) from fault
    return _settled(path, content, found.is_here)


def handed_over(use: Use) -> Settled:
    """The settings that the daemon has, which were right when it got them."""
    return _settled(Path(use.path) if use.path else None, use.text.encode(), use.found_here)


def for_daemon(settled: Settled) -> SettingsAre:
    """What the daemon needs of the settings, as plain values; `plain_settings.WatchPlan` has these names."""
    places, watch = settled.folders, settled.config.watch
    path = str(settled.path) if settled.path else None
    plan = {
        "inbox": str(places.inbox),
        "updated": str(places.updated),
        "backups": str(places.backups),
        "state": str(places.state),
        "settle_seconds": watch.settle_seconds,
        "rescan_seconds": watch.rescan_seconds,
        "mode": watch.mode,
        "subfolders": watch.subfolders,
        "night": settled.config.schedule.night,
        "notify": settled.config.notify.when,
        "config": path,
    }
    return SettingsAre(plan, path or "", settled.text, settled.found_here)


def _settled(path: Path | None, content: bytes, found_here: bool = False) -> Settled:
    config = parse(content, path) if path else Config()
    if found_here:
        config = config.as_found_here()
    return Settled(config, folders(config), path, content.decode("utf-8-sig"), found_here)
