"""What LiteLLM's own map says of models: windows, longest answers, days of ending, prices. Read without LiteLLM itself.

The map comes with LiteLLM's package, as of its release; nothing is fetched, and importing LiteLLM takes seconds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from primer.models import AS_OF, ending, with_provider
from primer.reply import EXTRACTIVE
from rules.errors import ModelError
from rules.money.price import PICO, Price, Rates

_MAP = "model_prices_and_context_window_backup.json"
_WRITERS = ("chat", "responses")
_EMBEDS = "embedding"
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
# LiteLLM's map keeps these providers under longer names than the ones that stand before a model's name.
_KEPT_AS = {"bedrock": "bedrock_converse", "cohere": "cohere_chat"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one model."""

    window: int | None = None
    """Tokens that it reads."""
    longest_answer: int | None = None
    """Tokens that it writes at most."""
    ends_on: str | None = None
    """Its last day, as an ISO date."""
    calls_tools: bool = False
    """Whether it calls tools that it is offered."""


@dataclass(frozen=True, slots=True)
class _MapEntry:
    provider: str
    mode: str
    facts: Facts
    price: Price | None


def facts(model: str) -> Facts:
    """What LiteLLM's map says of a model; a Facts of nothing but None where it does not know the name.

    Looked up as LiteLLM does it: the full name first, then without the provider where the entry is that
    provider's. Raises ModelError where the map cannot be read.
    """
    entry = _find(model)
    return entry.facts if entry else Facts()


def price(model: str) -> Price | None:
    """The price of a model by LiteLLM's map, as of its release; None where the map has none.

    Raises ModelError where the map cannot be read.
    """
    entry = _find(model)
    return entry.price if entry else None


def known_models() -> Sequence[str]:
    """The models that write and still answer, each with its provider in front: names to suggest.

    A maker's own names stand last, after those of others who serve its models, so that whoever keeps one name
    for each last part keeps the maker's. Raises ModelError where the map cannot be read.
    """
    entries = _entries().items()
    names = {_full(name, entry.provider) for name, entry in entries if entry.mode in _WRITERS and _answers(entry)}
    return sorted(names, key=lambda name: (with_provider(name.rpartition("/")[2]) == name, -name.count("/"), name))


def ends_soon(model: str, today: date, days: int = 60) -> str | None:
    """A sentence for a model that ends within so many days, by LiteLLM's map; None where no end is near or known.

    Raises ModelError where the map cannot be read.
    """
    ends_on = facts(model).ends_on
    return ending(model, ends_on, today, days) if ends_on else None


def _find(model: str) -> _MapEntry | None:
    if model == EXTRACTIVE:
        return None
    name = with_provider(model)
    if entry := _entry_called(name):
        return entry
    provider, _, rest = name.partition("/")
    entry = _entry_called(rest)
    return entry if entry and _is_of(entry.provider, provider) else None


def _entry_called(name: str) -> _MapEntry | None:
    """The entry of this name. Nothing else is parsed: the whole map takes a tenth of a second, and 40 MB."""
    text = _text()
    key = re.search(rf"{re.escape(json.dumps(name))}\s*:\s*", text)
    if key is None:
        return None
    with _readable():
        fields, _ = json.JSONDecoder().raw_decode(text, key.end())
    return _entry(fields) if isinstance(fields, dict) else _entries().get(name)


def _is_of(kept: str, provider: str) -> bool:
    return kept == provider or kept == _KEPT_AS.get(provider) or (provider == "vertex_ai" and kept.startswith(provider))


def _full(name: str, kept: str) -> str:
    provider = kept.partition("-")[0] if kept.startswith("vertex_ai") else kept
    provider = next((short for short, long in _KEPT_AS.items() if long == provider), provider)
    return name if name.startswith(f"{provider}/") else f"{provider}/{name}"


def _answers(entry: _MapEntry) -> bool:
    return entry.facts.ends_on is None or entry.facts.ends_on > AS_OF


@cache
def _entries() -> Mapping[str, _MapEntry]:
    with _readable():
        return {name: _entry(fields) for name, fields in json.loads(_text()).items() if name != "sample_spec"}


@cache
def _text() -> str:
    """The map as it lies in LiteLLM's package, which is not imported."""
    spec = find_spec("litellm")
    path = Path((spec.origin if spec else None) or "litellm").with_name(_MAP)
    with _readable():
        text = path.read_text(encoding="utf-8").strip()
        if not (text.startswith("{") and text.endswith("}")):
            raise ValueError("this is no whole JSON object")
    return text


@contextmanager
def _readable() -> Iterator[None]:
    """Raises ModelError where what is done within shows that the map cannot be read."""
    try:
        yield
    except (OSError, ValueError, AttributeError) as fault:
        raise ModelError(
            f"LiteLLM's map of models cannot be read ({_MAP}: {type(fault).__name__}).",
            "Install memproc again, with the version of LiteLLM that its requirements name.",
        ) from fault


def _entry(fields: Mapping[str, object]) -> _MapEntry:
    window, answer, ends_on = (fields.get(key) for key in ("max_input_tokens", "max_output_tokens", "deprecation_date"))
    return _MapEntry(
        provider=str(fields.get("litellm_provider")),
        mode=str(fields.get("mode")),
        facts=Facts(
            window=window if isinstance(window, int) else None,
            longest_answer=answer if isinstance(answer, int) else None,
            ends_on=ends_on if isinstance(ends_on, str) else None,
            calls_tools=fields.get("supports_function_calling") is True,
        ),
        price=_price(fields),
    )


def _price(fields: Mapping[str, object]) -> Price | None:
    """The ordinary price of an entry; other tiers of service (batches, priority) are not asked for."""
    tiers = fields.get("tiered_pricing")
    if isinstance(tiers, list) and tiers:
        return _tiered(tiers)
    basic = _rates(fields, "")
    above = next((int(tier[1]) for key in fields if (tier := _TIER.fullmatch(key))), None)
    if basic is None or above is None:
        return Price(basic) if basic else None
    return Price(basic, above * 1000, _rates(fields, f"_above_{above}k_tokens"))


def _tiered(tiers: Sequence[Mapping[str, object]]) -> Price | None:
    """The first tier, and above it the last, which is the dearest."""
    first, last = _rates(tiers[0], ""), _rates(tiers[-1], "")
    bounds = tiers[0].get("range")
    above = bounds[1] if isinstance(bounds, list) and len(bounds) == 2 and len(tiers) > 1 else None
    if first is None or not isinstance(above, int | float):
        return Price(first) if first else None
    return Price(first, int(above), last)


def _rates(fields: Mapping[str, object], tier: str) -> Rates | None:
    """Picodollars of one tier. A cache that is not priced, or costs nothing to write, is billed as the prompt is.

    Models that embed write nothing, so the map leaves out what that costs.
    """
    prompt, answer = (_pico(fields, f"{side}_cost_per_token{tier}") for side in ("input", "output"))
    if answer is None and fields.get("mode") == _EMBEDS:
        answer = 0
    if prompt is None or answer is None:
        return None
    read = _pico(fields, f"cache_read_input_token_cost{tier}")
    write = _pico(fields, f"cache_creation_input_token_cost{tier}")
    return Rates(prompt, answer, prompt if read is None else read, write or prompt)


def _pico(fields: Mapping[str, object], name: str) -> int | None:
    dollars = fields.get(name)
    return round(dollars * PICO) if isinstance(dollars, int | float) else None
