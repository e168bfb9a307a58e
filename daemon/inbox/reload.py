"""When memproc.toml has changed while the daemon runs: what counts at once, and what needs a restart."""

from dataclasses import fields
from pathlib import Path

from daemon.inbox.plain_settings import WatchPlan

_AFTER_A_RESTART = {
    "inbox": "folders.inbox",
    "updated": "folders.updated",
    "backups": "folders.backups",
    "state": "folders.state",
    "mode": "watch.mode",
    "subfolders": "watch.subfolders",
}
"""The daemon holds locks and a watch on these, for as long as it lives."""


def needs_restart(before: WatchPlan, after: WatchPlan) -> tuple[str, ...]:
    """The dotted keys that have changed and count after a restart only."""
    changed = {field.name for field in fields(WatchPlan) if getattr(before, field.name) != getattr(after, field.name)}
    return tuple(key for name, key in _AFTER_A_RESTART.items() if name in changed)


def stand_of(path: Path | None) -> tuple[int, int, int] | None:
    """By what a change of the file is noticed: editors often replace it. None where there is none."""
    try:
        found = path.stat() if path else None
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns) if found else None
