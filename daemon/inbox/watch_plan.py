"""Read what the daemon needs of memproc.toml.

A child process does it, since that takes more memory than watching.
"""

import os
import subprocess
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from daemon.events import NoEvent, RunDone, RunFailed, parse_event
from daemon.files.reasons import remedy
from rules.errors import ConfigurationError, ConfigurationOutOfReach
from service.command import memproc_argv

_LIMIT_SECONDS = 60.0
_FOLDERS = ("inbox", "updated", "backups", "state")
_AFTER_A_RESTART = {
    "inbox": "folders.inbox",
    "updated": "folders.updated",
    "backups": "folders.backups",
    "state": "folders.state",
    "mode": "watch.mode",
    "subfolders": "watch.subfolders",
    "page_port": "page.port",
}
"""The settings that a running daemon cannot change, since it holds locks and a watch on them."""


@dataclass(frozen=True, slots=True)
class SettingsAre:
    """A valid memproc.toml, as the daemon hands it to its children."""

    plan: dict[str, Any]
    """The fields of WatchPlan, paths as strings."""
    path: str
    """The path of memproc.toml; empty where there is none and the defaults apply."""
    text: str
    """Its content."""
    found_here: bool = False
    """Whether the file was found in the current folder, not named by the person."""


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """The folders of the daemon, how it watches, and when it shows notices."""

    inbox: Path
    updated: Path
    backups: Path
    state: Path
    settle_seconds: float
    """The seconds for which a file must be unchanged before it is taken."""
    mode: str
    """`auto`, `native` or `poll`."""
    subfolders: bool
    night: str
    """The window for postponed work, in local time, such as "02:00-05:00"; empty for none."""
    notify: str
    """`problems`, `all` or `never`."""
    config: Path | None
    """The memproc.toml that this was read from."""
    page_port: int = 0
    """The port of the page on loopback; 0 where there is none."""


def plan_of(settings: SettingsAre) -> WatchPlan:
    """Return the plan in the settings, with Paths in place of strings."""
    paths = {name: Path(settings.plan[name]) for name in _FOLDERS}
    config = Path(settings.path) if settings.path else None
    return WatchPlan(**{**settings.plan, **paths, "config": config})


def needs_restart(before: WatchPlan, after: WatchPlan) -> tuple[str, ...]:
    """Return the dotted keys that have changed and take effect only after a restart."""
    changed = {
        field.name
        for field in fields(WatchPlan)
        if getattr(before, field.name) != getattr(after, field.name)
    }
    return tuple(key for name, key in _AFTER_A_RESTART.items() if name in changed)


def fingerprint(path: Path | None) -> tuple[int, int, int] | None:
    """Return a value that changes when the file is changed or replaced; None for no file."""
    try:
        stat = path.stat() if path else None
    except OSError:
        return None
    return (stat.st_ino, stat.st_size, stat.st_mtime_ns) if stat else None


def read_settings(config: Path | None) -> SettingsAre | RunFailed:
    """Return memproc.toml's settings, or why there are none; `config` is the file of `--config`.

    A child process reads them, which takes about half a second. If it is killed or too slow, that
    says nothing about memproc.toml, so the failure may pass.
    """
    try:
        ended = subprocess.run(  # noqa: S603  our own Python, and a path
            memproc_argv(config, "job", "settings"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        is_slow = isinstance(fault, subprocess.TimeoutExpired)
        reason = f"it took more than {_LIMIT_SECONDS:.0f} seconds" if is_slow else str(fault)
        message = f"memproc.toml could not be read by a process of its own: {reason}."
        step = "Look whether its disk answers, and close some programs."
        return RunFailed(message, step, "passing")
    for line in ended.stdout.splitlines():
        with suppress(NoEvent):
            event, _ = parse_event(line)
            if isinstance(event, RunDone):
                return SettingsAre(**event.settings)
            if isinstance(event, RunFailed):
                return event
    return RunFailed(
        "The process that reads memproc.toml ended with "
        f"exit code {ended.returncode} and no answer.",
        "Look at what it printed, and install memproc again if that says nothing.",
        "passing",
    )


def read_settings_here(given: Path | None) -> RunDone | RunFailed:
    """Read memproc.toml's settings in this process, the child; `given` is `--config`'s file."""
    from daemon.config.loading import load_folders, parse_settings
    from daemon.config.search import find
    from daemon.config.settings import Config

    try:
        file = find(given, Path.cwd(), os.environ)
        content = _content(file.path) if file.path else b""
        config = parse_settings(content, file.path) if file.path else Config()
        plan = {
            **{name: str(folder) for name, folder in asdict(load_folders(config)).items()},
            **config.watch.model_dump(),
            "night": config.schedule.night,
            "notify": config.notify.when,
            "page_port": config.page.port if config.page.enabled else 0,
        }
    except ConfigurationError as wrong:
        may_pass = isinstance(wrong, ConfigurationOutOfReach)
        return RunFailed(wrong.message, wrong.next_step, "passing" if may_pass else "blocked")
    text = content.decode("utf-8-sig")
    settings = SettingsAre(plan, str(file.path or ""), text, file.is_here)
    return RunDone("settings", settings=asdict(settings))


def _content(path: Path) -> bytes:
    """Read the file. Raise ConfigurationError, or ConfigurationOutOfReach where that may pass."""
    try:
        return path.read_bytes()
    except OSError as fault:
        kind = ConfigurationError if path.is_dir() else ConfigurationOutOfReach
        raise kind(
            f"{path} cannot be read: {fault.strerror or fault}.",
            remedy(fault, "Make it readable, or name another with --config."),
        ) from fault
