"""What a check has found: how well it is, in words, and what mends it."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`name` is what was looked at, `told` what was seen, `mend` the one command or action that helps."""

    name: str
    level: Level
    told: str
    mend: str = ""


def ok(name: str, told: str) -> Finding:
    """All is well with it."""
    return Finding(name, "ok", told)


def warning(name: str, told: str, mend: str) -> Finding:
    """It works, but not as well as it could, or not for long."""
    return Finding(name, "warning", told, mend)


def error(name: str, told: str, mend: str) -> Finding:
    """It does not work, or something may be lost."""
    return Finding(name, "error", told, mend)
