"""All of memproc.toml as one value, and `[chats]`: which chats count, and what is set for some of them alone."""

from typing import Annotated, Self

from pydantic import Field

from daemon.config.providers import BudgetSettings, ModelSettings
from daemon.config.tables import (
    AS_WRITTEN,
    ChunkSettings,
    CoreSettings,
    FactSettings,
    FolderSettings,
    FoldSettings,
    MemorySettings,
    NotifySettings,
    OutputSettings,
    ScheduleSettings,
    Table,
    TailSettings,
    Text,
    Texts,
    TextSettings,
    WatchSettings,
    token_clashes,
)
from daemon.config.toml_text import Key
from rules.errors import ChatSetAside
from rules.plan.chat_plan import Limits, fits
from rules.plan.folds import Bounds
from rules.typingmind.chat import Chat


class ChatOverride(Table):
    """One `[[chats.override]]`: settings for the chats that `chat` fits. Only what is written in it counts."""

    chat: Text = ""  # required: the check of the whole override says so
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
    override: Annotated[tuple[ChatOverride, ...], Field(strict=False), AS_WRITTEN] = ()


class Config(Table):
    """All of memproc.toml. `Config()` is what counts where there is no file."""

    folders: FolderSettings = FolderSettings()
    chats: ChatSettings = ChatSettings()
    models: ModelSettings = ModelSettings()
    tail: TailSettings = TailSettings()
    chunk: ChunkSettings = ChunkSettings()
    memory: MemorySettings = MemorySettings()
    fold: FoldSettings = FoldSettings()
    core: CoreSettings = CoreSettings()
    facts: FactSettings = FactSettings()
    texts: TextSettings = TextSettings()
    output: OutputSettings = OutputSettings()
    watch: WatchSettings = WatchSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    notify: NotifySettings = NotifySettings()
    budget: BudgetSettings = BudgetSettings()

    @property
    def limits(self) -> Limits:
        """The numbers that the rules obey."""
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens, Bounds(self.fold.budget, self.fold.group))

    def of(self, chat: Chat) -> Self:
        """The settings that count for one chat: every override that fits it, the later ones over the earlier.

        Raises ChatSetAside where several fit and their numbers of tokens do not agree, which shows only here,
        and where the chat has no id.
        """
        fitting = [override for override in self.chats.override if fits(chat, override.chat)]
        config = self
        for override in fitting:
            config = config.with_override(override)
        clash = next(token_clashes(config.tail, config.chunk), None)
        if fitting and clash:
            raise ChatSetAside(
                f'Together, the overrides in memproc.toml that fit the chat "{chat.title}" clash: '
                f"{'.'.join(map(str, clash.keys[0]))} {clash.reason}.",
                "Let one [[chats.override]] below the others say all that is to count for this chat.",
            )
        return config

    def as_found_here(self) -> Self:
        """These settings, of a file that was merely found in the current folder."""
        return self.model_copy(update={"models": self.models.as_found_here()})

    def with_override(self, override: ChatOverride) -> Self:
        """These settings with what is written in `override`, whichever chat it is for."""
        tables = override.model_fields_set - {"chat"}
        return self.model_copy(
            update={name: getattr(self, name).overridden(getattr(override, name)) for name in tables}
        )
