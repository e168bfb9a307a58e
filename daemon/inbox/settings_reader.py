"""Has memproc.toml read and checked by a short-lived process, since reading it takes more memory than watching."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from daemon.inbox.events import SettingsAre, SettingsWrong, read_event
from daemon.inbox.lines import Garbled, to_line
from daemon.inbox.orders import Settings
from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.start import command

_LIMIT_SECONDS = 60.0
_FOLDERS = ("inbox", "updated", "backups", "state", "config")


def read_settings(config: Path | None, limit_seconds: float = _LIMIT_SECONDS) -> SettingsAre | SettingsWrong:
    """What memproc.toml says, or everything that is wrong with it. `config` is the file of `--config`.

    Waits for the process, which takes about half a second. One that is killed or too slow says nothing of memproc.toml.
    """
    try:
        ended = subprocess.run(  # noqa: S603  our own Python, and a path
            command(config), input=to_line(Settings()), stdout=subprocess.PIPE, timeout=limit_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        told = f"memproc.toml was not read within {limit_seconds:.0f} seconds."
        return SettingsWrong(told, "Look whether its disk answers.", may_pass=True)
    except OSError as fault:
        told = f"The process that reads memproc.toml could not be started: {fault.strerror or fault}."
        return SettingsWrong(told, "Close some programs.", may_pass=True)
    for line in ended.stdout.splitlines():
        try:
            event = read_event(line)
        except Garbled:
            continue
        if isinstance(event, SettingsAre | SettingsWrong):
            return event
    return SettingsWrong(
        f"The process that reads memproc.toml ended with exit code {ended.returncode} and no answer.",
        "Look at what it printed, and install memproc again if that says nothing.",
        may_pass=True,
    )


def watch_plan(settings: SettingsAre) -> WatchPlan:
    """The plan that came over the pipe, with its paths as paths again."""
    plan: Mapping[str, Any] = settings.plan
    return WatchPlan(**{**plan, **{name: Path(plan[name]) for name in _FOLDERS if plan[name] is not None}})
