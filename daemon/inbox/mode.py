"""Decides how the inbox is watched: by the system's events, by polling, or by rescans alone; and says why."""

import errno
from dataclasses import dataclass

from daemon.inbox.filesystem import without_events

FAILURES = 3
"""So many silent watches in a row, and events are given up in favour of polling."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How the inbox is watched, for `memproc status`."""

    used: str
    """`native`, `poll`, or `none`: then only the rescans find files."""
    why: str


def decide(wanted: str, kind: str, failures: int) -> Mode:
    """How to watch, where memproc.toml says `wanted` (`auto`, `native`, `poll`) and the inbox lies on `kind`.

    `failures` counts the watches by events that have fallen silent one after the other.
    """
    if wanted == "poll":
        return Mode("poll", "memproc.toml asks for polling.")
    if wanted == "native":
        return Mode("native", "memproc.toml asks for the system's events.")
    if without_events(kind):
        return Mode("poll", f"The inbox lies on a file system ({kind}) that does not report every change.")
    if failures >= FAILURES:
        return Mode("poll", f"The system's events stopped coming, {failures} times in a row.")
    return Mode("native", "The system reports changes as they happen.")


def without_native(wanted: str, error: OSError) -> Mode:
    """What remains where the system refuses to watch: polling, or, where events alone are wanted, the rescans."""
    used = "none" if wanted == "native" else "poll"
    if error.errno == errno.EMFILE:
        return Mode(used, f"No inotify instance is left for this account. {_sysctl('max_user_instances', 512)}")
    if error.errno == errno.ENOSPC:
        return Mode(used, f"No inotify watch is left for this account. {_sysctl('max_user_watches', 524288)}")
    return Mode(used, f"The system does not watch the inbox: {error.strerror or error}.")


def _sysctl(name: str, value: int) -> str:
    return f"More are had with `sudo sysctl fs.inotify.{name}={value}`."
