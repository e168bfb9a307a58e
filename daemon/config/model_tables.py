"""The tables of memproc.toml on models, prices and caps: who writes, with which options, at what cost.

In `[models.options]` a name that holds "/" is a model's, wildcards allowed, and has a table of
options for those models alone. In such a table `window` and `concurrency` are about the server of
these models, and are not passed on.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import date
from fnmatch import fnmatchcase
from math import inf, isfinite
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr

from daemon.config import tables
from daemon.config.folder_tables import Text
from daemon.config.memory_tables import MOST_TOKENS
from rules.money.price import MOST_USD, PICO, Amounts, Price, rates

Options = Mapping[str, object]
_OURS = frozenset(
    [
        "cache", "caching", "context_window_fallback_dict", "custom_llm_provider", "drop_params",
        "fallbacks", "functions", "max_completion_tokens", "max_retries", "max_tokens", "messages",
        "mock_response", "model", "n", "num_retries", "response_format", "stream", "tool_choice",
        "tools",
    ]
)  # fmt: skip
_DEEPEST = 8  # levels of tables and lists; no provider's options go deeper
WhenToBatch = Literal["never", "night", "always"]
_LITELLM_NAME = re.compile(r"[^\s/]+/\S+")
_LEAST_WINDOW = 1024  # tokens; the shortest prompt needs more
_WINDOW = tables.checked(
    lambda tokens: not 0 < tokens < _LEAST_WINDOW, f"must be 0 or at least {_LEAST_WINDOW}"
)

_MOST_AT_ONCE = 16
_WINDOW_THERE, _SLOTS = "window", "concurrency"
_ABOUT_SERVER = {_WINDOW_THERE: (_LEAST_WINDOW, MOST_TOKENS), _SLOTS: (1, _MOST_AT_ONCE)}
"""What a model's own table says of its server, and the least and the most of each."""

_Dollars = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


def _refusal(name: str, value: object) -> str | None:
    """Return why an option cannot be passed on, or None.

    Never repeat its value: it may be a key.
    """
    if name.lower() == "api_key":
        return "a key does not belong in this file: memproc key set PROVIDER"
    if name.lower() in _OURS:
        return "memproc decides this itself"
    if name in _ABOUT_SERVER:
        return "belongs into [models], or into the table of one model"
    if not name.isidentifier():
        return "must be the name of an option, like temperature"
    if name == "timeout" and not _is_duration(value):
        return "must be a number of seconds, more than 0"
    return _unsendable(value)


def _out_of_range(name: str, value: object) -> str | None:
    least, most = _ABOUT_SERVER[name]
    is_number = isinstance(value, int) and value is not True and least <= value <= most
    return None if is_number else f"must be a whole number from {least} to {most}"


def _is_duration(value: object) -> bool:
    """Return whether the value is a number of seconds; TOML's true is none."""
    return isinstance(value, int | float) and value is not True and 0 < value < inf


def _unsendable(value: object, depth: int = 0) -> str | None:
    """Return why the value has no place in a request, which is JSON; None where it has."""
    if depth > _DEEPEST:
        return f"must not be nested deeper than {_DEEPEST} levels"
    match value:
        case dict():
            return _unsendable(list(value.values()), depth)
        case list():
            reasons = (_unsendable(entry, depth + 1) for entry in value)
            return next(filter(None, reasons), None)
        case float() if not isfinite(value):
            return "must not hold inf or nan"
        case str() | int() | float():
            return None
        case _:
            return "must not hold a date or a time"


def _name_or(word: str) -> AfterValidator:
    """Return a check that a setting is this word, or the name of a model."""
    shown = f'"{word}"' if word else "empty"
    return tables.checked(
        lambda name: name == word or _LITELLM_NAME.fullmatch(name),
        f'must be {shown} or a name like "provider/model"',
    )


def _sendable(options: Options) -> Options:
    """Raise ValidationError with every option that is refused, to report all of them at once."""
    reasons: dict[tables.Key, str | None] = {}
    for name, value in options.items():
        if "/" not in name:
            reasons[name,] = _refusal(name, value)
        elif isinstance(value, dict):
            about_server = value.keys() & _ABOUT_SERVER
            reasons |= {
                (name, own): _refusal(own, value[own]) for own in value.keys() - about_server
            }
            reasons |= {(name, own): _out_of_range(own, value[own]) for own in about_server}
        else:
            reasons[name,] = "must be a table: the options for the models of that name"
    refused = {place: reason for place, reason in reasons.items() if reason}
    if refused:
        raise tables.refuse_settings(refused)
    return options


class ModelSettings(tables.Table):
    """`[models]`, as written: "chat" and "small" are not yet replaced by real models."""

    agent: Annotated[str, _name_or("chat")] = "chat"
    context_manager: Annotated[str, _name_or("small")] = "small"
    fallback: Annotated[str, _name_or("")] = ""
    window: Annotated[int, _WINDOW] = Field(default=0, ge=0, le=MOST_TOKENS)
    concurrency: int = Field(default=6, ge=1, le=_MOST_AT_ONCE)
    batch: WhenToBatch = "never"
    options: Annotated[Options, AfterValidator(_sendable)] = Field(default_factory=dict)

    _found_here: bool = PrivateAttr(default=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the models that are named, without those that each chat chooses."""
        roles = (self.agent, self.context_manager, self.fallback)
        return tuple(name for name in roles if "/" in name)

    @property
    def found_here(self) -> bool:
        """Return whether the file merely lay in the current folder: then it rules no key."""
        return self._found_here

    def as_found_here(self) -> Self:
        """Return the same settings, of a file that was merely found in the current folder."""
        settings = self.model_copy()
        settings._found_here = True
        return settings

    def options_for(self, name: str) -> dict[str, object]:
        """Return the options to pass to LiteLLM with a call to the model `name`.

        The general ones come first, then those of each table whose name fits, in the order of the
        file. The result may be changed.
        """
        said = self._said_for(name)
        return deepcopy({key: value for key, value in said.items() if key not in _ABOUT_SERVER})

    def window_at(self, name: str) -> int:
        """Return the tokens of context that the table of a model says of its server, 0 if none."""
        window = self._said_for(name).get(_WINDOW_THERE, 0)
        return window if isinstance(window, int) else 0

    def slots_at(self, name: str) -> int:
        """Return how many calls the server of a model answers at once, by its table; 0 if not said."""
        slots = self._said_for(name).get(_SLOTS, 0)
        return slots if isinstance(slots, int) else 0

    def _said_for(self, name: str) -> dict[str, object]:
        options = {key: value for key, value in self.options.items() if "/" not in key}
        for pattern, own in self.options.items():
            fits = pattern == name or fnmatchcase(name, pattern)
            if "/" in pattern and fits and isinstance(own, dict):
                options |= own
        return options

    def overridden(self, by: Self) -> Self:
        """Return the table with what an override says, option by option, also within tables."""
        options = {**self.options, **by.options}
        for pattern in self.options.keys() & by.options.keys():
            general, special = self.options[pattern], by.options[pattern]
            if "/" in pattern and isinstance(general, dict) and isinstance(special, dict):
                options[pattern] = {**general, **special}
        return super().overridden(by).model_copy(update={"options": options})


def _is_day(text: str) -> bool:
    """Return whether a text is a day, as YYYY-MM-DD."""
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat() == text  # Python reads "2024-W09-5" as well
    return False


class PriceSettings(tables.Table):
    """One `[[budget.price]]`: dollars for a million tokens of the models that `model` fits."""

    model: Text
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
        """Return the price; a rate missing for long prompts is the one for short prompts."""
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
    """`[budget]`: caps in dollars, whether unknown or higher prices are allowed, and prices."""

    run_usd: _Dollars = 5.0
    day_usd: _Dollars = 10.0
    month_usd: _Dollars = 50.0
    unpriced: bool = False
    above_step: bool = False
    price: Annotated[tuple[PriceSettings, ...], Field(strict=False), tables.AS_WRITTEN] = ()

    @property
    def caps(self) -> Amounts:
        """Return the three caps, in picodollars."""
        caps = (self.run_usd, self.day_usd, self.month_usd)
        return Amounts(*(round(usd * PICO) for usd in caps))

    def price_of(self, model: str) -> Price | None:
        """Return the price that is configured for a model, the last that fits, or None."""
        for row in reversed(self.price):
            if row.model == model or fnmatchcase(model, row.model):
                return row.price
        return None
