"""LiteLLM's own map of models: windows, retirement days, prices.

The map is a file in LiteLLM's package, as of its release. It is read without importing LiteLLM,
which takes seconds, and nothing is fetched.
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

from primer.models import EXTRACTIVE, add_provider, small_model
from primer.retirement import AS_OF, ModelEnd, describe_end, find_end
from rules.errors import ModelError
from rules.money.price import PICO, Price, Rates

_DAYS_BEFORE = 60
"""The days before a model's end from which on a person is told of it."""
_MAP = "model_prices_and_context_window_backup.json"
_WRITERS = ("chat", "responses")
_EMBEDS = "embedding"
_TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
_PREFIXES = {"bedrock_converse": "bedrock", "cohere_chat": "cohere"}
"""Providers that LiteLLM's map calls otherwise than the prefix of a model's name does."""

Fields = Mapping[str, object]
"""The fields of a model in the map."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the map knows of one model; None where it does not."""

    window: int | None = None
    """The tokens that it reads at most."""
    ends_on: str | None = None
    """Its last day, as an ISO date."""
    calls_tools: bool = False
    """Whether it calls tools that it is offered."""
    most_answer: int | None = None
    """The tokens that it writes at most."""


def read_facts(model: str) -> Facts:
    """Return the facts that LiteLLM's map has of a model; none where it does not know the name.

    Raises ModelError where the map cannot be read.
    """
    fields = _fields(model)
    window, ends_on = fields.get("max_input_tokens"), fields.get("deprecation_date")
    most_answer = fields.get("max_output_tokens")
    return Facts(
        window if isinstance(window, int) else None,
        ends_on if isinstance(ends_on, str) else None,
        fields.get("supports_function_calling") is True,
        most_answer if isinstance(most_answer, int) else None,
    )


def is_model_known(model: str) -> bool:
    """Return whether LiteLLM's map has the model. Raises ModelError where it cannot be read."""
    return bool(_fields(model))


def look_up_price(model: str) -> Price | None:
    """Return the ordinary price of a model by LiteLLM's map, as of its release, or None.

    Prices of batches and other tiers of service are left out. Raises ModelError where the map
    cannot be read.
    """
    fields = _fields(model)
    tiers = fields.get("tiered_pricing")
    if isinstance(tiers, list) and tiers:
        basic, bounds = _rates(tiers[0], ""), tiers[0].get("range")
        if basic is None:
            return None
        # Everything above the first tier is priced at the last, the dearest.
        above = bounds[1] if isinstance(bounds, list) and len(bounds) == 2 else None
        if len(tiers) > 1 and isinstance(above, int | float):
            return Price(basic, int(above), _rates(tiers[-1], ""))
        return Price(basic)
    basic = _rates(fields, "")
    thousands = next((int(tier[1]) for key in fields if (tier := _TIER.fullmatch(key))), None)
    if basic is None or thousands is None:
        return Price(basic) if basic else None
    return Price(basic, thousands * 1000, _rates(fields, f"_above_{thousands}k_tokens"))


def known_models() -> Sequence[str]:
    """Return the models that write text and are not retired, each with its provider in front.

    A maker's own names come last, so that they win where a dict keeps one name for each last part.
    Raises ModelError where the map cannot be read.
    """
    names = set()
    with _readable():
        for name, fields in json.loads(_text()).items():
            last_day = str(fields.get("deprecation_date") or "9")
            if fields.get("mode") not in _WRITERS or last_day <= AS_OF:
                continue
            provider = _prefix_of(fields)
            names.add(name if name.startswith(f"{provider}/") else f"{provider}/{name}")
    return sorted(names, key=_makers_own_last)


def _makers_own_last(name: str) -> tuple[bool, int, str]:
    """Return the key by which models are sorted: the maker's own last, long names first."""
    is_makers_own = add_provider(name.rpartition("/")[2]) == name
    return is_makers_own, -name.count("/"), name


def nearest_names(model: str) -> list[str]:
    """Return the known names nearest to an unknown one, by its last part, without a provider.

    Raises ModelError where the map cannot be read.
    """
    names = {name.rsplit("/", 1)[-1]: name for name in known_models()}
    matches = (names[name] for name in get_close_matches(model.rsplit("/", 1)[-1], names, n=3))
    return [name for name in matches if name != model]


def end_of(model: str) -> ModelEnd | None:
    """Return when a model ends, if that is known. Raises ModelError where the map is unreadable."""
    return find_end(model, read_facts(model).ends_on)


def ends_soon(model: str, today: date) -> str | None:
    """Return a sentence on a model that has ended or will within sixty days, or None.

    Raises ModelError where the map cannot be read.
    """
    end = end_of(model)
    return describe_end(model, end, today, _DAYS_BEFORE) if end else None


def small_model_on(today: date, agent: str) -> str:
    """Return the small model of the agent's provider, or the agent where that model has ended.

    Raises ModelError where the map cannot be read.
    """
    small = small_model(agent)
    end = end_of(small)
    return agent if end and date.fromisoformat(end.last) < today else small


@cache
def _fields(model: str) -> Fields:
    """Return the fields of a model in the map; none where it does not know the name.

    Names are looked up as LiteLLM does it: the full name first, then the name without its
    provider, if that entry belongs to the provider.
    """
    name = add_provider(model)
    if model == EXTRACTIVE:
        return {}
    if fields := _fields_of(name):
        return fields
    provider, _, rest = name.partition("/")
    fields = _fields_of(rest)
    return fields if provider in (fields.get("litellm_provider"), _prefix_of(fields)) else {}


def _prefix_of(fields: Fields) -> str:
    """Return the provider of an entry as the prefix of a model's name calls it."""
    provider = str(fields.get("litellm_provider"))
    if provider.startswith("vertex_ai"):
        return "vertex_ai"  # the map adds the maker of the model
    return _PREFIXES.get(provider, provider)


def _fields_of(name: str) -> Fields:
    """Return the entry of exactly this name; none where there is none.

    Only that entry is parsed: the whole map would take a tenth of a second, and 40 MB.
    """
    text = _text()
    key = re.search(rf"{re.escape(json.dumps(name))}\s*:\s*", text)
    if key is None:
        return {}
    with _readable():
        fields, _ = json.JSONDecoder().raw_decode(text, key.end())
        if not isinstance(fields, dict):
            raise TypeError("this is no entry of a model")
    return fields


@cache
def _text() -> str:
    spec = find_spec("litellm")
    path = Path((spec.origin if spec else None) or "litellm").with_name(_MAP)
    with _readable():
        text = path.read_text(encoding="utf-8").strip()
        if not (text.startswith("{") and text.endswith("}")):
            raise ValueError("this is no whole JSON object")
    return text


@contextmanager
def _readable() -> Iterator[None]:
    """Turn errors in the block into a ModelError: the map cannot be read."""
    try:
        yield
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        raise ModelError(
            f"LiteLLM's map of models cannot be read ({_MAP}: {type(fault).__name__}).",
            "Install memproc again, with the version of LiteLLM that its requirements name.",
        ) from fault


def _rates(fields: Fields, tier: str) -> Rates | None:
    """Return the rates of one tier, in picodollars a token; None where they are not known.

    A cache without a price, or that costs nothing to write, is billed like the prompt. Embedding
    models write nothing, so the map has no price for that.
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
