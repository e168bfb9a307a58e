"""The tables of memproc.toml on folders, texts and outputs, and on what serves them: the daemon, the
page, recall and the bridge.
"""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from daemon.config.tables import Table, checked, from_the_file, refuse_settings
from daemon.files.paths import INBOX, Folders, settle_folders

_NOT_BLANK = checked(str.strip, "must not be empty")
Text = Annotated[str, _NOT_BLANK]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]  # TOML has lists only
_OptionalFolder = Annotated[str, AfterValidator(from_the_file)]
_Folder = Annotated[_OptionalFolder, _NOT_BLANK]

_WINDOW = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")
_ORIGIN = re.compile(r"https?://[^/\s]+")
Origins = Annotated[
    Texts,
    checked(
        lambda origins: all(map(_ORIGIN.fullmatch, origins)),
        'must be addresses without a path, like "https://chat.example.org"',
    ),
]
"""The origins of the pages that a browser may ask from, as it names them."""


class FolderSettings(Table):
    """`[folders]`: paths as text; `daemon.config.loading.load_folders` makes them real."""

    inbox: _Folder = INBOX
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


def _is_window(text: str) -> bool:
    return not text or (_WINDOW.fullmatch(text) is not None and text[:5] != text[6:])


class WatchSettings(Table):
    """`[watch]`: how the inbox is watched, in seconds."""

    settle_seconds: float = Field(default=5, ge=0.5, le=600, allow_inf_nan=False)
    mode: Literal["auto", "native", "poll"] = "auto"
    subfolders: bool = False


class ScheduleSettings(Table):
    """`[schedule]`: the window of the night, in local time."""

    night: Annotated[
        str, checked(_is_window, 'must be empty or two times of day, like "02:00-05:00"')
    ] = "02:00-05:00"


class NotifySettings(Table):
    """`[notify]`: on what the desktop shows a notice."""

    when: Literal["problems", "all", "never"] = "problems"


class PageSettings(Table):
    """`[page]`: the page in the browser, and its port on loopback."""

    enabled: bool = True
    port: int = Field(default=27_183, ge=1024, le=65_535)


class MentionSettings(Table):
    """`[recall]`, as far as chats may differ: whether the opening mentions that it can look up."""

    mention: bool = False


class RecallSettings(MentionSettings):
    """`[recall]`: also whether TypingMind's connector is answered, and the person's hosts.

    And whether the persona may propose passages to keep.
    """

    connector: bool = False
    keep: bool = False
    origins: Origins = ()


class BridgeSettings(Table):
    """`[bridge]`: the person's own TypingMind hosts, paired as TypingMind's own pages are."""

    origins: Origins = ()
