"""A context whose batches go to a real server, which can be killed at any step of the way to it and back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.config.model_tables import BudgetSettings, WhenToBatch
from daemon.config.settings import Config
from daemon.events import Event
from daemon.files.paths import Folders
from daemon.models import batch_client as client
from daemon.models.completion import complete
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from primer.prompt import Turn
from primer.reply import Request
from rules.typingmind.dates import write_date
from tests.known import known
from tests.nokeys import no_keys
from tests.server.server import ModelServer
from tests.server.setup import KEY

HAIKU = "anthropic/claude-haiku-5-5"
FOLDERS = Folders(*(Path(name) for name in ("inbox", "updated", "backups", "state")))
STEPS = ("newest", "since", "create", "look_at_batch", "cancel")


class Killed(BaseException):
    """kill -9 at this point."""


@dataclass
class Kills:
    """Ends the work at the nth step from when `after` was called; steps lie before and after each talk with the
    provider, and before each line of results."""

    left: int | None = None
    steps: int = 0

    def after(self, steps: int | None) -> None:
        self.left, self.steps = steps, 0

    def step(self) -> None:
        self.steps += 1
        if self.left is not None and self.steps > self.left:
            raise Killed

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def carried_out(*arguments: Any) -> Any:
            self.step()
            found = call(*arguments)
            found = list(found) if isinstance(found, Iterator) else found
            self.step()
            return found

        return carried_out

    def between(self, call: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        def carried_out(*arguments: Any) -> Iterator[Any]:
            for found in call(*arguments):
                self.step()
                yield found
            self.step()

        return carried_out


@dataclass
class World:
    """An archive, a server, and the time, which goes on when somebody waits."""

    archive: Archive
    server: ModelServer
    kills: Kills = field(default_factory=Kills)
    told: list[Event] = field(default_factory=list)
    now: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    waited: float = 0.0

    def pause(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        self.waited += seconds

    def context(self) -> Context:
        def clock() -> str:
            return write_date(self.now)

        config = Config(budget=self.budget)
        return Context(
            config,
            FOLDERS,
            self.archive,
            complete,
            no_keys,
            clock,
            self.told.append,
            "run",
            self.pause,
        )

    def ask(self, talks: int, questions: int, batch: WhenToBatch = "always") -> list[list[str]]:
        """So many talks of so many questions, each with the answers before it in view; the answers."""
        return self.ask_about(*map(str, range(talks)), questions=questions, batch=batch)

    def ask_about(
        self, *names: str, questions: int = 1, batch: WhenToBatch = "always"
    ) -> list[list[str]]:
        """The same, for talks with these names."""
        with Scheduler(self.context(), "chat", 4, batch) as scheduler:
            begun = [
                RunningDialogue(dialogue(name, questions), at) for at, name in enumerate(names)
            ]
            for talk in begun:
                scheduler.begin(talk)
            while not all(talk.is_over for talk in begun):
                scheduler.go_on()
            return [talk.result or [] for talk in begun]

    def account(self) -> tuple[int, int]:
        """Picodollars that are settled, and how many calls are neither settled nor released."""
        row = self.archive.one(
            "SELECT coalesce(sum(settled), 0), count(*) - count(settled) FROM spending"
        )
        assert row is not None
        return row[0], row[1]


def dialogue(name: str, questions: int) -> Steps[list[str]]:
    """A talk of questions whose answers are all different."""
    answers: list[str] = []
    for number in range(questions):
        reply = yield question(f"{name}.{number}", *answers)
        answers.append(reply.text)
    return answers


def question(asked: str, *before: str, model: str = HAIKU) -> Request:
    said = [
        Turn("system", "You are Ada. " * 30, ends_prefix=True),
        *(Turn("user", text) for text in before),
    ]
    return Request("quote", known(model), (*said, Turn("user", f"Question {asked}: and then?")), 20)


@contextmanager
def world(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A context at this server."""
    with Archive.memory() as archive, monkeypatch.context() as patch:
        made = World(archive, server)
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        patch.setenv("ANTHROPIC_API_BASE", server.url)
        for name in STEPS:
            patch.setattr(client, name, made.kills.around(getattr(client, name)))
        patch.setattr(client, "fetch_results", made.kills.between(client.fetch_results))
        yield made
