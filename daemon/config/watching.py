"""The tables of the daemon: how it watches, when it does postponed work, and when it speaks."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from daemon.config.tables import Table

_WINDOW = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")


def _window(value: str) -> str:
    if value and (not _WINDOW.fullmatch(value) or value[:5] == value[6:]):
        raise ValueError('must be empty or two times of day, like "02:00-05:00"')
    return value


class WatchSettings(Table):
    """`[watch]`: how the inbox is watched, in seconds."""

    settle_seconds: float = Field(default=5, ge=0.5, le=600, allow_inf_nan=False)
    rescan_seconds: float = Field(default=300, ge=5, le=86_400, allow_inf_nan=False)
    mode: Literal["auto", "native", "poll"] = "auto"
    subfolders: bool = False


class ScheduleSettings(Table):
    """`[schedule]`: the window of the night, in local time."""

    night: Annotated[str, AfterValidator(_window)] = "02:00-05:00"


class NotifySettings(Table):
    """`[notify]`: on what the desktop shows a notice."""

    when: Literal["problems", "all", "never"] = "problems"
