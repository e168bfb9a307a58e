"""The tables of memproc.toml on prices and caps."""

from contextlib import suppress
from datetime import date
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from daemon.config import tables
from daemon.config.place_tables import Text
from rules.money.price import PICO, Amounts, Price, rates

MOST_USD = 1_000_000.0
_Dollars = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]


def _is_day(text: str) -> bool:
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
        return Amounts(*(round(usd * PICO) for usd in (self.run_usd, self.day_usd, self.month_usd)))

    def price_of(self, model: str) -> Price | None:
        """Return the price that is configured for a model, the last that fits, or None."""
        fitting = (
            row
            for row in reversed(self.price)
            if row.model == model or fnmatchcase(model, row.model)
        )
        return next((row.price for row in fitting), None)
