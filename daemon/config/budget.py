"""`[budget]`: what may be spent on models, and prices that count before those that LiteLLM knows."""

from collections.abc import Iterator
from datetime import date
from fnmatch import fnmatchcase
from typing import Annotated, Any

from pydantic import AfterValidator, Field, SerializationInfo, field_serializer

from daemon.config.tables import Clash, Table, Text
from rules.money.price import PICO, Amounts, Price, rates

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

    model: Text = ""  # that it is missing is told with the clashes
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
        """The price that is written here. Above its number of tokens, what is not said costs what it costs below."""
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
    price: Annotated[tuple[PriceSettings, ...], Field(strict=False)] = ()

    @field_serializer("price")
    def _as_written(self, prices: tuple[PriceSettings, ...], info: SerializationInfo) -> list[dict[str, Any]]:
        return [price.model_dump(mode=info.mode, exclude_unset=True) for price in prices]

    @property
    def caps(self) -> Amounts:
        """The three caps, in picodollars."""
        return Amounts(*(round(usd * PICO) for usd in (self.run_usd, self.day_usd, self.month_usd)))

    def price_of(self, model: str) -> Price | None:
        """The price that is configured for a model, where one is: the last that fits."""
        fitting = [one.price for one in self.price if one.model == model or fnmatchcase(model, one.model)]
        return fitting[-1] if fitting else None


def price_clashes(budget: BudgetSettings) -> Iterator[Clash]:
    """Prices that do not say what they are for, of when they are, or what a token costs."""
    for index, price in enumerate(budget.price):
        for name in ("model", "as_of", "input", "output"):
            if name not in price.model_fields_set:
                yield Clash((("budget", "price", index, name),), _MISSING[name])
        if price.above is None and any(name.endswith("_above") for name in price.model_fields_set):
            yield Clash(
                (("budget", "price", index, "above"),), "must say above how many tokens of prompt the other rates count"
            )


_MISSING = {
    "model": 'must be there: a name like "provider/model", with wildcards',
    "as_of": 'must be there: the day on which this was the price, like "2026-11-21"',
    "input": "must be there: dollars for a million tokens of the prompt",
    "output": "must be there: dollars for a million tokens of the answer",
}


def _first(*found: float | None) -> float:
    return next((one for one in found if one is not None), 0.0)
