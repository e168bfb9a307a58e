"""When models end: the days that providers have announced, and how a person is told of one.

LiteLLM's map knows most of them by the names with a date; these are names that it has without a day, as of 2026-11-23.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from primer.model_names import with_provider

_OPENAI, _GOOGLE = "OpenAI's page of deprecations", "Google's page of Gemini deprecations"

ANNOUNCED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        **{
            f"openai/{name}": ("2026-12-11", _OPENAI)
            for name in ("gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "o3", "o3-pro")
        },
        # The page names their versions; these names lead to one of them.
        **{
            f"openai/{name}": ("2027-01-14", _OPENAI)
            for name in ("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini")
        },
        **{
            f"gemini/{name}": ("2026-12-01", _GOOGLE)
            for name in ("gemini-2.5-pro", "gemini-2.5-flash")
        },
    }
)
"""The last day (ISO) of a model by its LiteLLM name, and the page that says so."""


@dataclass(frozen=True, slots=True)
class ModelEnd:
    """The last day of a model, as ISO dates: two different ones where its sources differ."""

    first: str
    last: str
    sources: tuple[str, ...]


def end_by(model: str, day_in_map: str | None) -> ModelEnd | None:
    """Return the end of a model by LiteLLM's map and by its provider's page; None where neither knows of one."""
    says = [(day_in_map, "LiteLLM's map")] if day_in_map else []
    if announced := ANNOUNCED.get(with_provider(model)):
        says.append(announced)
    if not says:
        return None
    days = sorted(day for day, _ in says)
    return ModelEnd(days[0], days[-1], tuple(source for _, source in says))


def ending(model: str, end: ModelEnd, today: date, days: int) -> str | None:
    """Return a sentence on a model that ends within `days`, or has ended; None while there is time."""
    left = (date.fromisoformat(end.first) - today).days
    if left > days:
        return None
    source = " and ".join(end.sources)
    on = f"on {end.first}" if end.first == end.last else f"between {end.first} and {end.last}"
    if date.fromisoformat(end.last) < today:
        return f"{model} ended {on} (by {source})."
    when = f"in {left} day{'s' if left > 1 else ''}"
    if left <= 0:
        when = "today" if end.first == end.last else "any day now"
    return f"{model} ends {on} ({when}, by {source})."
