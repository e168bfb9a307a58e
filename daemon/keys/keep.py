"""Keeps a provider's key where nobody else can read it, and forgets it again."""

from dataclasses import dataclass
from pathlib import Path

from daemon.keys.file import read_keys, remove_key, write_key
from daemon.keys.key import Where
from daemon.keys.keyring import SYSTEM, Keyring, Silent
from primer.models import KEY_VARIABLES


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a key was put; `why_not_keyring` completes "the system keyring ...", empty where nobody asked it."""

    where: Where
    why_not_keyring: str = ""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The places that a key was taken out of; `unanswered` is why the keyring could not be asked, if so."""

    where: tuple[Where, ...]
    unanswered: str = ""


def store_key(provider: str, value: str, folder: Path, prefer: Where, keyring: Keyring = SYSTEM) -> Stored:
    """Put a key into the keyring, or into the file where that does not answer or `prefer` is "file".

    The file counts before the keyring, so an older key there has to go. Raises ConfigurationError or
    FileTrouble where the file is not in order.
    """
    variable = KEY_VARIABLES[provider]
    read_keys(folder)  # a file that is not in order is told before a key is anywhere
    answer = Silent("") if prefer == "file" else keyring.write(provider, value)
    if isinstance(answer, Silent):
        write_key(folder, variable, value)
        return Stored("file", answer.reason)
    remove_key(folder, variable)
    return Stored("keyring")


def forget_key(provider: str, folder: Path, keyring: Keyring = SYSTEM) -> Forgotten:
    """Take a key out of the file and the keyring. The environment is the person's: it cannot be unset from here.

    Raises ConfigurationError or FileTrouble where the file is not in order.
    """
    where: list[Where] = []
    if remove_key(folder, KEY_VARIABLES[provider]):
        where.append("file")
    answer = keyring.forget(provider)
    if isinstance(answer, Silent):
        return Forgotten(tuple(where), answer.reason)
    if answer:
        where.append("keyring")
    return Forgotten(tuple(where))
