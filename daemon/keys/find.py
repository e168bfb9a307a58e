"""Where a provider's key is: the environment, then what systemd hands over, memproc's file, the system keyring."""

from collections.abc import Mapping
from pathlib import Path

from daemon.keys.credentials import credential
from daemon.keys.file import keys_file, read_keys
from daemon.keys.key import Key, NoKey, NotAKey, read_key
from daemon.keys.keyring import SYSTEM, Keyring, Silent
from primer.models import key_variables
from rules.errors import ConfigurationError


def find_key(provider: str, environ: Mapping[str, str], folder: Path, keyring: Keyring = SYSTEM) -> Key | NoKey:
    """The key of a provider, by LiteLLM's name of it, and where it was found. `folder` is the state folder.

    A keyring that does not answer within three seconds counts as not there. Raises ConfigurationError where a
    key is kept in a way that cannot be used, and FileTrouble where the file cannot be read.
    """
    variables = key_variables(provider)
    if not variables:
        return NoKey(provider, f'memproc keeps no key for the provider "{provider}"')
    for variable in set_variables(provider, environ):
        return Key(_usable(environ[variable], f"{variable} in the environment"), "environment")
    if handed := credential(variables[0], environ):
        return Key(_usable(handed, f"The credential {variables[0]}"), "credential")
    kept = read_keys(folder)
    if variables[0] in kept:
        return Key(kept[variables[0]], "file")
    found = keyring.read(provider)
    if isinstance(found, str):
        return Key(_usable(found, f"The key for {provider} in the system keyring"), "keyring")
    silence = found.reason if isinstance(found, Silent) else "has no key for it"
    return NoKey(
        provider, f"{variables[0]} is not set, {keys_file(folder)} does not name it, and the system keyring {silence}"
    )


def set_variables(provider: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The environment variables that hold a key of this provider; the first one counts."""
    return tuple(variable for variable in key_variables(provider) if environ.get(variable, "").strip())


def _usable(text: str, place: str) -> str:
    value = read_key(text)
    if isinstance(value, NotAKey):
        raise ConfigurationError(f"{place} {value.reason}.", "Set it again: memproc key set PROVIDER")
    return value
