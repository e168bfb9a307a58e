"""All settings together, and those that count for one chat."""

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, PrivateAttr

from daemon.config.folder_tables import (
    BridgeSettings,
    FolderSettings,
    MentionSettings,
    NotifySettings,
    OutputSettings,
    PageSettings,
    RecallSettings,
    ScheduleSettings,
    Text,
    Texts,
    TextSettings,
    WatchSettings,
)
from daemon.config.memory_tables import (
    ChunkSettings,
    CoreSettings,
    EditionSettings,
    FactSettings,
    FoldSettings,
    KeepSettings,
    MemorySettings,
    TailSettings,
    token_clashes,
)
from daemon.config.model_tables import BudgetSettings, ModelSettings
from daemon.config.tables import AS_WRITTEN, Key, Table
from primer.models import EXTRACTIVE
from rules.errors import ChatSkipped
from rules.wording import cut_title

if TYPE_CHECKING:
    from rules.plan.chat_plan import Limits
    from rules.typingmind.chat import Chat


class ChatTables(Table):
    """The tables that may differ from chat to chat."""

    models: ModelSettings = ModelSettings()
    tail: TailSettings = TailSettings()
    chunk: ChunkSettings = ChunkSettings()
    memory: EditionSettings = EditionSettings()
    fold: FoldSettings = FoldSettings()
    core: CoreSettings = CoreSettings()
    facts: FactSettings = FactSettings()
    keep: KeepSettings = KeepSettings()
    texts: TextSettings = TextSettings()
    recall: MentionSettings = MentionSettings()


class ChatOverride(ChatTables):
    """One `[[chats.override]]`: written settings for the chats that `chat` fits."""

    chat: Text

    def says(self, key: Key) -> bool:
        """Return whether the setting at `key`, a table and a name, is written in this override."""
        table, name = key
        return name in getattr(self, str(table)).model_fields_set


SAMPLE = ChatOverride(
    chat="q7vmx2ka9t",
    models=ModelSettings(agent=EXTRACTIVE, context_manager=EXTRACTIVE),
    tail=TailSettings(tokens=6_400, step=1_600),
    chunk=ChunkSettings(tokens=1_600),
)
"""The settings for the sample conversation, which fits whole into a live tail of the usual size.

Small sizes show what happens to a long conversation, and the built-in engine spends nothing on it.
"""
_SAMPLE_TOKENS = 14_000


class ChatSettings(Table):
    """`[chats]`: titles with wildcards, chat ids or folder ids, and overrides in their order."""

    include: Texts = ()
    exclude: Texts = ()
    override: Annotated[tuple[ChatOverride, ...], Field(strict=False), AS_WRITTEN] = ()


class Config(ChatTables):
    """All of memproc.toml. `Config()` is what counts where there is no file."""

    folders: FolderSettings = FolderSettings()
    memory: MemorySettings = MemorySettings()
    chats: ChatSettings = ChatSettings()
    output: OutputSettings = OutputSettings()
    watch: WatchSettings = WatchSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    notify: NotifySettings = NotifySettings()
    page: PageSettings = PageSettings()
    recall: RecallSettings = RecallSettings()
    bridge: BridgeSettings = BridgeSettings()
    budget: BudgetSettings = BudgetSettings()

    _notes: tuple[str, ...] = PrivateAttr(default=())

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences on settings of the file that no longer do anything."""
        return self._notes

    def with_notes(self, notes: tuple[str, ...]) -> Self:
        """Return these settings with sentences on their file."""
        config = self.model_copy()
        config._notes = notes
        return config

    @property
    def limits(self) -> "Limits":
        """Return the numbers that the rules obey; `models.splitting` decides where chunks end."""
        # Late: most commands read settings and plan nothing.
        from rules.plan.chat_plan import Limits
        from rules.plan.fold_budget import Bounds

        own = self.fold
        budget = None if own.budget == "auto" else own.budget
        fold = Bounds(budget, own.wishes)
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens, fold)

    def of(self, chat: "Chat") -> Self:
        """Return the settings that count for one chat: of the overrides that fit, later ones win.

        The sample conversation has an override of its own before them, since all of it would fit
        the live tail. Raise ChatSkipped where overrides disagree on numbers of tokens, which shows
        only when they are combined, and where the chat has no id.
        """
        from rules.plan.selection import fits

        built_in = (SAMPLE,) if self.tail.tokens > _SAMPLE_TOKENS else ()
        fitting = [
            override for override in (*built_in, *self.chats.override) if fits(chat, override.chat)
        ]
        config = self
        for override in fitting:
            config = config.with_override(override)
        clash = next(token_clashes(config.tail, config.chunk), None)
        if fitting and clash:
            raise ChatSkipped(
                f'Together, the overrides in memproc.toml that fit the chat "{cut_title(chat.title)}" clash: '
                f"{'.'.join(map(str, clash.keys[0]))} {clash.reason}.",
                "Let one [[chats.override]] below the others say all that is to count "
                "for this chat.",
            )
        return config

    def as_found_here(self) -> Self:
        """Return these settings, of a file that was merely found in the current folder."""
        return self.model_copy(update={"models": self.models.as_found_here()})

    def with_override(self, override: ChatOverride) -> Self:
        """Return these settings with what is written in `override`, for any chat."""
        written = override.model_fields_set - {"chat"}
        return self.model_copy(
            update={
                name: getattr(self, name).overridden(getattr(override, name)) for name in written
            }
        )
