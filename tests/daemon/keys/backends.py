"""Keyrings that are not the system's: good ones, and each of the ways in which real ones are bad."""

import json
import os
from pathlib import Path
from threading import Event

from keyring.backend import KeyringBackend


class Memory(KeyringBackend):
    """A keyring that works, and is gone with its test."""

    priority = 0.1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.questions = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.questions += 1
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.questions += 1
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.questions += 1
        del self.kept[service, username]


class Hanging(Memory):
    """A keyring that waits for a window to be closed, which is when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.closed.wait()
        return super().get_password(service, username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.closed.wait()
        super().set_password(service, username, password)


class Blurting(Memory):
    """A keyring whose errors repeat what it was given, and what it has."""

    def get_password(self, service: str, username: str) -> str | None:
        raise RuntimeError(f"could not decrypt {self.kept}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise ValueError(f"{password} is not what I keep")


class Forgetful(Memory):
    """A keyring that takes everything and keeps nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        self.questions += 1


class InAFile(KeyringBackend):
    """A keyring of the `keyring` library, for real processes: a JSON file that MEMPROC_TEST_KEYRING names."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        found = self._kept().get(f"{service} {username}")
        return found if isinstance(found, str) else None

    def set_password(self, service: str, username: str, password: str) -> None:
        self._keep({**self._kept(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        self._keep(
            {name: kept for name, kept in self._kept().items() if name != f"{service} {username}"}
        )

    def _kept(self) -> dict[str, object]:
        path = self._path()
        found = json.loads(path.read_text()) if path.exists() else {}
        assert isinstance(found, dict)
        return found

    def _keep(self, kept: dict[str, object]) -> None:
        self._path().write_text(json.dumps(kept))

    def _path(self) -> Path:
        return Path(os.environ["MEMPROC_TEST_KEYRING"])


class Stuck(KeyringBackend):
    """A keyring of the `keyring` library that never answers."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        Event().wait()
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        Event().wait()

    def delete_password(self, service: str, username: str) -> None:
        Event().wait()
