"""The addresses at which models are asked, and whether a key may go there.

A key goes to its provider's own address. Another one counts as agreed where the person has named it:
- in the same environment as the key, by a variable that LiteLLM reads (ANTHROPIC_API_BASE and its kin);
- in a memproc.toml of their own configuration folder, or one named by --config or $MEMPROC_CONFIG;
- with `memproc key allow PROVIDER HOST`.
A memproc.toml that was merely found in the current folder names nothing. No key goes over plain HTTP, except to this
machine.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from platformdirs import user_config_path

from daemon.config.keys import Key, NoKey, private_content, write_private
from daemon.config.settings import ModelSettings
from primer.models import provider_of
from rules.errors import ConfigurationError

_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_LINE = re.compile(r"(\S+)\s+(\S+)")


def hosts_file() -> Path:
    """The file with the hosts that keys may go to beside their providers' own."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def allowed() -> tuple[tuple[str, str], ...]:
    """Every provider and host that the person allowed.

    Raises ConfigurationError where somebody else could have written the file, FileTrouble where it cannot be read.
    """
    text = (private_content(hosts_file(), _refuse_foreign) or b"").decode("utf-8", "replace")
    lines = (
        _LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#")
    )
    return tuple((line[1], line[2]) for line in lines if line)


def allow(provider: str, host: str) -> Path:
    """Let the provider's key go to a host; gives back the file that says so. Raises as `allowed`."""
    others = [pair for pair in allowed() if pair != (provider, host)]
    return write_private(hosts_file(), [_HEADING, *map(" ".join, [*others, (provider, host)])])


def disallow(provider: str, host: str) -> bool:
    """Take that back, and say whether it was allowed. Raises as `allowed`."""
    pairs = allowed()
    others = [pair for pair in pairs if pair != (provider, host)]
    if len(others) < len(pairs):
        write_private(hosts_file(), [_HEADING, *map(" ".join, others)])
    return len(others) < len(pairs)


def _refuse_foreign(path: Path, status: os.stat_result) -> None:
    """Raise ConfigurationError where somebody else could have written the list of hosts."""
    if sys.platform != "win32" and (
        status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise ConfigurationError(
            f"{path} can be changed by others, so no host in it counts.",
            f"Look at it, make it yours: chmod 600 {path}",
        )


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
"""The hosts of each provider whose key memproc keeps; hosts below these are theirs too (eu.api.openai.com)."""

_BASE_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    "fireworks_ai": ("FIREWORKS_API_BASE",),
    "mistral": ("MISTRAL_AZURE_API_BASE",),
    "openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "together_ai": ("TOGETHER_AI_API_BASE",),
}
"""The variables in which LiteLLM 1.106.2 looks for a provider's address, where it is not PROVIDER_API_BASE alone.

The first that is set counts.
"""

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

KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
NO_KEYS = frozenset({"", "none", "fake-api-key", "stub-xinference-key", "lemonade"})
"""The texts that are sent where an interface wants a key and there is none: memproc's own word, and LiteLLM's."""
_BASES = ("base_url", "api_base")  # where both are given, LiteLLM takes the first
_LONGEST_SHORT_NAME = 24
_MAY_NAME_A_HOST = re.compile(
    r"base|url|uri|host|endpoint|prox|domain|gateway|server", re.IGNORECASE
)
_PLACE = re.compile(r"region|location", re.IGNORECASE)
_PLAIN_PLACE = re.compile(r"[A-Za-z0-9_-]*")
_TELLS_WHO_ASKS = frozenset({"referer", "http-referer", "origin"})
_ENVIRONMENT_OF_THE_KEY = ("environment", "credential")


@dataclass(frozen=True, slots=True)
class Address:
    """An address that is not the provider's own; `named_by` says where it stands."""

    host: str
    is_encrypted: bool
    named_by: str
    in_environment: bool


@dataclass(frozen=True, slots=True)
class AddressRefusal:
    """Why a key must not go where it would go, as a sentence, and what the person can do."""

    reason: str
    next_step: str


def addresses(name: str, options: Mapping[str, object]) -> tuple[Address, ...]:
    """The addresses at which a model is asked by these options or this environment, if not its provider's own."""
    provider = provider_of(name)
    given = [(options.get(option), f"{option} in memproc.toml") for option in _BASES]
    named = [
        (value, named_by) for value, named_by in given if isinstance(value, str) and value.strip()
    ]
    in_environment = not named
    if in_environment and provider in OWN_HOSTS:
        variables = _BASE_VARIABLES.get(provider, (f"{provider.upper()}_API_BASE",))
        named = [
            (os.environ.get(variable, ""), f"{variable} in the environment")
            for variable in variables
        ]
    others = [
        Address(
            host_of(value), value.strip().lower().startswith("https://"), named_by, in_environment
        )
        for value, named_by in named
        if value.strip()
    ]
    return tuple(
        address
        for address in (others[:1] if in_environment else others)
        if not (
            is_own(provider, address.host) and (address.is_encrypted or is_loopback(address.host))
        )
    )


def host_asked(name: str, options: Mapping[str, object]) -> str:
    """The host at which a model is asked by these options or this environment, fit to be shown."""
    provider = provider_of(name)
    if named := addresses(name, options):
        return named[0].host
    own = [host_of(str(options[option])) for option in _BASES if options.get(option)]
    return (*own, *OWN_HOSTS.get(provider, ()), f"the provider {provider}")[0]


def refusal(
    name: str, settings: ModelSettings, find: Callable[[str], Key | NoKey]
) -> AddressRefusal | None:
    """Why a model cannot be asked with the key that `find` has for it as these settings say; None where it can.

    Raises ConfigurationError or FileTrouble where the list of allowed hosts cannot be used.
    """
    provider, options = provider_of(name), settings.options_for(name)
    named = addresses(name, options)
    written = list(map(host_of, _host_options((), options))) if settings.found_here else []
    if settings.found_here and "://" in name:
        written.insert(0, host_of(name.partition("/")[2]))
    if not named and not written:
        return None
    key = find(provider)
    tables = [
        table
        for table in (options.get("extra_headers"), options.get("headers"))
        if isinstance(table, dict)
    ]
    headers = [(header.lower(), str(value)) for table in tables for header, value in table.items()]
    sends_key = isinstance(key, Key) or any(
        header in KEY_HEADERS and is_key(value) for header, value in headers
    )
    for host in written:
        is_harmless = is_own(provider, host) or (isinstance(key, NoKey) and is_loopback(host))
        if not is_harmless and (provider, host) not in allowed():
            return AddressRefusal(
                f"{name} would be asked at {host}, which is not its provider's own address. memproc.toml in this "
                "folder names it, and a file that is merely found there does not say where keys go",
                f"If you agree: memproc key allow {provider} {host}",
            )
    for address in named:
        if sends_key and not address.is_encrypted and not is_loopback(address.host):
            return AddressRefusal(
                f"The key for {provider} would go to {address.host} over plain HTTP, as {address.named_by} says, and "
                "everybody on the way could read it",
                "Give it an address that begins with https://. A server in your own network that wants no key of "
                f"{provider}'s can be asked as hosted_vllm/MODEL.",
            )
        in_same_place = not isinstance(key, Key) or key.where in _ENVIRONMENT_OF_THE_KEY
        if (
            address.in_environment
            and not in_same_place
            and (provider, address.host) not in allowed()
        ):
            return AddressRefusal(
                f"The key for {provider} would go to {address.host}, as {address.named_by} says; but the key is kept "
                "elsewhere, and what stands in the environment decides nothing about it",
                f"If you agree: memproc key allow {provider} {address.host}",
            )
    return None


def is_key(header: str) -> bool:
    """Whether the value of such a header holds a key, and no word that stands for none."""
    return header.split(" ")[-1].lower() not in NO_KEYS


def is_own(provider: str, host: str) -> bool:
    """Whether a host is the provider's own; for one that runs locally, whether it is this machine."""
    if provider in LOCAL_PROVIDERS and is_loopback(host):
        return True
    return any(host == own or host.endswith(f".{own}") for own in OWN_HOSTS.get(provider, ()))


def is_loopback(host: str) -> bool:
    """Whether a host is this very machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _host_options(place: tuple[str, ...], value: object) -> Iterator[str]:
    """Every value in a table of options that names a host."""
    match value:
        case dict():
            for name, inner in value.items():
                yield from _host_options((*place, name), inner)
        case list():
            for inner in value:
                yield from _host_options(place, inner)
        case str() if names_a_host(place, value):
            yield value


def names_a_host(names: Sequence[str], value: str) -> bool:
    """Whether a value names a host that LiteLLM may send something to; `names` lead to it in a table of options."""
    if not value.strip() or not names or names[-1].lower() in _TELLS_WHO_ASKS:
        return False
    options = [
        name for name in names if "/" not in name
    ]  # a name with a slash is a pattern for models
    if "://" in value or any(_MAY_NAME_A_HOST.search(name) for name in options):
        return True
    return any(_PLACE.search(name) for name in options) and not _PLAIN_PLACE.fullmatch(value)


def host_of(value: str) -> str:
    """The host in an address, in lower case, fit to be shown; "(unreadable)" where there is none."""
    text = value.strip()
    host = None
    with suppress(ValueError):
        host = ip_address(text).compressed if ":" in text else None
    with suppress(ValueError):
        host = host or urlsplit(text if "//" in text else f"//{text}").hostname
    return readable(host or "")


def readable(host: str) -> str:
    """The host as it may be shown: a long name without a dot may be a key that was put in the wrong place."""
    is_hidden = not host or (
        len(host) > _LONGEST_SHORT_NAME and "." not in host and ":" not in host
    )
    return "(unreadable)" if is_hidden else host
