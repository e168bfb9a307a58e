"""Resolve a model's name: all that memproc.toml, environment and LiteLLM's map know of it.

Its price is the first of these:

configured                     the last [[budget.price]] that fits
a server on one's own network  free (by api_base, or a provider that runs models locally)
known to LiteLLM               LiteLLM's price, with the dearer tier for long prompts
"""

from collections.abc import Mapping
from dataclasses import replace

from daemon.config.keys import FindKey, Key, NoKey
from daemon.config.model_tables import ModelSettings
from daemon.config.settings import Config
from daemon.models import catalogue
from daemon.models.hosts import (
    LOCAL_PROVIDERS,
    OLLAMA,
    find_addresses,
    is_local,
    is_ones_own,
    refusal,
    server_address,
)
from primer.models import ENGINE, EXTRACTIVE, KEY_VARIABLES, Model, Unaskable, provider_of
from primer.thinking import ABOUT_THINKING, quiet_options, thinking_room
from rules.money.price import FREE


def resolve_model(
    name: str, config: Config, find: FindKey, *, reads_prompts: bool = True
) -> Model | Unaskable:
    """Return all that is known of a model, or why it cannot be asked.

    Without `reads_prompts` its window does not matter: it turns short texts into vectors.

    Raises ModelError where LiteLLM's map cannot be read, and ConfigurationError or FileTrouble
    where a key or the list of allowed hosts cannot be used.
    """
    if name == EXTRACTIVE:
        return ENGINE
    settings, provider = config.models, provider_of(name)
    options = settings.options_for(name)
    key = find(provider) if provider in KEY_VARIABLES else NoKey(provider, "")
    if provider in KEY_VARIABLES and isinstance(key, NoKey) and not is_ones_own(options):
        return Unaskable(
            f"there is no key for {name} ({key.reason}).",
            f"To set one: memproc key set {provider}",
            provider,
        )
    # LiteLLM's map has a model's own window, but a server of one's own may read less than that.
    of_map = None if provider in LOCAL_PROVIDERS else catalogue.read_facts(name).window
    knows_window = window_in(name, settings) or of_map
    if reads_prompts and not knows_window and is_local(Model(name, options)):
        return Unaskable(
            f"it is not known how many tokens {name} reads on its server, which cuts off the rest "
            "or refuses it.",
            f"To have memproc ask it: memproc init --local {server_address(name, options)}. Or say "
            f'it in memproc.toml: window in [models.options."{name}"].',
        )
    if refused := refusal(name, settings, key):
        return refused
    model = known_model(name, _options(name, settings, options, key), config)
    return replace(model, slots=settings.at_server(name, "concurrency"))


def known_model(name: str, options: Mapping[str, object], config: Config) -> Model:
    """Return a model asked with these options, with or without a key. Raises as `resolve_model`."""
    facts = catalogue.read_facts(name)
    return Model(
        name,
        options,
        thinking_room(name),
        calls_tools=facts.calls_tools,
        window=max(window_in(name, config.models) or 0, facts.window or 0) or None,
        price=config.budget.price_of(name)
        or (FREE if is_local(Model(name, options)) else catalogue.look_up_price(name)),
        addresses=find_addresses(name, options),
    )


def _options(
    name: str, settings: ModelSettings, options: Mapping[str, object], key: Key | NoKey
) -> Mapping[str, object]:
    """Return a call's options: key, no thinking, Ollama's window; the person's own prevail."""
    added: dict[str, object] = {}
    if isinstance(key, Key) and key.where != "environment":  # LiteLLM finds it there by itself
        added["api_key"] = key.value
    elif isinstance(key, NoKey) and provider_of(name) in KEY_VARIABLES:
        # A server of one's own may want no key, but the client needs something to send.
        added["api_key"] = "none"
    if not ABOUT_THINKING & options.keys():
        added |= quiet_options(name)
    if provider_of(name) in OLLAMA and (window := window_in(name, settings)):
        added["num_ctx"] = window
    return {**added, **options}


def window_in(name: str, settings: ModelSettings) -> int | None:
    """Return the window in tokens that memproc.toml has for a model; for Ollama `num_ctx` first."""
    num_ctx = settings.options_for(name).get("num_ctx") if provider_of(name) in OLLAMA else None
    if isinstance(num_ctx, int):
        return num_ctx
    return settings.at_server(name, "window") or settings.window or None
