"""Find, store and forget providers' keys.

They are looked for in the environment, systemd's credentials, memproc's own file and the system
keyring, and count in that order. A key is never printed, logged, archived or given as an argument;
it goes from where it was found into a call.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from daemon.config.key_stores import (
    SYSTEM,
    Keyring,
    NoKeyring,
    NotAKey,
    change_key,
    keys_file,
    read_keys,
    refuse_shared,
)
from daemon.files.reasons import file_errors
from primer.models import KEY_VARIABLES, key_variables
from rules.errors import ConfigurationError

Where = Literal["environment", "credential", "file", "keyring"]


@dataclass(frozen=True, slots=True)
class Key:
    """A provider's key. Its repr shows nothing of it, in no traceback and no archive."""

    value: str = field(repr=False)
    where: Where = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoKey:
    """There is no key for this provider; `reason` is a sentence without its full stop."""

    provider: str
    reason: str


FindKey = Callable[[str], Key | NoKey]
"""Finds the key for a provider, or why there is none."""


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The places where a key was stored or removed; `no_keyring` completes "the keyring ...".

    It is empty where the keyring did its part, or was not asked.
    """

    where: tuple[Where, ...]
    no_keyring: str = ""


_NO_CREDENTIAL = "-"
"""The systemd unit's text where there is no file with a key: empty credentials do not exist."""


def find_key(
    provider: str, environ: Mapping[str, str], folder: Path, keyring: Keyring = SYSTEM
) -> Key | NoKey:
    """Return a provider's key and where it was found; `provider` is LiteLLM's name for it.

    `folder` is the state folder. A keyring that does not answer within three seconds counts as
    missing. Raise ConfigurationError where a key is kept in a way that cannot be used, and
    FileTrouble where the file cannot be read.
    """
    variables = key_variables(provider)
    if not variables:
        return NoKey(provider, f'memproc keeps no key for the provider "{provider}"')
    variable = variables[0]
    for other in set_variables(provider, environ):
        return Key(_usable(environ[other], f"{other} in the environment", provider), "environment")
    if credential := _credential(variable, environ):
        return Key(_usable(credential, f"The credential {variable}", provider), "credential")
    if key := read_keys(folder).get(variable):
        return Key(key, "file")
    answer = keyring.read(provider)
    if isinstance(answer, str):
        return Key(
            _usable(answer, f"The key for {provider} in the system keyring", provider), "keyring"
        )
    nothing = "the system keyring has no key for it"
    silence = answer.reason if isinstance(answer, NoKeyring) else nothing
    return NoKey(
        provider,
        f"{variable} is not set, {keys_file(folder)} does not name it, and {silence}",
    )


def keys(folder: Path) -> FindKey:
    """Return a function that finds keys, asking once for each provider: a keyring takes time."""
    return cache(lambda provider: find_key(provider, os.environ, folder))


def as_if_kept(key: FindKey, missing: list[str]) -> FindKey:
    """Return a search that finds every key. It puts the providers without one into `missing`.

    With it, a plan is the one that there would be with these keys; without, it is the engine's.
    """

    def find(provider: str) -> Key | NoKey:
        answer = key(provider)
        if isinstance(answer, Key):
            return answer
        missing.append(provider)
        return Key("none", "environment")

    return find


def noting(key: FindKey, noted: dict[str, Key | NoKey]) -> FindKey:
    """Return a search that finds what `key` finds, and notes it for each provider."""
    return lambda provider: noted.setdefault(provider, key(provider))


def store_key(
    provider: str, value: str, folder: Path, prefer: Where, keyring: Keyring = SYSTEM
) -> KeyChange:
    """Put a key into the keyring, or the file if that does not answer or `prefer` is "file".

    The file counts before the keyring, so an older key there is removed. Raise ConfigurationError
    or FileTrouble where the file is not in order.
    """
    variable = KEY_VARIABLES[provider]
    read_keys(folder)  # a file that is not in order is told before a key is anywhere
    answer = NoKeyring("") if prefer == "file" else keyring.write(provider, value)
    if isinstance(answer, NoKeyring):
        change_key(folder, variable, value)
        return KeyChange(("file",), answer.reason)
    change_key(folder, variable)
    return KeyChange(("keyring",))


def forget_key(provider: str, folder: Path, keyring: Keyring = SYSTEM) -> KeyChange:
    """Take a key out of the file and the keyring; the environment cannot be unset from here.

    Raise ConfigurationError or FileTrouble where the file is not in order.
    """
    where: tuple[Where, ...] = ("file",) if change_key(folder, KEY_VARIABLES[provider]) else ()
    answer = keyring.forget(provider)
    if isinstance(answer, NoKeyring):
        return KeyChange(where, answer.reason)
    return KeyChange((*where, "keyring") if answer else where)


def set_variables(provider: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environment variables that hold a key of this provider; the first one counts."""
    return tuple(
        variable for variable in key_variables(provider) if environ.get(variable, "").strip()
    )


def read_key(text: str) -> str | NotAKey:
    """Return the key that a person wrote, without white space around it, or why it is none.

    Keys travel in HTTP headers, and what does not fit there would come back in an error's words.
    """
    value = text.strip()
    reasons = {
        "is empty": not value,
        "has a space or a line break inside": any(character.isspace() for character in value),
        "has a control character inside": not value.isprintable(),
        "has a character that no key has; was something else copied?": not value.isascii(),
    }
    return next((NotAKey(reason) for reason, is_so in reasons.items() if is_so), value)


def _usable(text: str, place: str, provider: str) -> str:
    """Return the key in `text`.

    Raise ConfigurationError, which names the place and never the text.
    """
    value = read_key(text)
    if isinstance(value, NotAKey):
        raise ConfigurationError(
            f"{place} {value.reason}.", f"Set it again: memproc key set {provider}"
        )
    return value


def _credential(variable: str, environ: Mapping[str, str]) -> str:
    """Return systemd's text for a variable, or an empty one. Raise FileTrouble."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or "/", variable)
    with file_errors(path, "read"):
        text = path.read_text("utf-8", "replace").strip() if folder and path.is_file() else ""
    return "" if text == _NO_CREDENTIAL else text


def credential_files(folder: Path) -> tuple[tuple[str, Path], ...]:
    """Return the variables that have a file in `folder`, each with it, for systemd to hand on.

    Raise ConfigurationError where others can read one, and FileTrouble where it cannot be looked
    at.
    """
    files = tuple(
        (name, folder / name)
        for name in sorted(KEY_VARIABLES.values())
        if (folder / name).is_file()
    )
    for _, path in files:
        with file_errors(path, "read"):
            refuse_shared(path, path.stat())
    return files
