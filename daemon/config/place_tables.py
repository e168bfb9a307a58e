"""The tables of memproc.toml on folders, texts and outputs."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    ValidationInfo,
    model_validator,
)

from daemon.config.tables import Table, checked, from_the_file, refuse_settings
from daemon.files.paths import Folders, settle_folders

_NOT_BLANK = checked(str.strip, "must not be empty")
Text = Annotated[str, _NOT_BLANK]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]  # TOML has lists only
_OptionalFolder = Annotated[str, AfterValidator(from_the_file)]
_Folder = Annotated[_OptionalFolder, _NOT_BLANK]


class FolderSettings(Table):
    """`[folders]`: paths as text; `daemon.config.loading.load_folders` makes them real."""

    inbox: _Folder = "~/memproc/inbox"
    updated: _Folder = "~/memproc/updated"
    backups: _Folder = "~/memproc/backups"
    state: _OptionalFolder = ""

    @model_validator(mode="after")
    def _is_settled(self, info: ValidationInfo) -> Self:
        """Check that the folders of a file fit each other; defaults are checked on their use."""
        settled = None if info.context is None else settle_folders(self.model_dump())
        if settled and not isinstance(settled, Folders):
            raise refuse_settings({(refused.names[0],): refused.reason for refused in settled})
        return self


class TextSettings(Table):
    """`[texts]`: a folder with replacements for the primer and the questions; empty for none."""

    folder: _OptionalFolder = ""

    @property
    def path(self) -> Path | None:
        """Return the folder, or None for memproc's own texts."""
        return Path(self.folder) if self.folder else None


class OutputSettings(Table):
    """`[output]`: how memories are put back."""

    mode: Literal["replace", "new-chat", "keep-originals"] = "replace"
