"""Providers' keys: looked for in the environment, systemd's credentials, memproc's own file and the system keyring.

That is the order in which they count. First stands the keyring, which may hang; then finding, storing and forgetting a
key; then the other places.

A key is never printed, logged, archived or given as an argument; it goes from where it was found into a call. A
keyring that shows a prompt nobody sees, or a bus that never answers, would hold up memproc for ever. So each question
to it has a thread of its own, which is left behind when it takes too long.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Literal, TypeVar

from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.sweeping import sweep
from daemon.files.write import replace_file
from primer.models import KEY_VARIABLES, key_variables
from rules.errors import ConfigurationError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

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
class NotAKey:
    """A text that cannot be a key; `reason` completes "the key ..." and repeats nothing of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoKeyring:
    """The system keyring cannot be used; `reason` completes "the system keyring ..."."""

    reason: str


@dataclass(frozen=True, slots=True)
class KeyChange:
    """The places that a key was put into, or taken out of; `no_keyring` completes "the system keyring ...".

    It is empty where the keyring did its part, or nobody asked it.
    """

    where: tuple[Where, ...]
    no_keyring: str = ""


_NO_CREDENTIAL = "-"
"""The text that the systemd unit hands over where there is no file with a key: systemd has no empty credentials."""
SERVICE = "memproc"
SECONDS = 3.0
_NO_ANSWER = NoKeyring(
    "did not answer in time: it may be locked, or be asking in a window of its own"
)
_Answer = TypeVar("_Answer")


class Keyring:
    """A keyring that is asked for a few seconds at most, since it may hang or wait for a window to be closed."""

    def __init__(
        self, backend: "Callable[[], KeyringBackend | NoKeyring]", seconds: float = SECONDS
    ) -> None:
        self._backend = backend
        self._seconds = seconds
        self._asked = Lock()
        """Held from a question to its answer, however late that comes."""
        self._due = 0.0

    def read(self, account: str) -> str | NoKeyring | None:
        """The secret of an account, or None."""
        return self._ask(lambda backend: backend.get_password(SERVICE, account))

    def write(self, account: str, secret: str) -> NoKeyring | None:
        """Keep a secret. Some keyrings take everything and keep nothing, so it is read back."""

        def keep(backend: "KeyringBackend") -> NoKeyring | None:
            backend.set_password(SERVICE, account, secret)
            is_kept = backend.get_password(SERVICE, account) == secret
            return None if is_kept else NoKeyring("did not keep it")

        return self._ask(keep)

    def forget(self, account: str) -> bool | NoKeyring:
        """Forget the secret of an account, and say whether there was one."""

        def drop(backend: "KeyringBackend") -> bool:
            is_kept = backend.get_password(SERVICE, account) is not None
            if is_kept:
                backend.delete_password(SERVICE, account)
            return is_kept

        return self._ask(drop)

    def _ask(
        self, question: "Callable[[KeyringBackend], _Answer | NoKeyring]"
    ) -> _Answer | NoKeyring:
        """The answer, if it comes in time. While an older question is overdue, no other is asked."""
        if not self._asked.acquire(timeout=max(0.0, self._due - monotonic())):
            return _NO_ANSWER
        self._due = monotonic() + self._seconds
        answers: list[_Answer | NoKeyring] = []

        def answer() -> None:
            try:
                backend = self._backend()
                answers.append(backend if isinstance(backend, NoKeyring) else question(backend))
            except (
                Exception
            ) as trouble:  # the boundary: keyrings are other people's programs, and raise anything
                # Their words may repeat the secret, so only the kind is told.
                answers.append(NoKeyring(f"failed ({type(trouble).__name__})"))
            finally:
                self._asked.release()

        thread = Thread(target=answer, name="keyring", daemon=True)
        thread.start()
        thread.join(self._seconds)
        return answers[0] if answers else _NO_ANSWER


def _system_backend() -> "KeyringBackend | NoKeyring":
    """The keyring that the `keyring` library finds here; imported late, since that alone talks to the system."""
    import keyring

    backend = keyring.get_keyring()
    if backend.priority <= 0:  # so the library marks its two backends that keep nothing
        return NoKeyring("is not there on this system")
    return backend


SYSTEM = Keyring(_system_backend)
"""The person's own keyring."""


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
            _refuse_shared(path, path.stat())
    return files


_HEADING = (
    "# Keys that memproc sends to their providers. Nobody else may read this file: chmod 600."
)
_LINE = re.compile(r"([A-Z0-9_]+)\s*=\s*([!#-&(-~]+)")  # no spaces, no quotes: no key has any
_KNOWN = frozenset(KEY_VARIABLES.values())


def keys_file(folder: Path) -> Path:
    """memproc's own file of keys, in the state folder `folder`."""
    return folder / "keys.env"


def read_keys(folder: Path) -> Mapping[str, str]:
    """The key of each variable in the file; none where there is no file.

    Raises ConfigurationError where others can read the file or a line is broken, which is named by its number
    alone, and FileTrouble where it cannot be read.
    """
    path = keys_file(folder)
    keys: dict[str, str] = {}
    for number, line in enumerate(_lines(folder), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        if match is None or match[1] not in _KNOWN or match[1] in keys:
            raise ConfigurationError(
                f"Line {number} of {path} is not a key.",
                "Write one VARIABLE=value a line, without quotes, each variable once. The variables that memproc "
                f"knows: {', '.join(sorted(_KNOWN))}.",
            )
        keys[match[1]] = match[2]
    return keys


def write_key(folder: Path, variable: str, value: str) -> Path:
    """Put a key into the file, in the place of the one it has; the folder is made where it is missing.

    Raises as `read_keys` does: a file that is not in order is not made worse.
    """
    read_keys(folder)
    return write_private(
        keys_file(folder), [*(_lines(folder, but=variable) or [_HEADING]), f"{variable}={value}"]
    )


def remove_key(folder: Path, variable: str) -> bool:
    """Take a key out of the file, and say whether it was there. Raises as `read_keys` does."""
    if variable not in read_keys(folder):
        return False
    write_private(keys_file(folder), _lines(folder, but=variable))
    return True


def _lines(folder: Path, but: str = "") -> list[str]:
    """The lines of the file of keys, once it is certain that it is its owner's secret, without one variable's own."""
    data = private_content(keys_file(folder), _refuse_shared)
    if data is None:
        return []
    # Editors on Windows begin a file with a mark and end its lines with two characters.
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = (line.rstrip("\r") for line in text.removesuffix("\n").split("\n"))
    return [line for line in lines if not but or line.partition("=")[0].strip() != but]


def private_content(path: Path, refuse: Callable[[Path, os.stat_result], None]) -> bytes | None:
    """The bytes of a file whose owner and rights `refuse` has looked at; None where there is none.

    Raises what `refuse` raises, and FileTrouble.
    """
    with file_errors(path, "read"):
        try:
            with path.open("rb") as file:
                refuse(path, os.fstat(file.fileno()))
                return file.read()
        except FileNotFoundError:
            return None


def write_private(path: Path, lines: Iterable[str]) -> Path:
    """Put these lines in the place of the file, rights 0600; what a killed process left beside it is swept away."""
    make_private(path.parent)
    sweep(path.parent)
    replace_file(path, ["".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")])
    return path


def _refuse_shared(path: Path, status: os.stat_result) -> None:
    """Raise ConfigurationError where a file with keys is not its owner's alone."""
    if sys.platform == "win32":
        return  # there a file in a person's own folders is theirs by inheritance, and has no such bits
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigurationError(
            f"{path} belongs to another user, or can be read or changed by others, so its keys are not used.",
            f"Make it yours, then: chmod 600 {path}. Whoever may have read it knows the keys: consider new ones.",
        )
