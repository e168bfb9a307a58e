"""The addresses at which models are asked, by memproc.toml and by the environment."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from primer.models import Address, Model, provider_of

OWN_HOSTS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("api.anthropic.com",),
    "cerebras": ("api.cerebras.ai",),
    "cohere": ("api.cohere.com", "api.cohere.ai"),
    "dashscope": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
    "deepinfra": ("api.deepinfra.com",),
    "deepseek": ("api.deepseek.com",),
    "fireworks_ai": ("api.fireworks.ai",),
    "gemini": ("generativelanguage.googleapis.com",),
    "groq": ("api.groq.com",),
    "mistral": ("api.mistral.ai",),
    "moonshot": ("api.moonshot.ai", "api.moonshot.cn"),
    "openai": ("api.openai.com",),
    "openrouter": ("openrouter.ai",),
    "perplexity": ("api.perplexity.ai",),
    "together_ai": ("api.together.ai", "api.together.xyz"),
    "xai": ("api.x.ai",),
}
"""The hosts of each provider whose key memproc keeps, with their subdomains (eu.api.openai.com)."""

LOCAL_PROVIDERS = frozenset(
    {
        "hosted_vllm",
        "lemonade",
        "llamafile",
        "lm_studio",
        "ollama",
        "ollama_chat",
        "oobabooga",
        "vllm",
        "xinference",
    }
)
"""Providers that run on a machine of the person's own."""

_BASE_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    "fireworks_ai": ("FIREWORKS_API_BASE",),
    "mistral": ("MISTRAL_AZURE_API_BASE",),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "together_ai": ("TOGETHER_AI_API_BASE",),
}
"""Variables in which LiteLLM 1.109.3 looks for an address, where not PROVIDER_API_BASE alone.

The first that is set counts.
"""
_BASES = ("base_url", "api_base")  # where both are given, LiteLLM takes the first
_LOCAL_NAMES = (".local", ".localhost", ".lan", ".home.arpa", ".internal")
_LONGEST_SHORT_NAME = 24
_MAY_NAME_A_HOST = re.compile(
    r"base|url|uri|host|endpoint|prox|domain|gateway|server", re.IGNORECASE
)
_PLACE = re.compile(r"region|location", re.IGNORECASE)
_PLAIN_PLACE = re.compile(r"[A-Za-z0-9_-]*")
_TELLS_WHO_ASKS = frozenset({"referer", "http-referer", "origin"})


def addresses(name: str, options: Mapping[str, object]) -> tuple[Address, ...]:
    """Return the addresses at which a model is asked, except its provider's own.

    What `options` name counts; else the first of the provider's variables in the environment.
    """
    provider = provider_of(name)
    named = _in_options(options) or _in_environment(provider)
    return tuple(address for address in named if not _is_safe_and_own(provider, address))


def _in_options(options: Mapping[str, object]) -> list[Address]:
    return [
        _address(value, f"{option} in memproc.toml", in_environment=False)
        for option in _BASES
        if isinstance(value := options.get(option), str) and value.strip()
    ]


def _in_environment(provider: str) -> list[Address]:
    if provider not in OWN_HOSTS:
        return []
    for variable in _BASE_VARIABLES.get(provider, (f"{provider.upper()}_API_BASE",)):
        if (value := os.environ.get(variable, "")).strip():
            return [_address(value, f"{variable} in the environment", in_environment=True)]
    return []


def _address(value: str, named_by: str, *, in_environment: bool) -> Address:
    is_encrypted = value.strip().lower().startswith("https://")
    return Address(host_of(value), is_encrypted, named_by, in_environment)


def _is_safe_and_own(provider: str, address: Address) -> bool:
    is_safe = address.is_encrypted or is_loopback(address.host)
    return is_safe and is_own_host(provider, address.host)


def host_asked(model: Model) -> str:
    """Return the host at which a model is asked, fit to be shown."""
    if model.addresses:
        return model.addresses[0].host
    for option in _BASES:
        if model.options.get(option):
            return host_of(str(model.options[option]))
    return OWN_HOSTS.get(model.provider, (f"the provider {model.provider}",))[0]


def is_ones_own(options: Mapping[str, object]) -> bool:
    """Return whether these options lead to a server of the person's choice.

    There a model's name means what that server likes.
    """
    return not options.keys().isdisjoint(_BASES)


def is_local(name: str, options: Mapping[str, object]) -> bool:
    """Return whether a model runs on this machine or in the local network, where calls are free.

    That is known by its address, or by a name without a domain.
    """
    base = options.get("api_base", options.get("base_url"))
    if not isinstance(base, str):
        return provider_of(name) in LOCAL_PROVIDERS
    host = host_of(base)
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def is_own_host(provider: str, host: str) -> bool:
    """Return whether a host is the provider's own, or this machine for a provider running here."""
    if provider in LOCAL_PROVIDERS and is_loopback(host):
        return True
    return any(host == own or host.endswith(f".{own}") for own in OWN_HOSTS.get(provider, ()))


def is_loopback(host: str) -> bool:
    """Return whether a host is this very machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def names_a_host(names: Sequence[str], value: str) -> bool:
    """Return whether a value names a host that LiteLLM may send something to.

    `names` lead to it in a table of options.
    """
    if not value.strip() or not names or names[-1].lower() in _TELLS_WHO_ASKS:
        return False
    # A name with a slash is a pattern for models.
    options = [name for name in names if "/" not in name]
    if "://" in value or any(_MAY_NAME_A_HOST.search(name) for name in options):
        return True
    return any(_PLACE.search(name) for name in options) and not _PLAIN_PLACE.fullmatch(value)


def host_of(value: str) -> str:
    """Return the host of an address in lower case, fit to be shown; "(unreadable)" if none."""
    text = value.strip()
    host = None
    with suppress(ValueError):
        host = ip_address(text).compressed if ":" in text else None
    with suppress(ValueError):
        host = host or urlsplit(text if "//" in text else f"//{text}").hostname
    return readable_host(host or "")


def readable_host(host: str) -> str:
    """Return a host fit to be shown: a long name without a dot may be a misplaced key."""
    is_hidden = not host or (
        len(host) > _LONGEST_SHORT_NAME and "." not in host and ":" not in host
    )
    return "(unreadable)" if is_hidden else host
