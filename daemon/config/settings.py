"""Every setting, table by table, with its type, its default and its limits; memproc.toml says why."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from daemon.paths import resolve
from rules.plan.chat_plan import Limits

_LITELLM_NAME = re.compile(r"[^\s/]+/\S+")
LEAST_CHUNK = 200
"""Tokens. A memory of fewer is hardly smaller than they are."""
LOOK_AHEAD = 4
"""The live tail is at least this many chunks long, because bounds look that far ahead (D5)."""
_MOST_TOKENS = 10_000_000  # more than any model's window; beyond it a number is a slip of the hand


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


def _litellm_name(value: str) -> str:
    if not _LITELLM_NAME.fullmatch(value):
        raise ValueError('must be a name like "provider/model"')
    return value


_Text = Annotated[str, AfterValidator(_not_blank)]
_OptionalFolder = Annotated[str, AfterValidator(_from_the_file)]
_Folder = Annotated[_OptionalFolder, AfterValidator(_not_blank)]
_Model = Annotated[str, AfterValidator(_litellm_name)]
_Texts = Annotated[tuple[_Text, ...], Field(strict=False)]  # TOML has lists only


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FolderSettings(_Table):
    """`[folders]`: paths as text; `daemon.config.folders` makes them real (D2)."""

    inbox: _Folder = "~/memproc/inbox"
    updated: _Folder = "~/memproc/updated"
    backups: _Folder = "~/memproc/backups"
    state: _OptionalFolder = ""


class ChatSettings(_Table):
    """`[chats]`: titles with wildcards, chat ids or folder ids."""

    include: _Texts = ()
    exclude: _Texts = ()


class ModelSettings(_Table):
    """`[models]`: who takes the two roles, as LiteLLM names (D17, requirement 4)."""

    agent: _Model = "memproc/extractive"
    context_manager: _Model = "memproc/extractive"


class TailSettings(_Table):
    """`[tail]`: tokens that stay word for word, and tokens between two moves (D6)."""

    tokens: int = Field(default=30_000, ge=LOOK_AHEAD * LEAST_CHUNK, le=_MOST_TOKENS)
    step: int = Field(default=8_000, ge=0, le=_MOST_TOKENS)


class ChunkSettings(_Table):
    """`[chunk]`: about how many tokens become one memory (D5)."""

    tokens: int = Field(default=4_000, ge=LEAST_CHUNK, le=_MOST_TOKENS)


class TextSettings(_Table):
    """`[texts]`: a folder with replacements for the primer and the questions; empty: the shipped ones."""

    folder: _OptionalFolder = ""

    @property
    def path(self) -> Path | None:
        """The folder, or None for memproc's own texts."""
        return Path(self.folder) if self.folder else None


class OutputSettings(_Table):
    """`[output]`: whether an updated file holds one chat or the whole export (D3)."""

    container: Literal["chat", "export"] = "chat"


class Config(_Table):
    """All of memproc.toml. `Config()` is what counts where there is no file."""

    folders: FolderSettings = FolderSettings()
    chats: ChatSettings = ChatSettings()
    models: ModelSettings = ModelSettings()
    tail: TailSettings = TailSettings()
    chunk: ChunkSettings = ChunkSettings()
    texts: TextSettings = TextSettings()
    output: OutputSettings = OutputSettings()

    @property
    def limits(self) -> Limits:
        """The numbers that the rules obey."""
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens)
