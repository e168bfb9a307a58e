"""Define what the tables of memproc.toml share.

A setting is a row: a field of its table, with its type, its bounds and its default. The docstring
below it is its reason. A setting with a title has a field on the page, under this title; one that
is `gone` is still read.
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
"""The names that lead to a setting; in a list of tables, the entry's number, counted from 0."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem: the keys of its settings, first the one to change, and the reason."""

    keys: tuple[Key, ...]
    reason: str


class WrongSettings(ConfigurationError):
    """Settings of memproc.toml cannot be used; all are named in the message, and in `problems`."""

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
    """Return the row of a setting that is no longer used: it is still read, and has no effect.

    `holds` is a clause that says what applies instead.
    """
    return Field(default=default, exclude=True, deprecated=holds)


def refuse_settings(reasons: Mapping[Key, str]) -> ValidationError:
    """Return an error that refuses several settings of a table, each for its own reason."""
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
    """Dump tables with only those settings that are written in them."""
    if isinstance(tables, dict):
        return {
            name: table.model_dump(mode=info.mode, exclude_unset=True)
            for name, table in tables.items()
        }
    return [table.model_dump(mode=info.mode, exclude_unset=True) for table in tables]


AS_WRITTEN = PlainSerializer(_as_written)
"""Marks a row of several tables, each of which is dumped with only what is written in it."""


def checked(is_right: Callable[[Any], object], reason: str) -> AfterValidator:
    """Return a check of a setting's value; `reason` is a clause that says what it must be."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise ValueError(reason)
        return value

    return AfterValidator(check)


def from_the_file(value: str, info: ValidationInfo) -> str:
    """Resolve a relative path from memproc.toml's folder, which is the validation's context."""
    if not value or info.context is None:
        return value
    base: Path = info.context
    place = resolve_folders(value, base)
    if isinstance(place, Path):
        return str(place)
    raise ValueError(place.reason)
