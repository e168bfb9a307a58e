"""The small tables of memproc.toml, and what all tables have in common; memproc.toml says why each setting is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from daemon.config.lines import Key
from daemon.paths import resolve


@dataclass(frozen=True, slots=True)
class Clash:
    """Settings that do not agree: their keys, the one to change first, and what it must be."""

    keys: tuple[Key, ...]
    reason: str


class Table(BaseModel):
    """One table: nothing unknown in it, nothing converted, nothing changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def overridden(self, by: Self) -> Self:
        """This table with every setting that is written in `by`; what `by` leaves out stays as it is here."""
        return self.model_copy(update={name: getattr(by, name) for name in by.model_fields_set})


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def _from_the_file(value: str, info: ValidationInfo) -> str:
    """Relative paths start at the folder of the file, which the reader hands over as context."""
    if not value or info.context is None:
        return value
    base: Path = info.context
    place = resolve(value, base)
    if isinstance(place, Path):
        return str(place)
    raise ValueError(place.reason)


Text = Annotated[str, AfterValidator(_not_blank)]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]  # TOML has lists only
_OptionalFolder = Annotated[str, AfterValidator(_from_the_file)]
_Folder = Annotated[_OptionalFolder, AfterValidator(_not_blank)]


class FolderSettings(Table):
    """`[folders]`: paths as text; `daemon.config.folders` makes them real."""

    inbox: _Folder = "~/memproc/inbox"
    updated: _Folder = "~/memproc/updated"
    backups: _Folder = "~/memproc/backups"
    state: _OptionalFolder = ""


class TextSettings(Table):
    """`[texts]`: a folder with replacements for the primer and the questions; empty: the shipped ones."""

    folder: _OptionalFolder = ""

    @property
    def path(self) -> Path | None:
        """The folder, or None for memproc's own texts."""
        return Path(self.folder) if self.folder else None


class OutputSettings(Table):
    """`[output]`: how memories are put back, and whether a file holds one chat or the whole export."""

    mode: Literal["replace", "new-chat", "keep-originals"] = "replace"
    container: Literal["chat", "export"] = "chat"
