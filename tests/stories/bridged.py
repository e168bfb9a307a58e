"""Run the page's bridge in this process for a paired person, and the commands that it begins."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time

import pytest
from starlette.testclient import TestClient

from daemon.bridge.devices import open_code
from daemon.config.loading import load, load_folders
from daemon.page import bridge_jobs
from daemon.page.actions import CommandResult
from daemon.page.app import Desk
from daemon.page.bridge import bridge
from tests.extension import Extension, Json
from tests.stories.person import Person

PORT = 27183


@dataclass
class Bridged:
    """The bridge of a person. Commands that it begins are carried out in this process, when the story says so."""

    person: Person
    begun: list[tuple[str, ...]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    """The commands that were carried out to their end."""

    @classmethod
    def opened(cls, person: Person, monkeypatch: pytest.MonkeyPatch) -> "Bridged":
        opened = cls(person)
        monkeypatch.setattr(bridge_jobs, "start_command", opened._begin)
        monkeypatch.setattr(bridge_jobs, "do_command", opened._do)
        return opened

    @property
    def state(self) -> Path:
        return self.person.home / "state"

    def port(self) -> TestClient:
        """Return the page's port as a new process serves it, which knows only what is on the disk."""
        config = load(self.person.toml)
        desk = Desk(config, load_folders(config), self.person.toml)
        return TestClient(bridge(desk, PORT), base_url=f"http://127.0.0.1:{PORT}")

    def paired(self) -> Extension:
        """Pair another browser, and return its extension."""
        extension = Extension(self.port())
        assert extension.pair(open_code(self.state, time()).digits).status_code == 200
        return extension

    def restarted(self, extension: Extension) -> None:
        """Let a new process of the page answer this browser."""
        extension.http = self.port()

    def carry_out(self) -> None:
        """Carry out all commands that were begun, to their end."""
        begun, self.begun = self.begun, []
        assert begun, "nothing was begun"
        for arguments in begun:
            self.person.memproc(*arguments)

    def cut_off(self) -> None:
        """Drop all commands that were begun, as a kill would."""
        self.begun = []

    def _begin(self, toml: Path, arguments: Sequence[str], by: str) -> None:
        assert (toml, by) == (self.person.toml, "bridge")
        self.begun.append(tuple(arguments))

    def _do(self, toml: Path, *arguments: str) -> CommandResult:
        self.done.append(arguments[0])
        options = arguments.index("--")
        ended = self.person.memproc(*arguments[:options], "--json", *arguments[options:])
        return CommandResult(ended.code, json.loads(ended.out))


def chat_of(result: bytes) -> Json:
    """Return the only chat of an export."""
    (chat,) = json.loads(result)["data"]["chats"]
    assert isinstance(chat, dict)
    return chat
