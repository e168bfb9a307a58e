"""The loop takes what happened once the archive can be written again, and goes on when the clock was set back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import cast

import pytest

from daemon.archive.archive import Archive
from daemon.archive.signs import sign
from daemon.events import DaemonIs, Event, Note, Trouble
from daemon.files.clock import now
from daemon.inbox.child import ChildSaid, Due, FolderChanged, Reload, Stop, Wake
from daemon.inbox.dispatch import Dispatch
from daemon.inbox.loop import Loop
from daemon.inbox.schedule import Schedule, Telling
from daemon.inbox.watch_plan import SettingsAre, plan_of
from rules.errors import ArchiveError


@dataclass
class Stub:
    """Stands in for dispatch and for those who are told; ends the loop when it has been asked what is next."""

    settings: SettingsAre
    queue: "SimpleQueue[Wake]"
    turns: int = 1
    reload: bool = False
    busy: bool = False
    taken: list[Event] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)
    refuses: int = 0
    beats: int = 0

    @property
    def plan(self) -> object:
        return plan_of(self.settings)

    def take(self, event: Event) -> None:
        if self.refuses:
            self.refuses -= 1
            raise ArchiveError("The disk is full.", "Free some space.")
        self.taken.append(event)

    def next(self) -> None:
        self.turns -= 1
        if not self.turns:
            self.queue.put(Stop())

    def tell(self, event: Event) -> None:
        self.told.append(event)

    say = tell

    def beat(self) -> None:
        self.beats += 1

    def step(self) -> None: ...
    def stop(self) -> None: ...
    def kill(self) -> None: ...


@dataclass
class World:
    archive: Archive
    stub: Stub
    queue: "SimpleQueue[Wake]"
    waits: list[str] = field(default_factory=list)

    def run(self, turns: int) -> None:
        self.stub.turns = turns
        dispatch, telling = cast("Dispatch", self.stub), cast("Telling", self.stub)
        Loop(
            self.archive, dispatch, cast("Schedule", self), self.queue, telling, lambda: None, now
        ).run()

    def every(self, name: str, seconds: float) -> None:
        self.waits.append(f"{name} every {seconds:g}")
        self.queue.put(Due(name)) if name == "beat" else None

    def soon(self, name: str, seconds: float) -> None:
        self.waits.append(f"{name} in {seconds:g}")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folders = {name: str(tmp_path / name) for name in ("inbox", "updated", "backups", "state")}
    (tmp_path / "inbox").mkdir()
    rest = {
        "settle_seconds": 5,
        "mode": "auto",
        "subfolders": False,
        "night": "",
    }
    queue: SimpleQueue[Wake] = SimpleQueue()
    settings = SettingsAre({**folders, **rest, "notify": "never"}, "", "")
    with Archive.memory() as archive:
        yield World(archive, Stub(settings, queue), queue)


def test_the_whole_inbox_is_looked_through_at_the_start_and_at_its_interval(world: World) -> None:
    world.run(1)

    assert world.waits == ["beat every 5", "rescan every 300"]
    assert sign(world.archive, "last_scan") is not None
    assert [event for event in world.stub.told if isinstance(event, DaemonIs)]
    assert world.stub.beats == 1


def test_with_polling_it_is_looked_through_every_ten_seconds(world: World) -> None:
    world.stub.settings.plan["mode"] = "poll"
    world.run(1)
    assert "rescan every 10" in world.waits


def test_many_changes_in_the_inbox_are_one_scan(world: World) -> None:
    for _ in range(100):
        world.queue.put(FolderChanged())
    world.run(1)
    assert world.waits.count("scan in 0.25") == 1


def test_an_inbox_that_is_not_there_is_told_once_and_looked_for_again(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "inbox").rmdir()
    world.queue.put(Due("scan"))
    world.run(1)
    found = sign(world.archive, "inbox_note")
    assert found and "not there" in found.value
    assert len([event for event in world.stub.told if isinstance(event, Trouble)]) == 1
    assert "scan in 10" in world.waits


def test_what_could_not_be_kept_is_taken_again_in_its_order(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.loop._AFTER_TROUBLE_SECONDS", 0.0)
    world.stub.refuses = 2
    for word in "ab":
        world.queue.put(ChildSaid(Note(word)))
    world.queue.put(Reload())

    world.run(1)

    assert world.stub.taken == [Note("a"), Note("b")]
    assert world.stub.reload
    assert [event.reason for event in world.stub.told if isinstance(event, Trouble)] == [
        "The disk is full."
    ] * 2


def test_where_no_beat_comes_the_clock_was_set_back_and_is_set_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.loop.BEAT_SECONDS", 0.01)
    world.run(4)
    assert world.waits.count("rescan every 300") > 1
