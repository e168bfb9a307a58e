"""Providers' keys: looked for in the environment, systemd's credentials, memproc's own file and the system keyring.

That is the order in which they count. First stands the keyring, which may hang; then finding, storing and forgetting a
key; then the other places.

A key is never printed, logged, archived or given as an argument; it goes from where it was found into a call. A
keyring that shows a prompt nobody sees, or a bus that never answers, would hold up memproc for ever. So each question
to it has a thread of its own, which is left behind when it takes too long.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from daemon.config.key_file import keys_file, read_keys, refuse_shared, remove_key, write_key
from daemon.config.keyring import SYSTEM, Keyring, NoKeyring, NotAKey
from daemon.files.reasons import file_errors
from primer.models import KEY_VARIABLES, key_variables
from rules.errors import ConfigurationError

Where = Literal["environment", "credential", "file", "keyring"]


@dataclass(frozen=True, slots=True)
class Key:
    """A provider's key. Its value is in no repr, so that no message or traceback can repeat it."""

    value: str = field(repr=False)
    where: Where


@dataclass(frozen=True, slots=True)
class NoKey:
    """There is no key for this provider; `reason` is a sentence without its end."""

    provider: str
    reason: str


FindKey = Callable[[str], Key | NoKey]
"""The key for a provider, or why there is none."""


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The places that a key was put into, or taken out of; `no_keyring` completes "the system keyring ...".

    It is empty where the keyring did its part, or nobody asked it.
    """

    where: tuple[Where, ...]
    no_keyring: str = ""


_NO_CREDENTIAL = "-"
"""The text that the systemd unit hands over where there is no file with a key: systemd has no empty credentials."""


def find_key(
    provider: str, environ: Mapping[str, str], folder: Path, keyring: Keyring = SYSTEM
) -> Key | NoKey:
    """The key of a provider, by LiteLLM's name of it, and where it was found. `folder` is the state folder.

    A keyring that does not answer within three seconds counts as not there. Raises ConfigurationError where a
    key is kept in a way that cannot be used, and FileTrouble where the file cannot be read.
    """
    variables = key_variables(provider)
    if not variables:
        return NoKey(provider, f'memproc keeps no key for the provider "{provider}"')
    variable = variables[0]
    for other in set_variables(provider, environ):
        return Key(_usable(environ[other], f"{other} in the environment"), "environment")
    if credential := _credential(variable, environ):
        return Key(_usable(credential, f"The credential {variable}"), "credential")
    if key := read_keys(folder).get(variable):
        return Key(key, "file")
    answer = keyring.read(provider)
    if isinstance(answer, str):
        return Key(_usable(answer, f"The key for {provider} in the system keyring"), "keyring")
    silence = answer.reason if isinstance(answer, NoKeyring) else "has no key for it"
    return NoKey(
        provider,
        f"{variable} is not set, {keys_file(folder)} does not name it, and the system keyring {silence}",
    )


def keys(folder: Path) -> FindKey:
    """Finds keys, memproc's own file being in `folder`; each provider's is looked for once, as a keyring takes time."""
    return cache(lambda provider: find_key(provider, os.environ, folder))


def store_key(
    provider: str, value: str, folder: Path, prefer: Where, keyring: Keyring = SYSTEM
) -> KeyChange:
    """Put a key into the keyring, or into the file where that does not answer or `prefer` is "file".

    The file counts before the keyring, so an older key there has to go. Raises ConfigurationError or
    FileTrouble where the file is not in order.
    """
    variable = KEY_VARIABLES[provider]
    read_keys(folder)  # a file that is not in order is told before a key is anywhere
    answer = NoKeyring("") if prefer == "file" else keyring.write(provider, value)
    if isinstance(answer, NoKeyring):
        write_key(folder, variable, value)
        return KeyChange(("file",), answer.reason)
    remove_key(folder, variable)
    return KeyChange(("keyring",))


def forget_key(provider: str, folder: Path, keyring: Keyring = SYSTEM) -> KeyChange:
    """Take a key out of the file and the keyring. The environment is the person's: it cannot be unset from here.

    Raises ConfigurationError or FileTrouble where the file is not in order.
    """
    where: tuple[Where, ...] = ("file",) if remove_key(folder, KEY_VARIABLES[provider]) else ()
    answer = keyring.forget(provider)
    if isinstance(answer, NoKeyring):
        return KeyChange(where, answer.reason)
    return KeyChange((*where, "keyring") if answer else where)


def set_variables(provider: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The environment variables that hold a key of this provider; the first one counts."""
    return tuple(
        variable for variable in key_variables(provider) if environ.get(variable, "").strip()
    )


def read_key(text: str) -> str | NotAKey:
    """The key that somebody wrote, without the white space around it, or why it cannot be one.

    Keys travel in HTTP headers. What does not fit there would come back in the words of an error.
    """
    value = text.strip()
    reasons = {
        "is empty": not value,
        "has a space or a line break inside": any(character.isspace() for character in value),
        "has a control character inside": not value.isprintable(),
        "has a character that no key has; was something else copied?": not value.isascii(),
    }
    return next((NotAKey(reason) for reason, is_so in reasons.items() if is_so), value)


def _usable(text: str, place: str) -> str:
    """The key in `text`. Raises ConfigurationError, which names the place and repeats nothing, where it is none."""
    value = read_key(text)
    if isinstance(value, NotAKey):
        raise ConfigurationError(
            f"{place} {value.reason}.", "Set it again: memproc key set PROVIDER"
        )
    return value


def _credential(variable: str, environ: Mapping[str, str]) -> str:
    """The text that systemd was given for a variable; empty where there is none. Raises FileTrouble."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or "/", variable)
    with file_errors(path, "read"):
        text = path.read_text("utf-8", "replace").strip() if folder and path.is_file() else ""
    return "" if text == _NO_CREDENTIAL else text


def credential_files(folder: Path) -> tuple[tuple[str, Path], ...]:
    """The variables that have a file in `folder`, each with it, for systemd to hand on.

    Raises ConfigurationError where one can be read by others, and FileTrouble where it cannot be looked at.
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
