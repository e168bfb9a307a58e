"""Define all settings together, and combine those of one chat."""

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field

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
    """The chat's title, with wildcards, or its id or its folder's."""

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
    """A chat is named by its title, in which * matches any text and ? any one character, by its id,
    or by the id of the TypingMind folder it is in: include = ["Talks with Ada*", "k3v9xq2m7p"].
    """

    include: Texts = ()
    """Only these chats. Empty: every chat that is long enough to have something to compress."""

    exclude: Texts = ()
    """Never these, even if `include` names them too."""

    override: Annotated[tuple[ChatOverride, ...], Field(strict=False), AS_WRITTEN] = ()
    """Settings for some chats alone: `chat` names them as above, and any of the tables models, tail, chunk, memory, fold,
    core, facts, keep and texts may follow, or recall.mention, with what is to be different. Repeat the table as often as
    you like; where several of them fit a chat, the later one wins, setting by setting. One is built in: the sample
    conversation, which would stay whole in a live tail of 30000, gets one of 6400, chunks of 1600 and the built-in engine.

        [[chats.override]]
        chat = "Talks with Ada*"
        models = { agent = "anthropic/claude-opus-5-5" }
        tail.tokens = 20000

        [[chats.override]]
        chat = "k3v9xq2m7p"
        [chats.override.chunk]
        tokens = 2000
    """


class Config(ChatTables):
    """memproc.toml: every setting, at its default, with its why. What you leave out stays as it is here.

    memproc takes the first of these: --config FILE, the file that $MEMPROC_CONFIG names, memproc.toml in the folder you are
    in unless it holds nothing but defaults, memproc.toml in your system's configuration folder. `memproc config path` tells
    which one it is, and `memproc config check` lists all that is wrong in it, line by line.

    A line that begins with # and no space after it is an example: take the # away, and it counts.
    """

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

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence about each setting of the file that is no longer used.

        Those at their defaults are left out: older versions of `memproc init` wrote them all.
        """
        sentences = {
            f"{row.deprecated} now, whatever {table}.{name} says.": None
            for tables in (self, *self.chats.override)
            for table, settings in tables
            if isinstance(settings, Table)
            for name, value in settings
            if (row := type(settings).model_fields[name]).deprecated and value != row.default
        }
        return tuple(sentences)

    @property
    def limits(self) -> "Limits":
        """Return the limits of a plan; `models.splitting` decides where chunks end."""
        # Late: most commands read settings and plan nothing.
        from rules.plan.chat_plan import Limits
        from rules.plan.fold_budget import Bounds

        fold_settings = self.fold
        budget = None if fold_settings.budget == "auto" else fold_settings.budget
        fold = Bounds(budget, fold_settings.wishes)
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens, fold)

    def of(self, chat: "Chat") -> Self:
        """Return the settings of one chat: of the overrides that fit it, later ones win.

        The sample conversation has a built-in override before them, since all of it would fit into
        the live tail. Raises ChatSkipped where the combined overrides contradict each other on
        numbers of tokens, and where the chat has no id.
        """
        from rules.plan.selection import matches

        built_in = (SAMPLE,) if self.tail.tokens > _SAMPLE_TOKENS else ()
        fitting = [
            override
            for override in (*built_in, *self.chats.override)
            if matches(chat, override.chat)
        ]
        config = self
        for override in fitting:
            config = config.with_override(override)
        clash = next(token_clashes(config.tail, config.chunk), None)
        if fitting and clash:
            raise ChatSkipped(
                f'Together, the overrides in memproc.toml that fit the chat "{cut_title(chat.title)}" '
                f"clash: {'.'.join(map(str, clash.keys[0]))} {clash.reason}.",
                "Let one [[chats.override]] below the others say all that is to count "
                "for this chat.",
            )
        return config

    def as_found_here(self) -> Self:
        """Return these settings, marked as those of a file only found in the current folder."""
        return self.model_copy(update={"models": self.models.as_found_here()})

    @property
    def variants(self) -> tuple[Self, ...]:
        """Return these settings, and for each override the settings with it."""
        return (self, *map(self.with_override, self.chats.override))

    def with_override(self, override: ChatOverride) -> Self:
        """Return these settings with what is written in `override`, for any chat."""
        written = override.model_fields_set - {"chat"}
        return self.model_copy(
            update={
                name: getattr(self, name).overridden(getattr(override, name)) for name in written
            }
        )
