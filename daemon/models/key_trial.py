"""A trial of a provider's key: one tiny question to a model that would be asked anyway."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from daemon.config.keys import Key
from daemon.config.model_tables import ModelSettings
from daemon.models.addresses import addresses
from daemon.models.agreed_hosts import refusal
from daemon.models.catalogue import small_model_on
from daemon.models.completion import Completion
from primer.models import Model, provider_of, quiet_options
from primer.reply import Request, smallest_request
from rules.errors import MemprocError

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class KeyTrial:
    """The model that was asked, empty for none, and why it has not answered, as a sentence."""

    model: str
    trouble: str = ""


def try_key(
    provider: str,
    key: Key,
    settings: ModelSettings,
    ask: Callable[[Request], Completion],
    today: date,
) -> KeyTrial:
    """Ask a model of the provider with this key, which costs a fraction of a cent.

    It is the one that memproc.toml names for this provider, else the small one that memproc knows.
    """
    name = _model_of(provider, settings, today)
    if not name:
        return KeyTrial(
            "", f"memproc knows no small model of {provider}. Name one in [models] in memproc.toml."
        )
    if refused := refusal(name, settings, key):
        return KeyTrial(name, f"{refused.reason}, so nothing was sent. {refused.next_step}")
    own = settings.options_for(name)
    options = {"timeout": _SECONDS, **quiet_options(name), **own, "api_key": key.value}
    model = Model(name, options, addresses=addresses(name, options))
    try:
        answer = ask(smallest_request(model))
    except MemprocError as fault:
        return KeyTrial(name, fault.message)
    is_readable = answer.text or answer.finish
    return KeyTrial(name, "" if is_readable else f"The answer of {name} cannot be read.")


def _model_of(provider: str, settings: ModelSettings, today: date) -> str:
    unnamed = f"{provider}/"  # it comes back where no small model is known, or has ended
    small = small_model_on(today, unnamed)
    names = (settings.context_manager, settings.agent, settings.fallback, small)
    fitting = (name for name in names if provider_of(name) == provider and name != unnamed)
    return next(fitting, "")
