"""The tables of memproc.toml on models, prices and caps: who writes, how, and at what cost.

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
_ABOUT_SERVER = {"window": (_LEAST_WINDOW, MOST_TOKENS), "concurrency": (1, _MOST_AT_ONCE)}
"""The options of a model's table that are about its server, with the least and the largest value."""

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
    if name == "timeout" and not (
        isinstance(value, int | float) and value is not True and 0 < value < inf
    ):
        return "must be a number of seconds, more than 0"
    return _unsendable(value)


def _out_of_range(name: str, value: object) -> str | None:
    least, most = _ABOUT_SERVER[name]
    is_number = isinstance(value, int) and value is not True and least <= value <= most
    return None if is_number else f"must be a whole number from {least} to {most}"


def _unsendable(value: object, depth: int = 0) -> str | None:
    """Return why the value cannot be part of a request, which is JSON; None if it can."""
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
    """Return a check that a setting is this word or the name of a model."""
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
            for option, of_model in value.items():
                judge = _out_of_range if option in _ABOUT_SERVER else _refusal
                reasons[name, option] = judge(option, of_model)
        else:
            reasons[name,] = "must be a table: the options for the models of that name"
    refused = {place: reason for place, reason in reasons.items() if reason}
    if refused:
        raise tables.refuse_settings(refused)
    return options


class ModelSettings(tables.Table, title="Models"):
    """A model is named as LiteLLM spells it, "provider/model". Its provider's key does not belong in this file:
    `memproc key set PROVIDER` keeps it, or it is in the environment.
    """

    agent: Annotated[str, _name_or("chat")] = Field(default="chat", title="Writes the memories")
    """Who writes the memories. "chat": the model that the chat was held with, since they are its own memories.
    Where there is no key for it, the built-in engine "memproc/extractive" takes its place: it needs no key
    and no network, costs nothing, and makes memories out of sentences that you and the persona really said.
    """

    context_manager: Annotated[str, _name_or("small")] = Field(
        default="small", title="Analyses each passage"
    )
    """Who analyses the passage independently, before the agent refines its view. "small": the small, fast model
    of the agent's provider, so that one key is enough; where memproc knows none, the agent itself.
    """

    fallback: Annotated[str, _name_or("")] = Field(
        default="", title="Is asked where the first refuses"
    )
    """Who is asked where the agent refuses to answer, and refuses again in other words. Empty: no one; that
    memory is then made out of sentences that you and the persona really said, and marked so.
    """

    window: Annotated[int, _WINDOW] = Field(default=0, ge=0, le=MOST_TOKENS)
    """How many tokens the models can read and write in one call. 0: as many as are known for each of them. Say
    it for a model on your own machine, which often reads far less than it could; at least 1024.
    """

    concurrency: int = Field(default=6, ge=1, le=_MOST_AT_ONCE)
    """How many calls may be under way at once, from 1 to 16. A chunk needs no more than the memories before its own tail,
    so several can be asked about at the same time: a long chat is done sooner, and what comes of it is the same. The rate
    limits that a provider tells with its answers are kept by themselves: calls wait for their turn. Fewer, where a model
    on your own machine answers one at a time, or a provider that tells no limits often says that it is asked too much.
    """

    batch: WhenToBatch = "never"
    """Whether requests go together as a batch: half the price, and what is sent is never paid twice; but a batch takes
    minutes, or up to a day, and a chat needs several, one after the other. Only Anthropic's own models are asked so, the
    others directly. "never": no batches. "night": what is asked within `schedule.night`. "always": all.
    """

    options: Annotated[Options, AfterValidator(_sendable)] = Field(default_factory=dict)
    """All of these are passed to LiteLLM with every call, under the names that LiteLLM has for them. What memproc
    decides by itself (the messages, the length of the answers, how often it tries) is refused. Where a key would go to
    another host than its provider's, this counts in your own memproc.toml and in one that you have named; in one that
    merely lies in the current folder, `memproc key allow PROVIDER HOST` has to say so too. Plain http is for this machine.

        temperature = 0.7
        timeout = 600

    A table whose name holds a "/" is for the models that it names, in which * matches any text, and comes on top of the
    options above. Where several of them fit a model, the later one wins. In it, `window` and `concurrency` are about the
    server of these models alone, and are not passed on: the tokens that one call may hold there, and how many calls it
    answers at once. `memproc init --local URL` writes such a table for a model on your own machine.

        [models.options."ollama_chat/*"]
        api_base = "http://127.0.0.1:11434"
        num_ctx = 16384
        concurrency = 1
    """

    _found_here: bool = PrivateAttr(default=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the models that are named, without the roles that use each chat's own model."""
        roles = (self.agent, self.context_manager, self.fallback)
        return tuple(name for name in roles if "/" in name)

    @property
    def found_here(self) -> bool:
        """Return whether the file was only found in the current folder.

        Then keys are not sent to hosts that it names.
        """
        return self._found_here

    def as_found_here(self) -> Self:
        """Return these settings, marked as those of a file only found in the current folder."""
        settings = self.model_copy()
        settings._found_here = True
        return settings

    def options_for(self, name: str) -> dict[str, object]:
        """Return the options to pass to LiteLLM with a call to the model `name`.

        The general ones come first, then those of each table whose name fits, in the order of the
        file. The result may be changed.
        """
        options = self._options_of(name)
        return deepcopy({key: value for key, value in options.items() if key not in _ABOUT_SERVER})

    def at_server(self, name: str, what: Literal["window", "concurrency"]) -> int:
        """Return what a model's table says about its server; 0 where it says nothing.

        That is the number of tokens in one call, or of calls that it answers at once.
        """
        value = self._options_of(name).get(what, 0)
        return value if isinstance(value, int) else 0

    def _options_of(self, name: str) -> dict[str, object]:
        options = {key: value for key, value in self.options.items() if "/" not in key}
        for pattern, model_options in self.options.items():
            fits = pattern == name or fnmatchcase(name, pattern)
            if "/" in pattern and fits and isinstance(model_options, dict):
                options |= model_options
        return options

    def overridden(self, by: Self) -> Self:
        """Return this table with what an override says, option by option, also within tables."""
        options = {**self.options, **by.options}
        for pattern in self.options.keys() & by.options.keys():
            general, special = self.options[pattern], by.options[pattern]
            if "/" in pattern and isinstance(general, dict) and isinstance(special, dict):
                options[pattern] = {**general, **special}
        return super().overridden(by).model_copy(update={"options": options})


def _is_day(text: str) -> bool:
    """Return whether a text is a day in the form YYYY-MM-DD."""
    with suppress(ValueError):
        return date.fromisoformat(text).isoformat() == text  # Python reads "2024-W09-5" as well
    return False


class PriceSettings(tables.Table):
    """Dollars for a million tokens of the models that `model` fits."""

    model: Text
    """A name like "provider/model", with wildcards."""

    as_of: Annotated[str, tables.checked(_is_day, 'must be a day, like "2026-11-21"')]
    """The day on which this was the price, like "2026-11-21"."""

    input: _Dollars
    """Dollars for a million tokens of the prompt."""

    output: _Dollars
    """Dollars for a million tokens of the answer."""

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
            first(self.cache_read_above, self.input_above, self.cache_read, self.input),
            first(self.cache_write_above, self.input_above, self.cache_write, self.input),
        )
        return Price(basic, self.above, higher)


class BudgetSettings(tables.Table, title="Caps: can only be lowered here"):
    """What may be spent on models, in dollars. Before a call leaves, what it could cost at most is reserved; it is settled
    by what the provider counted. A call that does not fit under all three caps is not made: work pauses, and goes
    on when the day or the month turns, or after `memproc budget raise`. 0: nothing may be spent; the built-in engine and
    models on your own machine cost nothing and go on. `memproc plan` shows beforehand what a chat will cost.
    """

    run_usd: _Dollars = Field(default=5, title="Dollars for a run")
    """One `memproc run`, or the daemon's work on one dropped file. A chat of a hundred thousand tokens costs about
    two dollars with a large model and ten cents with a small one, so this stops what has gone wrong, and little else.
    """

    day_usd: _Dollars = Field(default=10, title="Dollars for a day")
    """One day, by the clock on your wall: two such runs."""

    month_usd: _Dollars = Field(default=50, title="Dollars for a month")
    """One calendar month. The daemon works while no one looks; this is the most that you can be surprised by."""

    unpriced: bool = False
    """Whether a model may be asked whose price is not known. No cap can hold what such calls cost."""

    above_step: bool = False
    """Some models cost several times as much for the whole call where its prompt is above some size (100,000 tokens for
    Claude Haiku 5.5). Such calls are not made, and a chat that would need one is skipped, unless this is true.
    """

    price: Annotated[tuple[PriceSettings, ...], Field(strict=False), tables.AS_WRITTEN] = ()
    """Prices are those that came with LiteLLM. Where yours are others, or it knows none, say them here, in dollars for a
    million tokens, with the day on which you looked. In the name * matches any text; the last table that fits counts.
    What is not said of the cache costs what `input` costs. Where longer prompts cost more, say above how many tokens.

        [[budget.price]]
        model = "openrouter/somebody/*"
        as_of = "2026-11-21"
        input = 3
        output = 15
        cache_read = 0.3
        cache_write = 3.75
        above = 200000
        input_above = 6
        output_above = 22.5
        cache_read_above = 0.6
        cache_write_above = 7.5
    """

    @property
    def caps(self) -> Amounts:
        """Return the three caps, in picodollars."""
        caps = (self.run_usd, self.day_usd, self.month_usd)
        return Amounts(*(round(usd * PICO) for usd in caps))

    def price_of(self, model: str) -> Price | None:
        """Return the configured price of a model, the last that fits, or None."""
        for row in reversed(self.price):
            if row.model == model or fnmatchcase(model, row.model):
                return row.price
        return None
