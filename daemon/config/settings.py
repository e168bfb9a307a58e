"""All settings together, and those that count for one chat; memproc.toml says why each of them is."""

from typing import Self

from daemon.config.amounts import ChunkSettings, TailSettings, token_clashes
from daemon.config.budget import BudgetSettings
from daemon.config.chats import ChatOverride, ChatSettings
from daemon.config.layers import CoreSettings, FactSettings
from daemon.config.memories import FoldSettings, MemorySettings
from daemon.config.models import ModelSettings
from daemon.config.tables import FolderSettings, OutputSettings, Table, TextSettings
from daemon.config.watching import NotifySettings, ScheduleSettings, WatchSettings
from rules.errors import ChatSetAside
from rules.plan.chat_plan import Limits
from rules.plan.folds import Bounds
from rules.typingmind.chat import Chat
from rules.typingmind.warnings import fits


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
