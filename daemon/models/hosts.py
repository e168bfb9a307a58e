"""The hosts at which models are asked, and those that a key may go to.

A key goes to its provider's own address, and to another one that the person has agreed to:

- in the environment that holds the key, by a variable that LiteLLM reads (ANTHROPIC_API_BASE);
- in a memproc.toml of their own configuration folder, or named by --config or $MEMPROC_CONFIG;
- with `memproc key allow PROVIDER HOST`.

A memproc.toml that was merely found in the current folder agrees to nothing. No key goes over plain
HTTP, except to this machine.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_config_path

from daemon.config.key_stores import private_content, write_private
from daemon.config.keys import Key, NoKey
from daemon.config.model_tables import ModelSettings
from primer.models import BASES, Address, Model, Unaskable, base_in, provider_of

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
    {"hosted_vllm", "lemonade", "llamafile", "lm_studio", "ollama", "ollama_chat", "oobabooga"}
    | {"vllm", "xinference"}
)
"""Providers that run on a machine of the person's own."""

OLLAMA = ("ollama", "ollama_chat")
_SETTINGS: Mapping[str, str] = {
    "lm_studio": "a Context Length of {tokens}",
    "vllm": "--max-model-len {tokens}",
}
_USUAL = {
    "llamafile": "http://127.0.0.1:8080",
    "ollama": "http://127.0.0.1:11434",
    "ollama_chat": "http://127.0.0.1:11434",
}
"""Where LiteLLM asks these unless an address is given."""
_LLAMA_CPP = "-c {tokens} (for each slot: it is shared out among them)"
"""The setting for the window where a server loads a model: llama.cpp's, in place of all others."""

_BASE_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    "fireworks_ai": ("FIREWORKS_API_BASE",),
    "mistral": ("MISTRAL_AZURE_API_BASE",),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "together_ai": ("TOGETHER_AI_API_BASE",),
}
"""Where LiteLLM 1.109.3 finds an address not in PROVIDER_API_BASE; the first that is set counts."""
_LOCAL_NAMES = (".local", ".localhost", ".lan", ".home.arpa", ".internal")
_LONGEST_SHORT_NAME = 24
_MAY_NAME_A_HOST = re.compile(
    r"base|url|uri|host|endpoint|prox|domain|gateway|server", re.IGNORECASE
)
_PLACE = re.compile(r"region|location", re.IGNORECASE)
_PLAIN_PLACE = re.compile(r"[A-Za-z0-9_-]*")
_TELLS_WHO_ASKS = frozenset({"referer", "http-referer", "origin"})
KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
_NO_KEYS = frozenset({"", "none", "fake-api-key", "stub-xinference-key", "lemonade"})
"""Sent where a client demands a key and there is none: memproc's placeholder, and LiteLLM's."""
_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_LINE = re.compile(r"(\S+)\s+(\S+)")
_WRITTEN_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find_addresses(name: str, options: Mapping[str, object]) -> tuple[Address, ...]:
    """Return the addresses at which a model is asked, except its provider's own.

    Those in `options` count; else the first of the provider's variables set in the environment.
    """
    provider = provider_of(name)
    named = list(_named(options, BASES, "memproc.toml"))
    if not named and provider in OWN_HOSTS:
        variables = _BASE_VARIABLES.get(provider, (f"{provider.upper()}_API_BASE",))
        named = list(_named(os.environ, variables, "the environment"))[:1]
    return tuple(
        address
        for address in named
        if _is_in_the_open(address) or not is_own_host(provider, address.host)
    )


def _named(table: Mapping[str, object], names: Iterable[str], place: str) -> Iterator[Address]:
    """Yield the address under each name that has one in a table; `place` says where that is."""
    for name in names:
        value = table.get(name)
        if isinstance(value, str) and value.strip():
            is_encrypted = value.strip().lower().startswith("https://")
            yield Address(host_of(value), is_encrypted, f"{name} in {place}", table is os.environ)


def _is_in_the_open(address: Address) -> bool:
    """Return whether what goes there can be read on its way: plain HTTP to another machine."""
    return not address.is_encrypted and not is_loopback(address.host)


def host_asked(model: Model) -> str:
    """Return the host at which a model is asked, fit to be shown."""
    named = (*model.addresses, *_named(model.options, BASES, "memproc.toml"))
    hosts = [address.host for address in named]
    return (*hosts, *OWN_HOSTS.get(model.provider, (f"the provider {model.provider}",)))[0]


def is_ones_own(options: Mapping[str, object]) -> bool:
    """Return whether these options lead to a server of the person's choice.

    There a model's name can mean any model.
    """
    return not options.keys().isdisjoint(BASES)


def is_local(model: Model) -> bool:
    """Return whether a model runs on this machine or in the local network, where calls are free.

    That is told by its IP address, or by a host name that is local or has no domain. A slow answer
    there means a slow machine, and no lost connection.
    """
    if not model.base:
        return model.provider in LOCAL_PROVIDERS
    host = host_of(model.base)
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def server_address(name: str, options: Mapping[str, object]) -> str:
    """Return the address of a model of one's own, as one would type it; "URL" if it is unknown."""
    base = base_in(options) or _USUAL.get(provider_of(name), "URL")
    return base.removesuffix("/v1") if base.isprintable() else "URL"


def larger_window(model: Model, tokens: int, then: str = "") -> str:
    """Return advice on how a model gets a window of at least `tokens`, in its server's own terms.

    `then` is the command to type afterwards; if empty, memproc.toml gets the window first.
    """
    if not is_local(model):
        return "Choose a model with a larger window."
    table, fit = f'[models.options."{model.name}"]', f"memproc config fit {model.name}"
    if model.provider in OLLAMA:
        write = f"Write num_ctx = {tokens} into {table} of memproc.toml, then: {fit}"
        return f"Ask Ollama for more (num_ctx): {then} --window {tokens}" if then else write
    setting = _SETTINGS.get(model.provider, _LLAMA_CPP).format(tokens=tokens)
    write = f"write window = {tokens} into {table} of memproc.toml, then: {fit}"
    return f"Start its server with {setting}, {f'then: {then}' if then else write}"


def is_own_host(provider: str, host: str) -> bool:
    """Return whether a host is the provider's own, or this machine for a provider running here."""
    if provider in LOCAL_PROVIDERS and is_loopback(host):
        return True
    return any(
        host == own_host or host.endswith(f".{own_host}")
        for own_host in OWN_HOSTS.get(provider, ())
    )


def is_loopback(host: str) -> bool:
    """Return whether a host is this very machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def names_a_host(names: Sequence[str], value: str) -> bool:
    """Return whether a value names a host that LiteLLM may send something to.

    `names` are the keys that lead to it in a table of options.
    """
    if not value.strip() or not names or names[-1].lower() in _TELLS_WHO_ASKS:
        return False
    # A name with a slash is no option but a pattern for models.
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


def hosts_file() -> Path:
    """Return the path of the file that lists the hosts allowed by the person."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def list_allowed_hosts() -> tuple[tuple[str, str], ...]:
    """Return every provider and host that the person allowed.

    Raises ConfigurationError where others can write the file, FileTrouble where it cannot be read.
    """
    text = (private_content(hosts_file(), _WRITTEN_BY_OTHERS) or b"").decode("utf-8", "replace")
    lines = (
        _LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#")
    )
    return tuple((line[1], line[2]) for line in lines if line)


def allow(provider: str, host: str, *, forget: bool = False) -> bool:
    """Let the provider's key go to a host, or `forget` that. Return whether it was allowed before.

    Raises as `list_allowed_hosts`.
    """
    pair, before = (provider, host), list_allowed_hosts()
    after = [other for other in before if other != pair]
    if not forget:
        after.append(pair)
    if pair in before or not forget:
        write_private(hosts_file(), [_HEADING, *map(" ".join, after)])
    return pair in before


def refusal(name: str, settings: ModelSettings, key: Key | NoKey) -> Unaskable | None:
    """Return why a model cannot be asked: it or its key would go where the person has not agreed.

    None where it can. Raises ConfigurationError or FileTrouble where the list of allowed hosts
    cannot be used.
    """
    provider, options = provider_of(name), settings.options_for(name)
    tables = (options.get("extra_headers"), options.get("headers"))
    headers = [pair for table in tables if isinstance(table, dict) for pair in table.items()]
    sends_key = isinstance(key, Key) or any(
        header.lower() in KEY_HEADERS and is_key(str(value)) for header, value in headers
    )
    for address in find_addresses(name, options):
        if sends_key and _is_in_the_open(address):
            return Unaskable(
                f"The key for {provider} would go to {address.host} over plain HTTP, as "
                f"{address.named_by} says, and everybody on the way could read it. Nothing was "
                "sent.",
                "Give it an address that begins with https://. A server in your own network that "
                f"wants no key of {provider}'s can be asked as hosted_vllm/MODEL.",
            )
    for host, reason in _not_agreed(name, settings, options, key):
        if not is_own_host(provider, host) and (provider, host) not in list_allowed_hosts():
            next_step = f"If you agree: memproc key allow {provider} {host}"
            return Unaskable(f"{reason}. Nothing was sent.", next_step)
    return None


def _not_agreed(
    name: str, settings: ModelSettings, options: Mapping[str, object], key: Key | NoKey
) -> Iterator[tuple[str, str]]:
    """Yield the hosts that need the person's agreement, each with a sentence that says why."""
    provider = provider_of(name)
    in_name = [name.partition("/")[2]] if "://" in name else []
    named_here = [*in_name, *_host_options((), options)] if settings.found_here else []
    for host in map(host_of, named_here):
        if isinstance(key, Key) or not is_loopback(host):
            yield (
                host,
                f"{name} would be asked at {host}, which is not its provider's own address. "
                "memproc.toml in this folder names it, and a file that is merely found there does "
                "not say where keys go",
            )
    if isinstance(key, Key) and key.where not in ("environment", "credential"):
        for address in find_addresses(name, options):
            if address.in_environment:
                yield (
                    address.host,
                    f"The key for {provider} would go to {address.host}, as {address.named_by} "
                    "says; but the key is kept elsewhere, and what stands in the environment "
                    "decides nothing about it",
                )


def _host_options(place: tuple[str, ...], value: object) -> Iterator[str]:
    """Yield every value in a table of options that names a host."""
    match value:
        case dict():
            for name, inner in value.items():
                yield from _host_options((*place, name), inner)
        case list():
            for inner in value:
                yield from _host_options(place, inner)
        case str() if names_a_host(place, value):
            yield value


def is_key(header: str) -> bool:
    """Return whether the value of such a header holds a key, and not a placeholder."""
    return header.split(" ")[-1].lower() not in _NO_KEYS
