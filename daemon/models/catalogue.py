"""What LiteLLM's own map says of models: windows, days of ending, prices. Read without LiteLLM itself.

The map comes with LiteLLM's package, as of its release; nothing is fetched, and importing LiteLLM takes seconds.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from primer.endings import ModelEnd, end_by, ending
from primer.models import AS_OF, EXTRACTIVE, with_provider
from rules.errors import ModelError
from rules.money.price import PICO, Price, Rates

_MAP = "model_prices_and_context_window_backup.json"
_WRITERS = ("chat", "responses")
_EMBEDS = "embedding"
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
# LiteLLM's map keeps these providers under longer names than the ones that stand before a model's name.
_KEPT_AS = {"bedrock": "bedrock_converse", "cohere": "cohere_chat"}

Fields = Mapping[str, object]
"""The fields of a model in the map."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The known facts of one model."""

    window: int | None = None
    """Tokens that it reads."""
    ends_on: str | None = None
    """Its last day, as an ISO date."""
    calls_tools: bool = False
    """Whether it calls tools that it is offered."""


def facts(model: str) -> Facts:
    """The facts that LiteLLM's map has of a model; no facts where it does not know the name.

    Raises ModelError where the map cannot be read.
    """
    fields = _fields(model)
    window, ends_on = fields.get("max_input_tokens"), fields.get("deprecation_date")
    return Facts(
        window if isinstance(window, int) else None,
        ends_on if isinstance(ends_on, str) else None,
        fields.get("supports_function_calling") is True,
    )


def is_known(model: str) -> bool:
    """Whether LiteLLM's map has the model. Raises ModelError where the map cannot be read."""
    return bool(_fields(model))


def price(model: str) -> Price | None:
    """The ordinary price of a model by LiteLLM's map, as of its release; None where the map has none.

    Other tiers of service (batches, priority) are not asked for. Raises ModelError where the map cannot be read.
    """
    fields = _fields(model)
    tiers = fields.get("tiered_pricing")
    if (
        isinstance(tiers, list) and tiers
    ):  # the first tier, and above it the last, which is the dearest
        bounds = tiers[0].get("range")
        above = (
            bounds[1] if isinstance(bounds, list) and len(bounds) == 2 and len(tiers) > 1 else None
        )
        basic, higher = _rates(tiers[0], ""), _rates(tiers[-1], "")
    else:
        thousands = next((int(tier[1]) for key in fields if (tier := _TIER.fullmatch(key))), None)
        above = None if thousands is None else thousands * 1000
        basic, higher = _rates(fields, ""), _rates(fields, f"_above_{thousands}k_tokens")
    if basic is None or not isinstance(above, int | float):
        return Price(basic) if basic else None
    return Price(basic, int(above), higher)


def known_models() -> Sequence[str]:
    """The models that write and still answer, each with its provider in front: names to suggest.

    A maker's own names stand last, after those of others who serve its models, so that whoever keeps one name
    for each last part keeps the maker's. Raises ModelError where the map cannot be read.
    """
    with _readable():
        names = {
            _full(name, str(fields.get("litellm_provider")))
            for name, fields in json.loads(_text()).items()
            if fields.get("mode") in _WRITERS and str(fields.get("deprecation_date") or "9") > AS_OF
        }
    return sorted(
        names,
        key=lambda name: (with_provider(name.rpartition("/")[2]) == name, -name.count("/"), name),
    )


def nearest(model: str) -> list[str]:
    """Return the known names nearest to an unknown one, by its last part: providers are often left out.

    Raises ModelError where the map cannot be read.
    """
    names = {name.rsplit("/", 1)[-1]: name for name in known_models()}
    matches = (names[name] for name in get_close_matches(model.rsplit("/", 1)[-1], names, n=3))
    return [name for name in matches if name != model]


DAYS_BEFORE = 60
"""A person is told of a model's end from so many days before."""


def end_of(model: str) -> ModelEnd | None:
    """Return when a model ends; None where no end is known. Raises ModelError where the map cannot be read."""
    return end_by(model, facts(model).ends_on)


def ends_soon(model: str, today: date, days: int = DAYS_BEFORE) -> str | None:
    """A sentence for a model that ends within so many days, or has ended; None where no end is near or known.

    Raises ModelError where the map cannot be read.
    """
    end = end_of(model)
    return ending(model, end, today, days) if end else None


@cache
def _fields(model: str) -> Fields:
    """The fields of a model in the map; none where it does not know the name. Each name is searched for once.

    Looked up as LiteLLM does it: the full name first, then without the provider where the entry is that provider's.
    """
    name = with_provider(model)
    if model == EXTRACTIVE:
        return {}
    if fields := _fields_of(name):
        return fields
    provider, _, rest = name.partition("/")
    fields = _fields_of(rest)
    kept = str(fields.get("litellm_provider"))
    is_of = kept in (provider, _KEPT_AS.get(provider)) or (
        provider == "vertex_ai" and kept.startswith(provider)
    )
    return fields if is_of else {}


def _fields_of(name: str) -> Fields:
    """The entry of this name. Nothing else is parsed: the whole map takes a tenth of a second, and 40 MB."""
    text = _text()
    key = re.search(rf"{re.escape(json.dumps(name))}\s*:\s*", text)
    if key is None:
        return {}
    with _readable():
        fields, _ = json.JSONDecoder().raw_decode(text, key.end())
        if not isinstance(fields, dict):
            raise TypeError("this is no entry of a model")
    return fields


def _full(name: str, kept: str) -> str:
    provider = kept.partition("-")[0] if kept.startswith("vertex_ai") else kept
    provider = next((short for short, long in _KEPT_AS.items() if long == provider), provider)
    return name if name.startswith(f"{provider}/") else f"{provider}/{name}"


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
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        raise ModelError(
            f"LiteLLM's map of models cannot be read ({_MAP}: {type(fault).__name__}).",
            "Install memproc again, with the version of LiteLLM that its requirements name.",
        ) from fault


def _rates(fields: Fields, tier: str) -> Rates | None:
    """Picodollars of one tier. A cache that is not priced, or costs nothing to write, is billed as the prompt is.

    Models that embed write nothing, so the map leaves out what that costs.
    """

    def pico(what: str) -> int | None:
        dollars = fields.get(f"{what}{tier}")
        return round(dollars * PICO) if isinstance(dollars, int | float) else None

    prompt, answer = pico("input_cost_per_token"), pico("output_cost_per_token")
    if answer is None and fields.get("mode") == _EMBEDS:
        answer = 0
    if prompt is None or answer is None:
        return None
    read, write = pico("cache_read_input_token_cost"), pico("cache_creation_input_token_cost")
    return Rates(prompt, answer, prompt if read is None else read, write or prompt)
