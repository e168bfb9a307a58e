"""`[chats]`: which chats count, and what is set for some of them alone."""

from typing import Annotated, Any

from pydantic import Field, SerializationInfo, field_serializer

from daemon.config.amounts import ChunkSettings, TailSettings
from daemon.config.layers import CoreSettings, FactSettings
from daemon.config.lines import Key
from daemon.config.memories import FoldSettings, MemorySettings
from daemon.config.models import ModelSettings
from daemon.config.tables import Table, Text, Texts, TextSettings


class ChatOverride(Table):
    """One `[[chats.override]]`: settings for the chats that `chat` fits. Only what is written in it counts."""

    chat: Text = ""  # that it is missing is told with the clashes, when the rest of it has been looked at
    models: ModelSettings = ModelSettings()
    tail: TailSettings = TailSettings()
    chunk: ChunkSettings = ChunkSettings()
    memory: MemorySettings = MemorySettings()
    fold: FoldSettings = FoldSettings()
    core: CoreSettings = CoreSettings()
    facts: FactSettings = FactSettings()
    texts: TextSettings = TextSettings()

    def says(self, key: Key) -> bool:
        """Whether the setting at `key`, a table and a name, is written in this override."""
        table, name = key
        return name in getattr(self, str(table)).model_fields_set


class ChatSettings(Table):
    """`[chats]`: titles with wildcards, chat ids or folder ids, and overrides in the order of the file."""

    include: Texts = ()
    exclude: Texts = ()
    override: Annotated[tuple[ChatOverride, ...], Field(strict=False)] = ()

    @field_serializer("override")
    def _as_written(self, overrides: tuple[ChatOverride, ...], info: SerializationInfo) -> list[dict[str, Any]]:
        return [override.model_dump(mode=info.mode, exclude_unset=True) for override in overrides]
