"""Models that were retired or will be: their last day, and the model to ask instead.

LiteLLM's map has most of these days; here are those that it lacks, as providers have announced
them, as of 2026-11-27.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from functools import cache

from primer.models import add_provider

_OPENAI, _GOOGLE = "OpenAI's page of deprecations", "Google's page of Gemini deprecations"

ANNOUNCED: Mapping[str, tuple[str, str]] = {
    # The page lists their versions; each of these names stands for one of them.
    **{
        f"openai/{name}": ("2027-01-14", _OPENAI)
        for name in ("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini")
    },
    **{
        f"gemini/{name}": ("2026-12-01", _GOOGLE) for name in ("gemini-2.5-pro", "gemini-2.5-flash")
    },
}
"""The last day (ISO) of a model by its LiteLLM name, and the page that says so."""

_SMALL = re.compile(r"mini|nano|3[.-]?5|text-davinci")
AS_OF = "2026-11-27"
_SONNET, _HAIKU, _OPUS = (f"anthropic/claude-{name}-5-5" for name in ("sonnet", "haiku", "opus"))
_DEEPSEEK = "deepseek/deepseek-v4-flash"
_SOL, _TERRA, _LUNA = (f"openai/gpt-5.6-{name}" for name in ("sol", "terra", "luna"))
_PRO, _FLASH, _LITE = (
    f"gemini/gemini-{name}" for name in ("3.1-pro-preview", "3.8-flash", "3.5-flash-lite")
)


@dataclass(frozen=True, slots=True)
class ModelEnd:
    """The last day of a model, as ISO dates: two different ones where its sources differ."""

    first: str
    last: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Successor:
    """The model to ask instead of a retired one."""

    name: str
    retired: str
    retired_on: str

    @property
    def sentence(self) -> str:
        """Return the sentence that the person is told once."""
        return f"{self.retired} was retired on {self.retired_on}; {self.name} takes its place."


def find_end(model: str, day_in_map: str | None) -> ModelEnd | None:
    """Return a model's end by LiteLLM's map and its provider's page; None where neither has it."""
    ends = [(day_in_map, "LiteLLM's map")] if day_in_map else []
    if announced := ANNOUNCED.get(add_provider(model)):
        ends.append(announced)
    if not ends:
        return None
    days = sorted(day for day, _ in ends)
    return ModelEnd(days[0], days[-1], tuple(source for _, source in ends))


def describe_end(model: str, end: ModelEnd, today: date, days: int) -> str | None:
    """Return a sentence on a model that ends within `days` days, or has ended; else None."""
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


def _gone(retired_on: str, successor: str, *names: str) -> dict[str, tuple[str, str]]:
    """Return rows for models of the successor's provider that were retired on one day."""
    provider = successor.partition("/")[0]
    return {f"{provider}/{name}": (retired_on, successor) for name in names}


RETIRED: Mapping[str, tuple[str, str]] = {
    # Anthropic's table of model deprecations; LiteLLM's map for the preview.
    **_gone("2024-11-06", _HAIKU, "claude-instant-*"),
    **_gone("2024-11-06", _SONNET, "claude-1*"),
    **_gone("2025-07-21", _SONNET, "claude-2*", "claude-3-sonnet*"),
    **_gone("2025-10-28", _SONNET, "claude-3-5-sonnet*"),
    **_gone("2026-01-05", _OPUS, "claude-3-opus*"),
    **_gone("2026-02-19", _SONNET, "claude-3-7-sonnet*"),
    **_gone("2026-02-19", _HAIKU, "claude-3-5-haiku*"),
    **_gone("2026-04-20", _HAIKU, "claude-3-haiku*"),
    **_gone("2026-06-09", "anthropic/claude-mythos-5-1", "claude-mythos-preview"),
    **_gone(
        "2026-06-15",
        _SONNET,
        "claude-sonnet-4",
        "claude-sonnet-4-0",
        "claude-sonnet-4-20250514",
    ),
    **_gone("2026-06-15", _OPUS, "claude-opus-4", "claude-opus-4-0", "claude-opus-4-20250514"),
    **_gone("2026-08-05", _OPUS, "claude-opus-4-1", "claude-opus-4-1-20250805"),
    # OpenAI's page of deprecations, while it listed them.
    **_gone("2024-12-06", _SOL, "gpt-4-vision-preview", "gpt-4-1106-vision-preview"),
    **_gone("2025-06-06", _SOL, "gpt-4-32k*"),
    **_gone("2025-07-14", _SOL, "gpt-4.5-preview*"),
    **_gone("2025-07-28", _SOL, "o1-preview*"),
    **_gone("2025-10-27", _TERRA, "o1-mini*"),
    **_gone("2026-02-17", _SOL, "chatgpt-4o-latest"),
    **_gone("2026-03-26", _SOL, "gpt-4-0314", "gpt-4-0125-preview", "gpt-4-turbo-preview"),
    # LiteLLM's map; the successors are those that OpenAI's page recommends, or the newest of
    # their size.
    **_gone(
        "2026-07-23",
        _SOL,
        "gpt-5-chat",
        "gpt-5-chat-latest",
        "gpt-5.1-chat-latest",
        "gpt-5-codex",
        "gpt-5.1-codex",
        "gpt-5.1-codex-max",
        "gpt-5.2-codex",
        "gpt-4o-search-preview-2025-03-11",
        "o3-deep-research*",
        "o4-mini-deep-research*",
    ),
    **_gone("2026-07-23", _TERRA, "gpt-5.1-codex-mini"),
    **_gone("2026-07-23", _LUNA, "gpt-4o-mini-search-preview-2025-03-11"),
    **_gone("2026-08-10", _SOL, "gpt-5.2-chat-latest", "gpt-5.3-chat-latest"),
    **_gone("2026-09-28", _TERRA, "gpt-3.5-turbo-1106"),
    **_gone(
        "2026-10-23",
        _TERRA,
        "gpt-3.5-turbo",
        "gpt-3.5-turbo-0125",
        "gpt-3.5-turbo-16k",
        "o4-mini",
        "o4-mini-2025-04-16",
    ),
    **_gone(
        "2026-10-23",
        _SOL,
        "gpt-4",
        "gpt-4-0613",
        "gpt-4-1106-preview",
        "gpt-4-turbo",
        "gpt-4-turbo-2024-04-09",
        "gpt-4o-2024-05-13",
        "o1",
        "o1-2024-12-17",
        "o1-pro",
        "o1-pro-2025-03-19",
        "o3-mini",
        "o3-mini-2025-01-31",
    ),
    **_gone("2026-10-23", _LUNA, "gpt-4.1-nano", "gpt-4.1-nano-2025-04-14"),
    # Google's page of Gemini deprecations and its letters to users; LiteLLM's map for the last
    # three lines.
    **_gone("2025-02-15", _PRO, "gemini-pro", "gemini-1.0-pro*"),
    **_gone("2025-09-24", _LITE, "gemini-1.5-flash-8b*"),
    **_gone("2025-09-24", _FLASH, "gemini-1.5-flash*"),
    **_gone("2025-09-24", _PRO, "gemini-1.5-pro*"),
    **_gone("2025-12-02", _PRO, "gemini-2.5-pro-preview-0[356]-*"),
    **_gone("2026-02-17", _FLASH, "gemini-2.5-flash-preview-09-2025"),
    **_gone("2026-03-09", _PRO, "gemini-3-pro-preview"),
    **_gone("2026-03-31", _LITE, "gemini-2.5-flash-lite-preview-09-2025"),
    **_gone("2026-06-01", _LITE, "gemini-2.0-flash-lite", "gemini-2.0-flash-lite-001"),
    **_gone("2026-06-01", _FLASH, "gemini-2.0-flash", "gemini-2.0-flash-001"),
    **_gone("2026-05-25", _LITE, "gemini-3.1-flash-lite-preview"),
    **_gone("2026-07-28", _FLASH, "gemini-2.5-computer-use-preview-10-2025"),
    **_gone("2026-10-22", "gemini/gemini-omni-1.1-flash", "gemini-omni-flash-preview"),
    # xAI's page on the retirement of 15 May 2026.
    **_gone(
        "2026-05-15",
        "xai/grok-4.3",
        "grok-3",
        "grok-4",
        "grok-4-0709",
        "grok-code-fast-1",
        "grok-4-fast*",
        "grok-4-1-fast*",
    ),
    # LiteLLM's map, and DeepSeek's announcement of version 4.
    **_gone("2026-07-24", _DEEPSEEK, "deepseek-chat", "deepseek-reasoner"),
    # Mistral's overview of its models, as others quote it.
    **_gone("2025-11-30", "mistral/codestral-latest", "codestral-2501"),
    **_gone("2025-12-31", "mistral/ministral-14b-latest", "pixtral-12b-2409"),
    **_gone("2026-05-31", "mistral/mistral-large-latest", "mistral-large-2411"),
}
"""The last day (ISO) of a model, and the one to ask instead, by LiteLLM name or pattern; the first
that matches counts."""


@cache
def find_successor(model: str) -> Successor | None:
    """Return the model to ask instead of a retired one, or None for one that still answers.

    A name without its provider, which LiteLLM accepts, is looked up with the provider of its
    family.
    """
    name = add_provider(model)
    fitting = (retired for pattern, retired in RETIRED.items() if fnmatchcase(name, pattern))
    return next((Successor(newer, model, retired_on) for retired_on, newer in fitting), None)


def find_heir(program: str, model: str) -> str:
    """Return the present model that continues a conversation with a chat program's model.

    Chat programs have their own names for models: "gpt-4o", "o4-mini-high",
    "text-davinci-002-render-sha".
    """
    if program == "deepseek":
        return _DEEPSEEK
    if program == "claude":
        return _OPUS if "opus" in model else _HAIKU if "haiku" in model else _SONNET
    return _TERRA if _SMALL.search(model) else _SOL
