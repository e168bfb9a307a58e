"""All settings together, those of models and money among them, and those that count for one chat.

In `[models.options]` a name that holds "/" is a model's, wildcards allowed, and has a table of options for those
models alone.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import date
from fnmatch import fnmatchcase
from math import inf, isfinite
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr

from daemon.config import tables
from primer.models import EXTRACTIVE
from rules.errors import ChatSkipped
from rules.money.price import PICO, Amounts, Price, rates

if TYPE_CHECKING:
    from rules.plan.chat_plan import Limits
    from rules.typingmind.chat import Chat

Options = Mapping[str, object]

_OURS = frozenset(
    [
        "cache", "caching", "context_window_fallback_dict", "custom_llm_provider", "drop_params", "fallbacks",
        "functions", "max_completion_tokens", "max_retries", "max_tokens", "messages", "mock_response", "model", "n",
        "num_retries", "response_format", "stream", "tool_choice", "tools",
    ]
)  # fmt: skip
_DEEPEST = 8  # levels of tables and lists; no provider's options go deeper


def _refusal(name: str, value: object) -> str | None:
    """Why an option cannot be passed on; None where it can. Its value, which may be a key, is never repeated."""
    if name.lower() == "api_key":
        return "a key does not belong in this file: memproc key set PROVIDER"
    if name.lower() in _OURS:
        return "memproc decides this itself"
    if not name.isidentifier():
        return "must be the name of an option, like temperature"
    if name == "timeout" and not (
        isinstance(value, int | float) and value is not True and 0 < value < inf
    ):
        return "must be a number of seconds, more than 0"
    return _unsendable(value)


def _unsendable(value: object, depth: int = 0) -> str | None:
    """Why the value has no place in a request, which is JSON; None where it has."""
    if depth > _DEEPEST:
        return f"must not be nested deeper than {_DEEPEST} levels"
    match value:
        case dict():
            return _unsendable(list(value.values()), depth)
        case list():
            return next(
                (reason for entry in value if (reason := _unsendable(entry, depth + 1))), None
            )
        case float() if not isfinite(value):
            return "must not hold inf or nan"
        case str() | int() | float():
            return None
        case _:
            return "must not hold a date or a time"


WhenToBatch = Literal["never", "night", "always"]

_LITELLM_NAME = re.compile(r"[^\s/]+/\S+")
_LEAST_WINDOW = 1024  # tokens; the shortest prompt needs more


def _name_or(word: str) -> AfterValidator:
    shown = f'"{word}"' if word else "empty"
    return tables.checked(
        lambda name: name == word or _LITELLM_NAME.fullmatch(name),
        f'must be {shown} or a name like "provider/model"',
    )


_WINDOW = tables.checked(
    lambda tokens: not 0 < tokens < _LEAST_WINDOW, f"must be 0 or at least {_LEAST_WINDOW}"
)


def _sendable(options: Options) -> Options:
    """Raises ValidationError with every option that is refused, so that all of them are told at once."""
    refusals: dict[tables.Key, str | None] = {}
    for name, value in options.items():
        if "/" not in name:
            refusals[name,] = _refusal(name, value)
        elif isinstance(value, dict):
            refusals |= {(name, own): _refusal(own, value[own]) for own in value}
        else:
            refusals[name,] = "must be a table: the options for the models of that name"
    if refused := {place: reason for place, reason in refusals.items() if reason}:
        raise tables.refuse_settings(refused)
    return options


class ModelSettings(tables.Table):
    """`[models]`, as written: "chat" and "small" are not yet the models that they stand for."""

    agent: Annotated[str, _name_or("chat")] = "chat"
    context_manager: Annotated[str, _name_or("small")] = "small"
    fallback: Annotated[str, _name_or("")] = ""
    window: Annotated[int, _WINDOW] = Field(default=0, ge=0, le=tables.MOST_TOKENS)
    concurrency: int = Field(default=6, ge=1, le=16)
    batch: WhenToBatch = "never"
    options: Annotated[Options, AfterValidator(_sendable)] = Field(default_factory=dict)

    _found_here: bool = PrivateAttr(default=False)

    @property
    def found_here(self) -> bool:
        """Whether these settings lay in the current folder and nobody named them: they decide nothing about keys."""
        return self._found_here

    def as_found_here(self) -> Self:
        """The same settings, of a file that was merely found in the current folder."""
        settings = self.model_copy()
        settings._found_here = True
        return settings

    def options_for(self, name: str) -> dict[str, object]:
        """The options to pass to LiteLLM with a call to the model `name`: the general ones, then those of the tables
        whose name fits, in the order of the file. The result may be changed."""
        options = {key: value for key, value in self.options.items() if "/" not in key}
        for pattern, own in self.options.items():
            if (
                "/" in pattern
                and isinstance(own, dict)
                and (pattern == name or fnmatchcase(name, pattern))
            ):
                options |= own
        return deepcopy(options)

    def overridden(self, by: Self) -> Self:
        """The table with what an override says; options are taken over one by one, those in tables for models too."""
        options = {**self.options, **by.options}
        for pattern in self.options.keys() & by.options.keys():
            general, special = self.options[pattern], by.options[pattern]
            if "/" in pattern and isinstance(general, dict) and isinstance(special, dict):
                options[pattern] = {**general, **special}
        return super().overridden(by).model_copy(update={"options": options})


MOST_USD = 1_000_000.0
_Dollars = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


def _is_day(text: str) -> bool:
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat() == text  # Python reads "2024-W09-5" as well
    return False


class PriceSettings(tables.Table):
    """One `[[budget.price]]`: dollars for a million tokens of the models that `model` fits."""

    model: tables.Text
    as_of: Annotated[str, tables.checked(_is_day, 'must be a day, like "2026-11-21"')]
    input: _Dollars
    output: _Dollars
    cache_read: _Dollars | None = None
    cache_write: _Dollars | None = None
    above: Annotated[int, Field(ge=1)] | None = None
    input_above: _Dollars | None = None
    output_above: _Dollars | None = None
    cache_read_above: _Dollars | None = None
    cache_write_above: _Dollars | None = None

    @property
    def price(self) -> Price:
        """The price that is written here. A rate that is not given for long prompts is the one for short prompts."""
        basic = rates(self.input, self.output, self.cache_read, self.cache_write)
        if self.above is None:
            return Price(basic)

        def first(*rates: float | None) -> float:
            return next((rate for rate in rates if rate is not None), 0.0)

        higher = rates(
            first(self.input_above, self.input),
            first(self.output_above, self.output),
            first(self.cache_read_above, self.input_above, self.cache_read),
            first(self.cache_write_above, self.input_above, self.cache_write),
        )
        return Price(basic, self.above, higher)


class BudgetSettings(tables.Table):
    """`[budget]`: caps in dollars, whether calls of unknown or of a higher price may be made, and prices."""

    run_usd: _Dollars = 5.0
    day_usd: _Dollars = 10.0
    month_usd: _Dollars = 50.0
    unpriced: bool = False
    above_step: bool = False
    price: Annotated[tuple[PriceSettings, ...], Field(strict=False), tables.AS_WRITTEN] = ()

    @property
    def caps(self) -> Amounts:
        """The three caps, in picodollars."""
        return Amounts(*(round(usd * PICO) for usd in (self.run_usd, self.day_usd, self.month_usd)))

    def price_of(self, model: str) -> Price | None:
        """The price that is configured for a model, where one is: the last that fits."""
        fitting = (
            row
            for row in reversed(self.price)
            if row.model == model or fnmatchcase(model, row.model)
        )
        return next((row.price for row in fitting), None)


class ChatTables(tables.Table):
    """The tables that may differ from chat to chat."""

    models: ModelSettings = ModelSettings()
    tail: tables.TailSettings = tables.TailSettings()
    chunk: tables.ChunkSettings = tables.ChunkSettings()
    memory: tables.MemorySettings = tables.MemorySettings()
    fold: tables.FoldSettings = tables.FoldSettings()
    core: tables.CoreSettings = tables.CoreSettings()
    facts: tables.FactSettings = tables.FactSettings()
    texts: tables.TextSettings = tables.TextSettings()
    recall: tables.MentionSettings = tables.MentionSettings()


class ChatOverride(ChatTables):
    """One `[[chats.override]]`: settings for the chats that `chat` fits. Only what is written in it counts."""

    chat: tables.Text

    def says(self, key: tables.Key) -> bool:
        """Whether the setting at `key`, a table and a name, is written in this override."""
        table, name = key
        return name in getattr(self, str(table)).model_fields_set


SAMPLE = ChatOverride(
    chat="q7vmx2ka9t",
    models=ModelSettings(agent=EXTRACTIVE, context_manager=EXTRACTIVE),
    tail=tables.TailSettings(tokens=6_400, step=1_600),
    chunk=tables.ChunkSettings(tokens=1_600),
)
"""The settings for the sample conversation, which fits whole into a live tail of the usual size.

Small sizes show what happens to a long conversation, and the built-in engine spends nothing on it.
"""
_SAMPLE_TOKENS = 14_000


class ChatSettings(tables.Table):
    """`[chats]`: titles with wildcards, chat ids or folder ids, and overrides in the order of the file."""

    include: tables.Texts = ()
    exclude: tables.Texts = ()
    override: Annotated[tuple[ChatOverride, ...], Field(strict=False), tables.AS_WRITTEN] = ()


class Config(ChatTables):
    """All of memproc.toml. `Config()` is what counts where there is no file."""

    folders: tables.FolderSettings = tables.FolderSettings()
    chats: ChatSettings = ChatSettings()
    output: tables.OutputSettings = tables.OutputSettings()
    watch: tables.WatchSettings = tables.WatchSettings()
    schedule: tables.ScheduleSettings = tables.ScheduleSettings()
    notify: tables.NotifySettings = tables.NotifySettings()
    page: tables.PageSettings = tables.PageSettings()
    recall: tables.RecallSettings = tables.RecallSettings()
    bridge: tables.BridgeSettings = tables.BridgeSettings()
    budget: BudgetSettings = BudgetSettings()

    _notes: tuple[str, ...] = PrivateAttr(default=())

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on settings of its file that do nothing any more."""
        return self._notes

    def with_notes(self, notes: tuple[str, ...]) -> Self:
        """Return these settings with sentences on their file."""
        config = self.model_copy()
        config._notes = notes
        return config

    @property
    def limits(self) -> "Limits":
        """The numbers that the rules obey; where chunks end is for `daemon.models.splitting` to say."""
        from rules.plan.chat_plan import (
            Limits,
        )  # late: most commands read settings and plan nothing
        from rules.plan.folds import Bounds

        fold = Bounds(**dict(self.fold))
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens, fold)

    def of(self, chat: "Chat") -> Self:
        """The settings that count for one chat: every override that fits it, the later ones over the earlier.

        Before them counts the one for the sample conversation, where all of it would stay in the live tail.

        Raises ChatSkipped where several fit and their numbers of tokens do not agree, which shows only here,
        and where the chat has no id.
        """
        from rules.plan.chat_plan import fits

        built_in = (SAMPLE,) if self.tail.tokens > _SAMPLE_TOKENS else ()
        fitting = [
            override for override in (*built_in, *self.chats.override) if fits(chat, override.chat)
        ]
        config = self
        for override in fitting:
            config = config.with_override(override)
        clash = next(tables.token_clashes(config.tail, config.chunk), None)
        if fitting and clash:
            raise ChatSkipped(
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
        written = override.model_fields_set - {"chat"}
        return self.model_copy(
            update={
                name: getattr(self, name).overridden(getattr(override, name)) for name in written
            }
        )
