"""Ask the system keyring in a thread, since it may never answer.

A prompt out of sight, or a bus that hangs, would hold up memproc for ever. So each question has a
thread of its own, which is abandoned when it takes too long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


SERVICE = "memproc"
SECONDS = 3.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class NotAKey:
    """A text that cannot be a key; `reason` completes "the key ..." and repeats nothing of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoKeyring:
    """The system keyring cannot be used; `reason` completes "the system keyring ..."."""

    reason: str


_NO_ANSWER = NoKeyring(
    "did not answer in time: it may be locked, or be asking in a window of its own"
)


class Keyring:
    """A keyring that is asked for a few seconds at most; by default the system's."""

    def __init__(
        self,
        backend: "Callable[[], KeyringBackend | NoKeyring] | None" = None,
        seconds: float = SECONDS,
    ) -> None:
        self._backend = backend
        self._seconds = seconds
        self._asked = Lock()
        """Held from a question to its answer, however late that comes."""
        self._due = 0.0

    def read(self, account: str) -> str | NoKeyring | None:
        """Return the secret of an account, or None."""
        return self._ask(lambda backend: backend.get_password(SERVICE, account))

    def write(self, account: str, secret: str) -> NoKeyring | None:
        """Keep a secret, and read it back: some keyrings take everything and keep nothing."""

        def keep(backend: "KeyringBackend") -> NoKeyring | None:
            backend.set_password(SERVICE, account, secret)
            is_kept = backend.get_password(SERVICE, account) == secret
            return None if is_kept else NoKeyring("did not keep it")

        return self._ask(keep)

    def forget(self, account: str) -> bool | NoKeyring:
        """Forget the secret of an account; return whether there was one."""

        def drop(backend: "KeyringBackend") -> bool:
            is_kept = backend.get_password(SERVICE, account) is not None
            if is_kept:
                backend.delete_password(SERVICE, account)
            return is_kept

        return self._ask(drop)

    def _ask(
        self, question: "Callable[[KeyringBackend], _Answer | NoKeyring]"
    ) -> _Answer | NoKeyring:
        """Return the answer, if it comes in time.

        While an older question is overdue, ask no other.
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
                # Their words may repeat the secret, so only the kind is told.
                answers.append(NoKeyring(f"failed ({type(trouble).__name__})"))
            finally:
                self._asked.release()

        thread = Thread(target=answer, name="keyring", daemon=True)
        thread.start()
        thread.join(self._seconds)
        return answers[0] if answers else _NO_ANSWER


SYSTEM = Keyring()
"""The person's own keyring."""


def _system_backend() -> "KeyringBackend | NoKeyring":
    """Return the keyring that the `keyring` library finds here.

    It is imported late: importing it already talks to the system.
    """
    import keyring

    backend = keyring.get_keyring()
    if backend.priority <= 0:  # so the library marks its two backends that keep nothing
        return NoKeyring("is not there on this system")
    return backend
