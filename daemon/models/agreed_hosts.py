"""The hosts that a key may go to.

A key goes to its provider's own address, and to another one that the person has agreed to:

- in the environment that holds the key, by a variable that LiteLLM reads (ANTHROPIC_API_BASE);
- in a memproc.toml of their own configuration folder, or named by --config or $MEMPROC_CONFIG;
- with `memproc key allow PROVIDER HOST`.

A memproc.toml merely found in the current folder names nothing. No key goes over plain HTTP, except
to this machine.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from daemon.config.key_stores import private_content, write_private
from daemon.config.keys import Key, NoKey
from daemon.config.model_tables import ModelSettings
from daemon.models.addresses import addresses, host_of, is_loopback, is_own_host, names_a_host
from primer.models import Address, provider_of
from rules.errors import ConfigurationError

KEY_HEADERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
NO_KEYS = frozenset({"", "none", "fake-api-key", "stub-xinference-key", "lemonade"})
"""Sent where an interface wants a key and there is none: memproc's own word, and LiteLLM's."""
_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_LINE = re.compile(r"(\S+)\s+(\S+)")
_ENVIRONMENT_OF_THE_KEY = ("environment", "credential")


@dataclass(frozen=True, slots=True)
class AddressRefusal:
    """Why a key must not go where it would go, as a sentence, and what the person can do."""

    reason: str
    next_step: str


def hosts_file() -> Path:
    """Return the path of the file that lists the hosts allowed by the person."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def allowed() -> tuple[tuple[str, str], ...]:
    """Return every provider and host that the person allowed.

    Raises ConfigurationError where others can write the file, FileTrouble where it cannot be read.
    """
    text = (private_content(hosts_file(), _refuse_foreign) or b"").decode("utf-8", "replace")
    lines = (
        _LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#")
    )
    return tuple((line[1], line[2]) for line in lines if line)


def allow(provider: str, host: str) -> Path:
    """Let the provider's key go to a host. Return the file that says so; raises as `allowed`."""
    others = [pair for pair in allowed() if pair != (provider, host)]
    return write_private(hosts_file(), [_HEADING, *map(" ".join, [*others, (provider, host)])])


def disallow(provider: str, host: str) -> bool:
    """Take that back. Return whether it was allowed; raises as `allowed`."""
    pairs = allowed()
    others = [pair for pair in pairs if pair != (provider, host)]
    if len(others) < len(pairs):
        write_private(hosts_file(), [_HEADING, *map(" ".join, others)])
    return len(others) < len(pairs)


def _refuse_foreign(path: Path, status: os.stat_result) -> None:
    """Raise ConfigurationError where somebody else could have written the list of hosts."""
    if sys.platform == "win32":
        return
    is_open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if is_open_to_others or status.st_uid != os.geteuid():
        raise ConfigurationError(
            f"{path} can be changed by others, so no host in it counts.",
            f"Look at it, make it yours: chmod 600 {path}",
        )


def refusal(name: str, settings: ModelSettings, key: Key | NoKey) -> AddressRefusal | None:
    """Refuse a model whose key would go where the person has not agreed to send it.

    Raises ConfigurationError or FileTrouble where the list of allowed hosts cannot be used.
    """
    options = settings.options_for(name)
    for host in _hosts_found_here(name, settings, options):
        if refused := _refuse_found(name, host, key):
            return refused
    sends_key = isinstance(key, Key) or _has_key_in_header(options)
    for address in addresses(name, options):
        if sends_key and not address.is_encrypted and not is_loopback(address.host):
            return _over_plain_http(provider_of(name), address)
        if refused := _refuse_foreign_environment(provider_of(name), address, key):
            return refused
    return None


def _hosts_found_here(
    name: str, settings: ModelSettings, options: Mapping[str, object]
) -> Iterator[str]:
    """Yield the hosts that a memproc.toml names which was merely found in the current folder."""
    if not settings.found_here:
        return
    if "://" in name:
        yield host_of(name.partition("/")[2])
    yield from map(host_of, _host_options((), options))


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


def _refuse_found(name: str, host: str, key: Key | NoKey) -> AddressRefusal | None:
    provider = provider_of(name)
    is_harmless = is_own_host(provider, host) or (isinstance(key, NoKey) and is_loopback(host))
    if is_harmless or (provider, host) in allowed():
        return None
    return AddressRefusal(
        f"{name} would be asked at {host}, which is not its provider's own address. memproc.toml "
        "in this folder names it, and a file that is merely found there does not say where keys go",
        f"If you agree: memproc key allow {provider} {host}",
    )


def _over_plain_http(provider: str, address: Address) -> AddressRefusal:
    return AddressRefusal(
        f"The key for {provider} would go to {address.host} over plain HTTP, as {address.named_by} "
        "says, and everybody on the way could read it",
        "Give it an address that begins with https://. A server in your own network that wants no "
        f"key of {provider}'s can be asked as hosted_vllm/MODEL.",
    )


def _refuse_foreign_environment(
    provider: str, address: Address, key: Key | NoKey
) -> AddressRefusal | None:
    """Refuse an address of the environment for a key that is kept elsewhere."""
    in_same_place = isinstance(key, NoKey) or key.where in _ENVIRONMENT_OF_THE_KEY
    if not address.in_environment or in_same_place or (provider, address.host) in allowed():
        return None
    return AddressRefusal(
        f"The key for {provider} would go to {address.host}, as {address.named_by} says; but the "
        "key is kept elsewhere, and what stands in the environment decides nothing about it",
        f"If you agree: memproc key allow {provider} {address.host}",
    )


def _has_key_in_header(options: Mapping[str, object]) -> bool:
    tables = [options.get(name) for name in ("extra_headers", "headers")]
    headers = [item for table in tables if isinstance(table, dict) for item in table.items()]
    return any(header.lower() in KEY_HEADERS and is_key(str(value)) for header, value in headers)


def is_key(header: str) -> bool:
    """Return whether the value of such a header holds a key, not a word in the place of one."""
    return header.split(" ")[-1].lower() not in NO_KEYS
