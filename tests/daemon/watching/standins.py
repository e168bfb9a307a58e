"""The daemon's inner parts on a real archive and real folders; what other programs do is played by the test."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import TypeVar

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, find_arrival, mark_copied
from daemon.archive.jobs import Job, jobs, sign
from daemon.archive.sightings import Present, record_sightings
from daemon.files.candidates import sighting_of
from daemon.files.clock import now as present
from daemon.files.paths import archive_path
from daemon.inbox.duties import Duties
from daemon.inbox.errands import Errands
from daemon.inbox.events import Event, SettingsAre
from daemon.inbox.foreman import Foreman, Lost
from daemon.inbox.intake import Taken, copy_path, take
from daemon.inbox.lines import to_object
from daemon.inbox.loop import Loop
from daemon.inbox.orders import Order
from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.schedule import Schedule
from daemon.inbox.telling import Telling
from daemon.inbox.wakes import Stop, Wake, WorkerEnded, WorkerSaid
from daemon.status.log import Log, Logged
from daemon.status.notices import Notice, Notifier

LIMIT_SECONDS = 20.0
_Kind = TypeVar("_Kind")


class StandInForeman(Foreman):
    """A foreman without a worker: keeps the orders; the test says when each has ended, and how."""

    def __init__(self) -> None:
        super().__init__(lambda wake: None, worker=["nobody"])
        self.orders: list[Order] = []
        self.adopted: list[SettingsAre] = []
        self.asked = self.stopped = False
        self.loses = ""
        """Why the order is lost with the worker at its next end; nothing is lost where this is empty."""
        self._doing: Order | None = None

    def adopt(self, settings: SettingsAre) -> None:
        self.adopted.append(settings)

    def give(self, order: Order) -> None:
        assert not self.busy
        self.orders.append(order)
        self._doing = order

    @property
    def busy(self) -> bool:
        return self._doing is not None

    @property
    def doing(self) -> Order | None:
        return self._doing

    def heard(self, said: object) -> None:
        assert isinstance(said, dict)
        if said["is"] in ("Done", "Failed", "Stopped"):
            self._doing = None

    def ends(self) -> bool:
        """The order has ended, and the loop need not hear how."""
        self._doing = None
        return True

    def ended(self, code: int) -> Lost | None:
        order, self._doing = self._doing, None
        return Lost(order, self.loses) if order and self.loses else None

    def ask_to_stop(self) -> None:
        self.asked = True

    def stop(self, seconds: float) -> None:
        self.stopped = True


class StandInNotifier(Notifier):
    """A desktop on which nothing is shown: keeps the notices."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive, lambda title, text: (), lambda event: None)
        self.given: list[tuple[Notice, str]] = []
        self.steps = 0
        self.stopped = False

    def give(self, notice: Notice, when: str, now: str, monotonic: float) -> bool:
        self.given.append((notice, when))
        return True

    def step(self, monotonic: float) -> None:
        self.steps += 1

    def stop(self) -> None:
        self.stopped = True


class StandInSchedule(Schedule):
    """A clock that never rings: keeps what it was set to."""

    def __init__(self) -> None:
        self.set: dict[str, datetime] = {}

    def once(self, name: str, at: datetime) -> None:
        self.set[name] = at


@dataclass
class Daemon:
    """One daemon's inner parts, with what it gave, told and showed."""

    plan: WatchPlan
    archive: Archive
    queue: "SimpleQueue[Wake]" = field(default_factory=SimpleQueue)
    told: list[Logged] = field(default_factory=list)
    clock: Callable[[], str] = present
    turns: int = 0
    when_told: Callable[[Logged], None] = lambda event: None
    """Called with everything that is logged; what the loop cannot come to in trouble can be done here."""

    def __post_init__(self) -> None:
        self.foreman, self.schedule = StandInForeman(), StandInSchedule()
        self.notifier = StandInNotifier(self.archive)
        log = Log(self.plan.state, lambda at, event: self._hear(event))
        self.telling = Telling(self.archive, log, self.notifier, self.plan.notify, self.now)
        self.duties = Duties(self.archive, self.schedule, self.plan.night)
        self.errands = Errands(self.archive, self.plan, self.foreman, self.duties, self.telling, self.now)

    def now(self) -> str:
        """The time, by the clock that the test may have put there."""
        return self.clock()

    def _hear(self, event: Logged) -> None:
        self.told.append(event)
        self.when_told(event)

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """What was logged of one kind, in its order."""
        return [event for event in self.told if isinstance(event, kind)]

    def sign(self, name: str) -> str | None:
        """What stands in the archive under this name."""
        found = sign(self.archive, name)
        return found.value if found else None

    def job(self, name: str) -> Job:
        """A timed job as the archive has it."""
        return next(job for job in jobs(self.archive) if job.name == name)

    def has_due(self, name: str) -> None:
        """Let this job be due, and no other."""
        self.archive.run("UPDATE job SET due_at = '2999-01-01T00:00:00.000Z'")
        self.archive.run("UPDATE job SET due_at = '2001-01-01T00:00:00.000Z' WHERE name = ?", (name,))

    def drop(self, name: str, content: bytes = b'{"data": {"chats": []}}') -> Path:
        """Put a file into the inbox."""
        path = self.plan.inbox / name
        path.write_bytes(content)
        return path

    def copied(self, name: str, content: bytes = b'{"data": {"chats": []}}') -> int:
        """A file that was dropped and taken; its number."""
        path = self.drop(name, content)
        sighting = sighting_of(path.stat())
        entered = record_sightings(self.archive, [Present(str(path), sighting, 0, None, "new")], [], self.now())
        taken = take(path, sighting, self.plan.state, lambda sha256: None)
        assert isinstance(taken, Taken)
        number = entered[str(path)]
        mark_copied(self.archive, number, taken.sha256, self.now())
        return number

    def arrival(self, number: int) -> Arrival:
        """A file's row."""
        return find_arrival(self.archive, number)

    def copy_of(self, number: int) -> Path:
        """Where memproc's own copy of a file lies."""
        arrival = self.arrival(number)
        assert arrival.sha256
        return copy_path(self.plan.state, arrival.sha256, arrival.path)

    def says(self, *events: Event) -> None:
        """The worker tells this, and the loop hears it."""
        for event in events:
            self.errands.heard(to_object(event))

    def will_say(self, *events: Event) -> None:
        """The worker tells this, and the loop has not heard it yet."""
        for event in events:
            self.queue.put(WorkerSaid(to_object(event)))

    def will_end(self, code: int = 0) -> None:
        """The worker ends, and the loop has not heard of it yet."""
        self.queue.put(WorkerEnded(code))

    def run(self, *stages: Callable[[], bool]) -> None:
        """Let the loop run until each of the stages was reached, one after the other; then it is told to stop.

        A stage that is reached may put into the queue what happens next. They are looked at after every turn.
        """
        left, end, told = list(stages), monotonic() + LIMIT_SECONDS, False

        def prove() -> None:
            nonlocal told
            self.turns += 1
            while left and left[0]():
                left.pop(0)
            if not told and (not left or monotonic() > end):
                told = True
                self.queue.put(Stop(15))

        Loop(self.archive, self.errands, self.foreman, self.queue, self.telling, prove, self.now).run()
        assert not left, f"{len(left)} stages were not reached; told: {self.told}"


@contextmanager
def daemon(root: Path, **settings: object) -> Iterator[Daemon]:
    """A daemon in a folder of its own, which looks at a file after a twentieth of a second."""
    plan = WatchPlan(
        inbox=root / "inbox",
        updated=root / "updated",
        backups=root / "backups",
        state=root / "state",
        settle_seconds=0.05,
        rescan_seconds=300.0,
        mode="auto",
        subfolders=False,
        night="",
        notify="problems",
        config=None,
    )
    plan = replace(plan, **settings)  # type: ignore[arg-type]
    plan.inbox.mkdir(parents=True)
    with Archive.open(plan.state, busy_seconds=0.05) as archive:
        yield Daemon(plan, archive)


@contextmanager
def locked(archive_folder: Path) -> Iterator[None]:
    """Somebody else writes into the archive, and does not come to an end before the block does."""
    other = sqlite3.connect(archive_path(archive_folder), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        other.close()
