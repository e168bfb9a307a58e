"""Keep keys: in a file of memproc's own, which only this user can read, or in the system keyring.

The keyring may never answer: a prompt out of sight, or a bus that hangs, would hold up memproc for
ever. So each question is asked in a thread of its own, which is abandoned when it takes too long.
"""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file, sweep
from primer.models import KEY_VARIABLES
from rules.errors import ConfigurationError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_HEADING = (
    "# Keys that memproc sends to their providers. Nobody else may read this file: chmod 600."
)
_LINE = re.compile(r"([A-Z0-9_]+)\s*=\s*([!#-&(-~]+)")  # no spaces, no quotes: no key has any
_KNOWN = frozenset(KEY_VARIABLES.values())

_ANY_RIGHT = stat.S_IRWXG | stat.S_IRWXO
SERVICE = "memproc"
SECONDS = 3.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class NotAKey:
    """A text that cannot be a key; `reason` completes "the key ..." without repeating any of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoKeyring:
    """The system keyring cannot be used; `reason` is a clause that says why."""

    reason: str


_NO_ANSWER = NoKeyring(
    "the system keyring did not answer in time: it may be locked, or be asking in a window of its own"
)


class Keyring:
    """A keyring that gets a few seconds for each answer; by default the system's."""

    def __init__(
        self,
        backend: "Callable[[], KeyringBackend | NoKeyring] | None" = None,
        seconds: float = SECONDS,
    ) -> None:
        self._backend = backend
        self._seconds = seconds
        self._asked = Lock()
        """Locked from a question until its answer, however late that comes."""
        self._due = 0.0

    def read(self, account: str) -> str | NoKeyring | None:
        """Return the secret of an account, or None where there is none."""
        return self._ask(lambda backend: backend.get_password(SERVICE, account))

    def write(self, account: str, secret: str) -> NoKeyring | None:
        """Store a secret, and read it back: some keyrings accept everything and store nothing."""

        def keep(backend: "KeyringBackend") -> NoKeyring | None:
            backend.set_password(SERVICE, account, secret)
            is_kept = backend.get_password(SERVICE, account) == secret
            return None if is_kept else NoKeyring("the system keyring did not keep it")

        return self._ask(keep)

    def forget(self, account: str) -> bool | NoKeyring:
        """Delete the secret of an account; return whether there was one."""

        def drop(backend: "KeyringBackend") -> bool:
            is_kept = backend.get_password(SERVICE, account) is not None
            if is_kept:
                backend.delete_password(SERVICE, account)
            return is_kept

        return self._ask(drop)

    def _ask(
        self, question: "Callable[[KeyringBackend], _Answer | NoKeyring]"
    ) -> _Answer | NoKeyring:
        """Return the answer, or that none came in time.

        No question is asked while an older one is unanswered.
        """
        if not self._asked.acquire(timeout=max(0.0, self._due - monotonic())):
            return _NO_ANSWER
        self._due = monotonic() + self._seconds
        answers: list[_Answer | NoKeyring] = []

        def answer() -> None:
            try:
                backend = (self._backend or _system_backend)()
                answers.append(backend if isinstance(backend, NoKeyring) else question(backend))
            except Exception as trouble:
                # The boundary: keyrings are other people's programs, and raise anything.
                # Their messages may contain the secret, so only the type is told.
                answers.append(NoKeyring(f"the system keyring failed ({type(trouble).__name__})"))
            finally:
                self._asked.release()

        thread = Thread(target=answer, name="keyring", daemon=True)
        thread.start()
        thread.join(self._seconds)
        return answers[0] if answers else _NO_ANSWER


SYSTEM = Keyring()
"""The user's own keyring."""


def keys_file(folder: Path) -> Path:
    """Return the path of memproc's own file of keys in the state folder `folder`."""
    return folder / "keys.env"


def read_keys(folder: Path) -> Mapping[str, str]:
    """Return the key of each variable in the file; {} where there is no file.

    Raises ConfigurationError where others can read the file or a line is broken (the message gives
    only the line's number), and FileTrouble where the file cannot be read.
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
                "Write one VARIABLE=value a line, without quotes, each variable once. "
                f"The variables that memproc knows: {', '.join(sorted(_KNOWN))}.",
            )
        keys[match[1]] = match[2]
    return keys


def change_key(folder: Path, variable: str, value: str = "") -> bool:
    """Set a variable's key in the file, or remove it where `value` is empty.

    Return whether there was one. A missing folder is made. Raises as `read_keys` does: a broken
    file is not written.
    """
    was_there, lines = variable in read_keys(folder), _lines(folder, but=variable)
    if value:
        lines = [*(lines or [_HEADING]), f"{variable}={value}"]
    if value or was_there:
        write_private(keys_file(folder), lines)
    return was_there


def _lines(folder: Path, but: str = "") -> list[str]:
    """Return the lines of the file of keys, without those of `but`. Raises as `private_content`."""
    data = private_content(keys_file(folder))
    if data is None:
        return []
    # Editors on Windows begin a file with a mark and end its lines with two characters.
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    lines = (line.rstrip("\r") for line in text.removesuffix("\n").split("\n"))
    return [line for line in lines if not but or line.partition("=")[0].strip() != but]


def private_content(path: Path, denied: int = _ANY_RIGHT) -> bytes | None:
    """Return a file's bytes; None if it is missing. Raises as `refuse_shared`, and FileTrouble."""
    with file_errors(path, "read"):
        try:
            with path.open("rb") as file:
                refuse_shared(path, os.fstat(file.fileno()), denied)
                return file.read()
        except FileNotFoundError:
            return None


def write_private(path: Path, lines: Iterable[str]) -> None:
    """Replace the file by these lines, with the rights 0600; remove what a killed process left."""
    make_private(path.parent)
    sweep(path.parent)
    replace_file(path, ["".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")])


def refuse_shared(path: Path, status: os.stat_result, denied: int = _ANY_RIGHT) -> None:
    """Raise ConfigurationError unless a file is this user's, and others have no `denied` right."""
    if sys.platform == "win32":
        return  # a file in a user's own folders inherits their rights, and has no such bits
    if status.st_uid != os.geteuid() or status.st_mode & denied:
        raise ConfigurationError(
            f"{path} belongs to another user, or can be read or changed by others, "
            "so nothing in it counts.",
            f"Look at it, make it yours, then: chmod 600 {path}. "
            "Whoever may have read a key in it knows the key: consider a new one.",
        )


def _system_backend() -> "KeyringBackend | NoKeyring":
    """Return the keyring that the `keyring` library finds on this system.

    The library is imported late: importing it already talks to the system.
    """
    import keyring

    backend = keyring.get_keyring()
    if backend.priority <= 0:  # the library's mark for its two backends that store nothing
        return NoKeyring("this system has no keyring")
    return backend
