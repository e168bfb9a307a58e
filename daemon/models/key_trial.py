"""Tries a key with one tiny question to its provider, which costs a fraction of a cent."""

from dataclasses import dataclass

from daemon.config.keys import Key
from daemon.config.settings import ModelSettings
from daemon.models.addresses import refusal
from daemon.models.context import Complete
from primer.models import provider_of, quiet_options, small_model
from primer.prompt import Turn
from primer.reply import Model, Request
from rules.errors import MemprocError

_QUESTION = "This is a test of the connection. Please answer with one word."
_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class KeyTrial:
    """The model that was asked with a key, empty where there is none; and why it has not answered, as a sentence."""

    model: str
    trouble: str = ""


def try_key(provider: str, key: Key, settings: ModelSettings, complete: Complete) -> KeyTrial:
    """Whether a model of the provider answers with this key.

    It is the one that memproc.toml names for this provider, else the small one that memproc knows.
    """
    named = (settings.context_manager, settings.agent, settings.fallback)
    known = small_model(f"{provider}/")  # gives this back where it knows none
    models = [name for name in (*named, known) if provider_of(name) == provider and name != f"{provider}/"]
    if not models:
        return KeyTrial("", f"memproc knows no small model of {provider}. Name one in [models] in memproc.toml.")
    model = models[0]
    if refused := refusal(model, settings, lambda _: key):
        return KeyTrial(model, f"{refused.reason}, so nothing was sent. {refused.next_step}")
    own = settings.options_for(model)
    options = {"timeout": _PATIENCE_SECONDS, **quiet_options(model), **own, "api_key": key.value}
    try:
        complete(Request("test", Model(model, options), (Turn("user", _QUESTION),), words=5))
    except MemprocError as fault:
        return KeyTrial(model, fault.message)
    return KeyTrial(model)
