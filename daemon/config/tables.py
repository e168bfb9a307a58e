"""Define what the tables of memproc.toml share.

A setting is one row: a field of its table, with its type, its bounds and its default. The words below
it are its reason. One that has a title is asked for by the page, under this title; one that is `gone`
is still read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
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
        written = {name: value for name, value in by if name in by.model_fields_set}
        return self.model_copy(update=written)


def gone(default: object, holds: str) -> Any:
    """Return the row of a setting that is gone: it is still read, and does nothing.

    `holds` is a clause on what holds in its place.
    """
    return Field(default=default, exclude=True, deprecated=holds)


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
