"""Define what the tables of memproc.toml share, and the settings that they had once.

A memproc.toml that still names one of these is read all the same. The shipped one gives each
setting's reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    PlainSerializer,
    SerializationInfo,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from daemon.files.paths import resolve_folders
from rules.errors import ConfigurationError

Key = tuple[str | int, ...]
"""The names that lead to a setting, and in a list of tables the entry's number, counted from 0."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem: the keys of the settings that take part, the first to change, and the reason."""

    keys: tuple[Key, ...]
    reason: str


class WrongSettings(ConfigurationError):
    """Settings of memproc.toml cannot be used: all of them are in the message, and as values."""

    def __init__(self, message: str, next_step: str, problems: Sequence[ConfigProblem]) -> None:
        super().__init__(message, next_step)
        self.problems = problems


class Table(BaseModel):
    """One table: it allows no unknown setting, no conversion, and no later change."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def overridden(self, by: Self) -> Self:
        """Return this table with every setting that is written in `by`."""
        return self.model_copy(update={name: getattr(by, name) for name in by.model_fields_set})


@dataclass(frozen=True, slots=True)
class FormerSetting:
    """A setting that is gone: where it was, and its default."""

    table: str
    name: str
    default: object
    holds: str
    """A clause on what holds in its place."""

    @property
    def sentence(self) -> str:
        """Return what is told of it where its value is not the default."""
        return f"{self.holds} now, whatever {self.table}.{self.name} says."


FORMER = (
    FormerSetting("output", "container", "chat", "Each chat has an updated file of its own"),
    FormerSetting("memory", "hindsight_tokens", 8_000, "Hindsight sees 8,000 tokens"),
    FormerSetting("fold", "group", 6, "Six memories become a fold"),
    FormerSetting("fold", "quotes", 8_000, "Quotes of folds shrink beyond 8,000 tokens"),
    FormerSetting("facts", "compare", 40, "A chunk is compared with 40 facts"),
    FormerSetting("watch", "rescan_seconds", 300, "The inbox is rescanned every 300 seconds"),
)


def refuse_settings(reasons: Mapping[Key, str]) -> ValidationError:
    """Return an error that refuses several settings below a validator, each for its own reason."""
    return ValidationError.from_exception_data(
        "refusal",
        [
            InitErrorDetails(
                type=PydanticCustomError("refused", "{reason}", {"reason": reason}),
                loc=place,
                input=None,
            )
            for place, reason in reasons.items()
        ],
    )


def _as_written(tables: Any, info: SerializationInfo) -> Any:
    """Dump tables with only the settings that were written in them."""
    if isinstance(tables, dict):
        return {
            name: table.model_dump(mode=info.mode, exclude_unset=True)
            for name, table in tables.items()
        }
    return [table.model_dump(mode=info.mode, exclude_unset=True) for table in tables]


AS_WRITTEN = PlainSerializer(_as_written)
"""Marks several tables of one kind, to write out each with only what was written in it."""


def checked(is_right: Callable[[Any], object], reason: str) -> AfterValidator:
    """Return a check of a setting; `reason` is half a sentence, what its value must be."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise ValueError(reason)
        return value

    return AfterValidator(check)


def from_the_file(value: str, info: ValidationInfo) -> str:
    """Resolve a relative path from the folder of the file, which the reader passes as context."""
    if not value or info.context is None:
        return value
    base: Path = info.context
    place = resolve_folders(value, base)
    if isinstance(place, Path):
        return str(place)
    raise ValueError(place.reason)


def take_out_former(tables: dict[str, Any]) -> tuple[str, ...]:
    """Take the former settings out of a parsed memproc.toml, and out of its overrides.

    Return a sentence for each that was not at its default: `memproc init` wrote all settings of its
    day into the file, and about those there is nothing to say.
    """
    chats = tables.get("chats")
    overrides = chats.get("override") if isinstance(chats, dict) else None
    places = [tables, *overrides] if isinstance(overrides, list) else [tables]
    sentences: dict[str, None] = {}
    for former in FORMER:
        for place in places:
            table = place.get(former.table) if isinstance(place, dict) else None
            if isinstance(table, dict) and table.pop(former.name, former.default) != former.default:
                sentences[former.sentence] = None
    return tuple(sentences)
