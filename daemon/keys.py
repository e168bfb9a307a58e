"""A key and where it was found, or why there is none; and which texts can be a key at all."""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Literal, Protocol, TypeVar

from platformdirs import user_config_path

from daemon.files.write import file_errors, make_private, replace_file, sweep
from primer.models import KEY_VARIABLES, key_variables
from rules.errors import ConfigurationError
from service.systemd import NO_CREDENTIAL

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


@dataclass(frozen=True, slots=True)
class NotAKey:
    """A text that cannot be a key; `reason` completes "the key ..." and repeats nothing of it."""

    reason: str


def read_key(text: str) -> str | NotAKey:
    """The key that somebody wrote, without the white space around it, or why it cannot be one.

    Keys travel in HTTP headers. What does not fit there would come back in the words of an error.
    """
    value = text.strip()
    if not value:
        return NotAKey("is empty")
    if any(character.isspace() for character in value):
        return NotAKey("has a space or a line break inside")
    if not value.isprintable():
        return NotAKey("has a control character inside")
    if not value.isascii():
        return NotAKey("has a character that no key has; was something else copied?")
    return value


def credential(variable: str, environ: Mapping[str, str]) -> str:
    """The text that systemd was given for a variable; empty where there is none. Raises FileTrouble."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or "/", variable)
    with file_errors(path, "read"):
        text = path.read_text("utf-8", "replace").strip() if folder and path.is_file() else ""
    return "" if text == NO_CREDENTIAL else text


def credential_files(folder: Path) -> tuple[tuple[str, Path], ...]:
    """The variables that have a file in `folder`, each with it, for systemd to hand on.

    Raises ConfigurationError where one can be read by others, and FileTrouble where it cannot be looked at.
    """
    files = tuple((name, folder / name) for name in sorted(KEY_VARIABLES.values()) if (folder / name).is_file())
    for _, path in files:
        with file_errors(path, "read"):
            refuse_shared(path, path.stat())
    return files


_HEADING = "# Keys that memproc sends to their providers. Nobody else may read this file: chmod 600."
_LINE = re.compile(r"([A-Z0-9_]+)\s*=\s*([!#-&(-~]+)")  # no spaces, no quotes: no key has any
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_KNOWN = frozenset(KEY_VARIABLES.values())


def keys_file(folder: Path) -> Path:
    """Where the file is, in the state folder `folder`."""
    return folder / "keys.env"


def read_keys(folder: Path) -> Mapping[str, str]:
    """Each variable's key; none where there is no file.

    Raises ConfigurationError where others can read the file or a line is broken, which is named by its number
    alone, and FileTrouble where it cannot be read.
    """
    path = keys_file(folder)
    found: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        match = _LINE.fullmatch(said)
        if match is None or match[1] not in _KNOWN or match[1] in found:
            raise ConfigurationError(
                f"Line {number} of {path} is not a key.",
                "Write one VARIABLE=value a line, without quotes, each variable once. The variables that memproc "
                f"knows: {', '.join(sorted(_KNOWN))}.",
            )
        found[match[1]] = match[2]
    return found


def write_key(folder: Path, variable: str, value: str) -> Path:
    """Put a key into the file, in the place of the one it has; the folder is made where it is missing.

    Raises as `read_keys` does: a file that is not in order is not made worse.
    """
    lines = _without(folder, variable) or [_HEADING]
    return _write(folder, [*lines, f"{variable}={value}"])


def remove_key(folder: Path, variable: str) -> bool:
    """Take a key out of the file, and say whether it was there. Raises as `read_keys` does."""
    if variable not in read_keys(folder):
        return False
    _write(folder, _without(folder, variable))
    return True


def _without(folder: Path, variable: str) -> list[str]:
    """The file's lines but the variable's own; comments stay as they are."""
    read_keys(folder)
    return [line for line in _lines(keys_file(folder)) if line.partition("=")[0].strip() != variable]


def _write(folder: Path, lines: list[str]) -> Path:
    path = keys_file(folder)
    make_private(folder)
    content = "".join(f"{line}\n" for line in lines)
    sweep(path.parent)
    replace_file(path, [content.encode("utf-8", "surrogateescape")])
    return path


def _lines(path: Path) -> Iterator[str]:
    """The lines of the file, once it is certain that it is its owner's secret."""
    with file_errors(path, "read"):
        try:
            with path.open("rb") as file:
                refuse_shared(path, os.fstat(file.fileno()))
                data = file.read()
        except FileNotFoundError:
            return
    # Editors on Windows begin a file with a mark and end its lines with two characters.
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    yield from (line.rstrip("\r") for line in text.removesuffix("\n").split("\n"))


def refuse_shared(path: Path, found: os.stat_result) -> None:
    """Raise ConfigurationError where a file with keys, which `found` describes, is not its owner's alone."""
    if sys.platform == "win32":
        return  # there a file in a person's own folders is theirs by inheritance, and has no such bits
    if found.st_uid != os.geteuid():
        raise ConfigurationError(
            f"{path} belongs to another user, so its keys are not used.", f"Make it yours, then: chmod 600 {path}"
        )
    if found.st_mode & _OTHERS:
        raise ConfigurationError(
            f"{path} can be read or changed by others, so its keys are not used.",
            f"Run: chmod 600 {path}. Whoever may have read it knows the keys: consider new ones.",
        )


SERVICE = "memproc"
SECONDS = 3.0

_Answer = TypeVar("_Answer")


class Backend(Protocol):
    """A keyring as the `keyring` library shows it."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret of an account."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret for an account."""

    def delete_password(self, service: str, username: str) -> None:
        """Forget the secret of an account."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The keyring cannot be used; `reason` completes "the system keyring ..."."""

    reason: str


_NO_ANSWER = Silent("did not answer in time: it may be locked, or be asking in a window of its own")
_NOT_KEPT = Silent("did not keep it")


class Keyring:
    """A keyring with the one question that it may still owe an answer to."""

    def __init__(self, backend: Callable[[], Backend | Silent], seconds: float = SECONDS) -> None:
        self._backend = backend
        self._seconds = seconds
        self._asked = Lock()
        """Held from a question to its answer, however late that comes."""
        self._due = 0.0

    def read(self, account: str) -> str | Silent | None:
        """The secret of an account, or None."""
        return self._ask(lambda backend: backend.get_password(SERVICE, account))

    def write(self, account: str, secret: str) -> Silent | None:
        """Keep a secret. Some keyrings take everything and keep nothing, so it is read back."""

        def keep(backend: Backend) -> Silent | None:
            backend.set_password(SERVICE, account, secret)
            return None if backend.get_password(SERVICE, account) == secret else _NOT_KEPT

        return self._ask(keep)

    def forget(self, account: str) -> bool | Silent:
        """Forget the secret of an account, and say whether there was one."""

        def drop(backend: Backend) -> bool:
            if backend.get_password(SERVICE, account) is None:
                return False
            backend.delete_password(SERVICE, account)
            return True

        return self._ask(drop)

    def _ask(self, question: Callable[[Backend], _Answer | Silent]) -> _Answer | Silent:
        """The answer, if it comes in time. While an older question is overdue, no other is asked."""
        if not self._asked.acquire(timeout=max(0.0, self._due - monotonic())):
            return _NO_ANSWER
        self._due = monotonic() + self._seconds
        answers: SimpleQueue[_Answer | Silent] = SimpleQueue()

        def answer() -> None:
            try:
                answers.put(self._answer(question))
            finally:
                self._asked.release()

        Thread(target=answer, name="keyring", daemon=True).start()
        try:
            return answers.get(timeout=self._seconds)
        except Empty:
            return _NO_ANSWER

    def _answer(self, question: Callable[[Backend], _Answer | Silent]) -> _Answer | Silent:
        try:
            backend = self._backend()
            return backend if isinstance(backend, Silent) else question(backend)
        except Exception as trouble:  # the boundary: keyrings are other people's programs, and raise anything
            # Their words may repeat the secret, so only the kind is told.
            return Silent(f"failed ({type(trouble).__name__})")


def _of_the_system() -> Backend | Silent:
    """The keyring that the `keyring` library finds here; imported late, since that alone talks to the system."""
    import keyring

    backend = keyring.get_keyring()
    if backend.priority <= 0:  # so the library marks its two backends that keep nothing
        return Silent("is not there on this system")
    return backend


SYSTEM = Keyring(_of_the_system)
"""The person's own keyring."""


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


_ALLOWED_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_ALLOWED_LINE = re.compile(r"(\S+)\s+(\S+)")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def hosts_file() -> Path:
    """Where the file is."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def allowed() -> tuple[tuple[str, str], ...]:
    """Every provider and host that the person allowed.

    Raises ConfigurationError where somebody else could have written the file, FileTrouble where it cannot be read.
    """
    path = hosts_file()
    with file_errors(path, "read"):
        try:
            with path.open("rb") as file:
                _refuse_foreign(path, os.fstat(file.fileno()))
                text = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ()
    lines = (_ALLOWED_LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#"))
    return tuple((line[1], line[2]) for line in lines if line)


def allowed_hosts(provider: str) -> frozenset[str]:
    """The hosts that a provider's key may go to. Raises as `allowed`."""
    return frozenset(host for each, host in allowed() if each == provider)


def allow(provider: str, host: str) -> Path:
    """Let the provider's key go to a host; where that is written. Raises as `allowed`."""
    return _write_allowed([*(line for line in allowed() if line != (provider, host)), (provider, host)])


def disallow(provider: str, host: str) -> bool:
    """Take that back, and say whether it was allowed. Raises as `allowed`."""
    lines = allowed()
    if (provider, host) not in lines:
        return False
    _write_allowed([line for line in lines if line != (provider, host)])
    return True


def _write_allowed(lines: Sequence[tuple[str, str]]) -> Path:
    path = hosts_file()
    make_private(path.parent)
    sweep(path.parent)
    replace_file(path, ["".join(f"{line}\n" for line in (_ALLOWED_HEADING, *map(" ".join, lines))).encode()])
    return path


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    if sys.platform != "win32" and (found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE):
        raise ConfigurationError(
            f"{path} can be changed by others, so no host in it counts.", f"Look at it, make it yours: chmod 600 {path}"
        )
