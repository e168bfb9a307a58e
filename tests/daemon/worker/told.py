"""A line to a daemon that is only the test's: keeps what the worker tells, and ends it where the test says so."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from daemon.inbox.configuration import Settled, read
from daemon.inbox.events import Event
from daemon.inbox.line import Line
from daemon.inbox.orders import Work
from daemon.inbox.stopping import Stopping, ToldToStop
from tests.stories.person import Person

ENGINE = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
_Kind = TypeVar("_Kind")


class Calm(Stopping):
    """Pauses take no time; it is time to end once the test says so."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.told = False

    def ask(self, *, by_signal: bool = False) -> None:
        self.told = True

    def check(self) -> None:
        if self.told:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.check()


@dataclass
class Told:
    """Everything that was told."""

    events: list[Event] = field(default_factory=list)
    stopping: Calm = field(default_factory=Calm)
    after: Callable[[Event], None] = lambda event: None
    """Called after each event."""

    @property
    def line(self) -> Line:
        return Line(self._tell, self.stopping)

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """The events of one kind, in their order."""
        return [event for event in self.events if isinstance(event, kind)]

    def stop_at(self, kind: type[Event]) -> None:
        """It is time to end as soon as such an event is told."""

        def stop(event: Event) -> None:
            if isinstance(event, kind):
                self.stopping.ask()

        self.after = stop

    def _tell(self, event: Event) -> None:
        self.events.append(event)
        self.after(event)


def settled(person: Person, models: str = ENGINE) -> Settled:
    """The person's settings, with these models."""
    person.settings(models)
    return read(person.toml)


def copied(person: Person, content: bytes, arrival: int = 1, name: str = "my chats.json") -> Work:
    """An order to work on a copy, as the daemon makes it."""
    folder = person.home / "state" / "arrivals"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{arrival:064x}.json"
    path.write_bytes(content)
    return Work(arrival, str(path), name)
