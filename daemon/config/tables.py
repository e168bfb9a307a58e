"""What all tables of memproc.toml have in common; memproc.toml says why each setting is there."""

from collections.abc import Callable, Mapping
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

Key = tuple[str | int, ...]
"""The names that lead to a setting, and in a list of tables the entry's number, counted from 0."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem: the keys of the settings that take part, the one to change first, and what that must be."""

    keys: tuple[Key, ...]
    reason: str


class Table(BaseModel):
    """One table: nothing unknown in it, nothing converted, nothing changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def overridden(self, by: Self) -> Self:
        """This table with every setting that is written in `by`; what `by` leaves out stays as it is here."""
        return self.model_copy(update={name: getattr(by, name) for name in by.model_fields_set})


def refuse_settings(reasons: Mapping[Key, str]) -> ValidationError:
    """The error that a validator raises to refuse several settings below it at once, each for a reason of its own."""
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
    if isinstance(tables, dict):
        return {
            name: table.model_dump(mode=info.mode, exclude_unset=True)
            for name, table in tables.items()
        }
    return [table.model_dump(mode=info.mode, exclude_unset=True) for table in tables]


AS_WRITTEN = PlainSerializer(_as_written)
"""A mark for several tables of one kind: each is written out with no more than what was written in it."""


def checked(is_right: Callable[[Any], object], reason: str) -> AfterValidator:
    """A check of a setting; `reason` is half a sentence, what its value must be."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise ValueError(reason)
        return value

    return AfterValidator(check)


def from_the_file(value: str, info: ValidationInfo) -> str:
    """Relative paths start at the folder of the file, which the reader hands over as context."""
    if not value or info.context is None:
        return value
    base: Path = info.context
    place = resolve_folders(value, base)
    if isinstance(place, Path):
        return str(place)
    raise ValueError(place.reason)
