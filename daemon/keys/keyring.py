"""The system keyring, asked one question at a time, and never waited for longer than three seconds.

A keyring that shows a prompt nobody sees, or a bus that never answers, would hold up memproc for ever. So each
question has a thread of its own, which is left behind when it takes too long and keeps nobody from leaving.
"""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Protocol, TypeVar

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
