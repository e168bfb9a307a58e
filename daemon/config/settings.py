"""All settings together, those of models and money among them, and those that count for one chat.

In `[models.options]` a name that holds "/" is a model's, wildcards allowed, and has a table of options for those
models alone.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import date
from fnmatch import fnmatchcase
from math import isfinite
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from daemon.config.tables import (
    AS_WRITTEN,
    MOST_TOKENS,
    ChunkSettings,
    ConfigProblem,
    CoreSettings,
    FactSettings,
    FolderSettings,
    FoldSettings,
    Key,
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
from rules.errors import ChatSetAside
from rules.money.price import PICO, Amounts, Price, rates
from rules.plan.chat_plan import Limits, fits
from rules.plan.folds import Bounds
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


def _refusals(options: Options) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every option that cannot be passed on: its place in the table, and why. Never its value, which may be a key."""
    for name, value in options.items():
        if "/" not in name:
            reason = _refusal(name, value)
            if reason:
                yield (name,), reason
        elif not isinstance(value, dict):
            yield (name,), "must be a table: the options for the models of that name"
        else:
            yield from (((name, own), reason) for own in value if (reason := _refusal(own, value[own])))


def _refusal(name: str, value: object) -> str | None:
    if name.lower() == "api_key":
        return "a key does not belong in this file: memproc key set PROVIDER"
    if name.lower() in _OURS:
        return "memproc decides this itself"
    if not name.isidentifier():
        return "must be the name of an option, like temperature"
    if name == "timeout" and not _is_a_time(value):
        return "must be a number of seconds, more than 0"
    return _unsendable(value)


def _is_a_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0


def _unsendable(value: object, depth: int = 0) -> str | None:
    """Why the value has no place in a request, which is JSON; None where it has."""
    if depth > _DEEPEST:
        return f"must not be nested deeper than {_DEEPEST} levels"
    match value:
        case dict():
            return _unsendable(list(value.values()), depth)
        case list():
            return next((reason for entry in value if (reason := _unsendable(entry, depth + 1))), None)
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
    def check(value: str) -> str:
        if value != word and not _LITELLM_NAME.fullmatch(value):
            shown = f'"{word}"' if word else "empty"
            raise ValueError(f'must be {shown} or a name like "provider/model"')
        return value

    return AfterValidator(check)


def _window(value: int) -> int:
    if 0 < value < _LEAST_WINDOW:
        raise ValueError(f"must be 0 or at least {_LEAST_WINDOW}")
    return value


def _sendable(options: Options) -> Options:
    """Raises ValidationError with every option that is refused, so that all of them are told at once."""
    refused = [
        InitErrorDetails(type=PydanticCustomError("option", "{reason}", {"reason": reason}), loc=place, input=None)
        for place, reason in _refusals(options)
    ]
    if refused:
        raise ValidationError.from_exception_data("options", refused)
    return options


class ModelSettings(Table):
    """`[models]`, as written: "chat" and "small" are not yet the models that they stand for."""

    agent: Annotated[str, _name_or("chat")] = "chat"
    context_manager: Annotated[str, _name_or("small")] = "small"
    fallback: Annotated[str, _name_or("")] = ""
    window: Annotated[int, AfterValidator(_window)] = Field(default=0, ge=0, le=MOST_TOKENS)
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
        """What to pass to LiteLLM with a call to the model `name`: the general options, then those of the tables
        whose name fits, in the order of the file. The result may be changed."""
        options = {key: value for key, value in self.options.items() if "/" not in key}
        for pattern, own in self.options.items():
            if "/" in pattern and isinstance(own, dict) and (pattern == name or fnmatchcase(name, pattern)):
                options |= own
        return deepcopy(options)

    def overridden(self, by: Self) -> Self:
        """As for every table; the options are taken over one by one, and so are those in the tables for models."""
        options = {**self.options, **by.options}
        for pattern in self.options.keys() & by.options.keys():
            general, special = self.options[pattern], by.options[pattern]
            if "/" in pattern and isinstance(general, dict) and isinstance(special, dict):
                options[pattern] = {**general, **special}
        return super().overridden(by).model_copy(update={"options": options})


MOST_USD = 1_000_000.0
_Dollars = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


def _day(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError('must be a day, like "2026-11-21"') from None
    return value


class PriceSettings(Table):
    """One `[[budget.price]]`: dollars for a million tokens of the models that `model` fits."""

    model: Text = ""  # required: `price_clashes` says so
    as_of: Annotated[str, AfterValidator(_day)] = "1970-01-01"
    input: _Dollars = 0.0
    output: _Dollars = 0.0
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
        higher = rates(
            _first(self.input_above, self.input),
            _first(self.output_above, self.output),
            _first(self.cache_read_above, self.input_above, self.cache_read),
            _first(self.cache_write_above, self.input_above, self.cache_write),
        )
        return Price(basic, self.above, higher)


class BudgetSettings(Table):
    """`[budget]`: caps in dollars, whether calls of unknown or of a higher price may be made, and prices."""

    run_usd: _Dollars = 5.0
    day_usd: _Dollars = 10.0
    month_usd: _Dollars = 50.0
    unpriced: bool = False
    above_step: bool = False
    price: Annotated[tuple[PriceSettings, ...], Field(strict=False), AS_WRITTEN] = ()

    @property
    def caps(self) -> Amounts:
        """The three caps, in picodollars."""
        return Amounts(*(round(usd * PICO) for usd in (self.run_usd, self.day_usd, self.month_usd)))

    def price_of(self, model: str) -> Price | None:
        """The price that is configured for a model, where one is: the last that fits."""
        fitting = (row for row in reversed(self.price) if row.model == model or fnmatchcase(model, row.model))
        return next((row.price for row in fitting), None)


def price_clashes(budget: BudgetSettings) -> Iterator[ConfigProblem]:
    """Prices that do not say for which models they are, of which day, or what a token costs."""
    for index, price in enumerate(budget.price):
        for name in ("model", "as_of", "input", "output"):
            if name not in price.model_fields_set:
                yield ConfigProblem((("budget", "price", index, name),), _MISSING[name])
        if price.above is None and any(name.endswith("_above") for name in price.model_fields_set):
            yield ConfigProblem(
                (("budget", "price", index, "above"),), "must say above how many tokens of prompt the other rates count"
            )


_MISSING = {
    "model": 'must be there: a name like "provider/model", with wildcards',
    "as_of": 'must be there: the day on which this was the price, like "2026-11-21"',
    "input": "must be there: dollars for a million tokens of the prompt",
    "output": "must be there: dollars for a million tokens of the answer",
}


def _first(*rates: float | None) -> float:
    """The first rate that is written."""
    return next((rate for rate in rates if rate is not None), 0.0)


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
        return Limits(self.tail.tokens, self.tail.step, self.chunk.tokens, Bounds(**dict(self.fold)))

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
