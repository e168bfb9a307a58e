"""Find, store and forget providers' keys.

They are looked for in the environment, systemd's credentials, memproc's own file and the system
keyring; the first one that is found is used. A key is never printed, logged, archived or given as
an argument; it goes from where it was found into a call.
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
    """A provider's key. Its repr shows nothing of it, so it is in no traceback and no archive."""

    value: str = field(repr=False)
    where: Where = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoKey:
    """There is no key for this provider; `reason` is a sentence without its full stop."""

    provider: str
    reason: str


FindKey = Callable[[str], Key | NoKey]
"""A function that returns the key for a provider, or why there is none."""


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The places where a key was stored or removed.

    `no_keyring` says why the keyring could not be used; it is empty where it was, or was not asked.
    """

    where: tuple[Where, ...]
    no_keyring: str = ""


_NO_CREDENTIAL = "-"
"""The credential's text where there is no file with a key: systemd allows no empty credential."""


def find_key(
    provider: str, environ: Mapping[str, str], folder: Path, keyring: Keyring = SYSTEM
) -> Key | NoKey:
    """Return a provider's key and where it was found; `provider` is LiteLLM's name for it.

    `folder` is the state folder. A keyring that does not answer within three seconds counts as
    missing. Raises ConfigurationError where a key is kept in a way that cannot be used, and
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
    """Return a function that finds keys and caches them for each provider: a keyring takes time."""
    return cache(lambda provider: find_key(provider, os.environ, folder))


def as_if_kept(key: FindKey, missing: list[str]) -> FindKey:
    """Return a search that finds a key for every provider; those without one go into `missing`.

    So a plan shows what models would do with these keys, and not what the built-in engine would.
    """

    def find(provider: str) -> Key | NoKey:
        answer = key(provider)
        if isinstance(answer, Key):
            return answer
        missing.append(provider)
        return Key("none", "environment")

    return find


def noting(key: FindKey, noted: dict[str, Key | NoKey]) -> FindKey:
    """Return a search that returns what `key` does, and puts it into `noted` for each provider."""
    return lambda provider: noted.setdefault(provider, key(provider))


def store_key(
    provider: str, value: str, folder: Path, prefer: Where, keyring: Keyring = SYSTEM
) -> KeyChange:
    """Store a key in the keyring, or in the file if that does not answer or `prefer` is "file".

    The file is read before the keyring, so an older key in it is removed. Raises ConfigurationError
    or FileTrouble where the file cannot be used.
    """
    variable = KEY_VARIABLES[provider]
    read_keys(folder)  # raises for a broken file before the key is stored anywhere
    answer = NoKeyring("") if prefer == "file" else keyring.write(provider, value)
    if isinstance(answer, NoKeyring):
        change_key(folder, variable, value)
        return KeyChange(("file",), answer.reason)
    change_key(folder, variable)
    return KeyChange(("keyring",))


def forget_key(provider: str, folder: Path, keyring: Keyring = SYSTEM) -> KeyChange:
    """Remove a key from the file and the keyring; the environment cannot be changed from here.

    Raises ConfigurationError or FileTrouble where the file cannot be used.
    """
    where: tuple[Where, ...] = ("file",) if change_key(folder, KEY_VARIABLES[provider]) else ()
    answer = keyring.forget(provider)
    if isinstance(answer, NoKeyring):
        return KeyChange(where, answer.reason)
    return KeyChange((*where, "keyring") if answer else where)


def set_variables(provider: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the environment variables that hold a key of this provider; the first one is used."""
    return tuple(
        variable for variable in key_variables(provider) if environ.get(variable, "").strip()
    )


def read_key(text: str) -> str | NotAKey:
    """Return the key that a user entered, without white space around it, or why it cannot be a key.

    Keys are sent in HTTP headers; one that does not fit there would be repeated in an error
    message.
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

    Raises ConfigurationError, which names the place and never the text.
    """
    value = read_key(text)
    if isinstance(value, NotAKey):
        raise ConfigurationError(
            f"{place} {value.reason}.", f"Set it again: memproc key set {provider}"
        )
    return value


def _credential(variable: str, environ: Mapping[str, str]) -> str:
    """Return the content of systemd's credential for a variable, or "". Raises FileTrouble."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or "/", variable)
    with file_errors(path, "read"):
        text = path.read_text("utf-8", "replace").strip() if folder and path.is_file() else ""
    return "" if text == _NO_CREDENTIAL else text


def credential_files(folder: Path) -> tuple[tuple[str, Path], ...]:
    """Return the variables that have a file in `folder`, with these files, for systemd to pass on.

    Raises ConfigurationError where others can read such a file, and FileTrouble where that cannot
    be checked.
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
