"""One thing at a time is done by a child process, and whatever becomes of that is kept, told, and tried again."""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import cast

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, change_state, find_arrival
from daemon.archive.jobs import jobs
from daemon.archive.log import entries_after
from daemon.archive.outputs import Output, record_output
from daemon.archive.signs import sign
from daemon.archive.work import newest_outcomes, work_in_trouble
from daemon.events import (
    Alive,
    ChatIs,
    DaemonIs,
    Event,
    FileIs,
    MemoryMade,
    Note,
    Planned,
    RunDone,
    RunFailed,
    Trouble,
    format_event,
)
from daemon.files.clock import at, now
from daemon.files.lock import hold
from daemon.inbox.child import ChildEnded, ChildSaid, Wake
from daemon.inbox.dispatch import BEAT_SECONDS, HANG_SECONDS, Dispatch
from daemon.inbox.intake import copy_path
from daemon.inbox.schedule import Schedule, Telling
from daemon.inbox.watch_plan import SettingsAre
from daemon.status.notices import notice_of
from daemon.status.place import begin_pause, end_pause
from daemon.status.sentences import is_problem
from rules.errors import ArchiveError
from tests.waiting import LIMIT_SECONDS

SHA = "a" * 64
PRINTS = "import sys; sys.stdout.write(sys.argv[1])"
PLANNED = Planned("abc", "The Garden", 2, 8)
MADE = MemoryMade("abc", "The Garden", 1, 1, 2)
WRITTEN = ChatIs(
    "abc", "The Garden", "written", path="/u/Garden.json", tokens_before=9_000, tokens_after=3_000
)

AWAY = ChatIs("x", "X", "skipped", "m cannot answer now.", "Run memproc again.", later=True)


@dataclass
class Voice:
    """Hears what the daemon tells."""

    when: str = "never"
    heard: list[Event] = field(default_factory=list)

    def tell(self, event: Event) -> None:
        self.heard.append(event)

    say = tell


@dataclass
class World:
    """A daemon's dispatch, whose children do what a test wants."""

    root: Path
    archive: Archive
    voice: Voice = field(default_factory=Voice)
    queue: "SimpleQueue[Wake]" = field(default_factory=SimpleQueue)
    script: list[str] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.root / "state" / "arrivals").mkdir(parents=True)
        self.archive.run("DELETE FROM job")
        self.dispatch = Dispatch(
            self.archive,
            self.settings(),
            None,
            Schedule(self.queue.put),
            cast("Telling", self.voice),
            self.queue.put,
            now,
            self._argv,
        )

    def _argv(self, config: Path | None, *arguments: str) -> list[str]:
        self.asked.append(arguments)
        return [sys.executable, "-c", *self.script]

    def settings(self, **more: object) -> SettingsAre:
        folders = {name: str(self.root / name) for name in ("inbox", "updated", "backups", "state")}
        rest = {
            "settle_seconds": 5,
            "mode": "auto",
            "subfolders": False,
            "night": "",
        }
        return SettingsAre(
            {**folders, **rest, "notify": "never", **more}, "", "# the settings that count"
        )

    def says(self, *events: Event) -> None:
        """The next child says this."""
        self.script = [PRINTS, "".join(map(format_event, events))]

    def reads(self, settings: SettingsAre) -> None:
        """The next child reads these settings."""
        self.says(RunDone("settings", settings=asdict(settings)))

    def does(self, code: str) -> None:
        """The next child does this."""
        self.script = [code]

    def dropped(self, size: int = 1) -> Path:
        """A file that was taken; memproc's copy of it."""
        self.archive.run(
            "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, seen_at, changed_at) "
            "VALUES ('/inbox/talk.json', 1, 1, ?, 1, ?, 'copied', ?, ?)",
            (size, SHA, now(), now()),
        )
        copy = copy_path(self.root / "state", SHA, "talk.json")
        copy.write_text("{}")
        return copy

    def go(self) -> None:
        """Have the next thing done, to its end."""
        self.dispatch.next()
        self.finish()

    def finish(self) -> None:
        while self.dispatch.busy:
            self.take(self.queue.get(timeout=LIMIT_SECONDS))

    def take(self, wake: Wake) -> None:
        if isinstance(wake, ChildSaid):
            self.dispatch.take(wake.event)
        elif isinstance(wake, ChildEnded):
            self.dispatch.ended(wake.code)

    def arrival(self, number: int = 1) -> Arrival:
        return find_arrival(self.archive, number)

    def is_due_now(self) -> None:
        self.archive.run("UPDATE arrival SET next_look_at = '2020-01-01T00:00:00.000Z'")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Archive.memory() as archive:
        world = World(tmp_path, archive)
        yield world
        world.dispatch.kill()
        with suppress(Empty):
            while True:
                world.queue.get_nowait()


def test_a_file_goes_through_all_its_states(world: World) -> None:
    copy = world.dropped()
    world.says(PLANNED, MADE, replace(MADE, number=2, done=2), WRITTEN, RunDone())

    world.go()

    assert world.asked == [("--supervised", "run", str(copy), "--events")]
    states = [event.state for event in world.voice.heard if isinstance(event, FileIs)]
    assert states == ["working", "written"]
    assert world.voice.heard[1] == replace(PLANNED, arrival=1)
    assert world.arrival().reason == "ready to be imported: Garden.json"
    (outcome,) = newest_outcomes(world.archive)
    assert (outcome.kind, outcome.title, outcome.path) == (
        "written",
        "The Garden",
        "/u/Garden.json",
    )
    assert not copy.exists()
    assert not world.dispatch.busy


def test_the_dropped_file_s_name_is_told_and_never_the_copy_s(world: World) -> None:
    copy = world.dropped()
    aside = ChatIs("", copy.name, "skipped", f"{copy} is no export.", f"Look at {copy.name}.")
    world.says(aside, RunDone())

    world.go()

    (chat,) = [event for event in world.voice.heard if isinstance(event, ChatIs)]
    assert (chat.title, chat.detail, chat.next_step) == (
        "talk.json",
        "talk.json is no export.",
        "Look at talk.json.",
    )
    assert (world.arrival().state, world.arrival().reason) == (
        "skipped",
        "talk.json is no export.",
    )
    assert copy.exists(), "it may be tried again"


@pytest.mark.parametrize(
    ("chat", "state"),
    [
        (ChatIs("abc", "T", "unchanged", "nothing new"), "done"),
        (
            ChatIs("abc", "T", "skipped", "The disk is full.", "Free some space.", later=True),
            "waiting",
        ),
        (ChatIs("abc", "T", "skipped", "Too large.", "Split it."), "skipped"),
    ],
)
def test_a_file_comes_to_what_its_chats_have(world: World, chat: ChatIs, state: str) -> None:
    world.dropped()
    world.says(WRITTEN if state != "done" else chat, chat, RunDone())

    world.go()

    assert world.arrival().state == state
    assert world.arrival().tries == 0


@pytest.mark.parametrize(("source", "state"), [(SHA, "written"), ("b" * 64, "done")])
def test_an_updated_export_in_its_place_is_told_where_it_was_made_from_this_file(
    world: World, source: str, state: str
) -> None:
    """The work broke off before; or another file with the same messages was worked on."""
    in_place = ChatIs("abc", "The Garden", "unchanged", "in its place", path="/u/Garden.json")
    record_output(world.archive, Output("abc", "/u/Garden.json", "", "", source, now()))
    world.dropped()
    world.says(in_place, RunDone())

    world.go()

    reason = "ready to be imported: Garden.json" if state == "written" else "in its place"
    assert (world.arrival().state, world.arrival().reason) == (state, reason)


def test_an_updated_export_that_was_told_is_not_told_again_when_its_file_is(world: World) -> None:
    record_output(world.archive, Output("abc", "/u/Garden.json", "", "", SHA, now()))
    world.dropped()
    world.says(WRITTEN, RunDone())
    world.go()
    assert world.arrival().state == "written"

    change_state(world.archive, 1, "copied", "", "", now())
    copy_path(world.root / "state", SHA, "talk.json").write_text("{}")
    world.says(replace(WRITTEN, kind="unchanged", detail="in its place"), RunDone())
    world.go()

    assert (world.arrival().state, world.arrival().reason) == ("done", "in its place")


def test_what_could_not_be_kept_at_once_is_in_the_log_once(world: World) -> None:
    world.dropped()
    world.does("input()")
    world.dispatch.next()
    world.archive.run("PRAGMA query_only = ON")
    with pytest.raises(ArchiveError):
        world.dispatch.take(Note("A key is missing."))
    world.archive.run("PRAGMA query_only = OFF")
    world.dispatch.take(Note("A key is missing."))
    noted = [entry.event for entry in entries_after(world.archive, 0)]
    assert noted.count(Note("A key is missing.")) == 1


def test_an_outage_asks_nothing_of_the_person(world: World) -> None:
    """What a terminal is told, to run memproc again, the daemon does by itself."""
    world.voice.when = "problems"
    world.dropped()
    world.says(replace(AWAY, retry_after=0.0), RunDone())

    world.go()

    arrival = world.arrival()
    assert (arrival.state, arrival.next_step) == ("waiting", "")
    assert arrival.reason == "m cannot answer now. It is tried again by itself."
    assert not any(is_problem(event) or notice_of(event) for event in world.voice.heard)
    assert work_in_trouble(world.archive) == ()


@pytest.mark.parametrize(("asked", "seconds"), [(7_200.0, 7_200), (10.0**7, 86_400), (0.0, 10)])
def test_a_provider_is_not_asked_before_the_time_it_named_but_within_a_day(
    world: World, asked: float, seconds: int
) -> None:
    world.dropped()
    world.says(replace(AWAY, retry_after=asked), replace(AWAY, retry_after=0.0), RunDone())
    before = at(now())

    world.go()

    wait = at(world.arrival().next_look_at or "") - before
    assert timedelta(seconds=seconds) <= wait < timedelta(seconds=seconds + LIMIT_SECONDS)


def test_what_the_person_can_mend_is_told_beside_an_outage(world: World) -> None:
    full = ChatIs("abc", "T", "skipped", "The disk is full.", "Free some space.", later=True)
    world.dropped()
    world.says(replace(AWAY, retry_after=0.0), full, RunDone())

    world.go()

    assert (world.arrival().state, world.arrival().next_step) == ("waiting", "Free some space.")
    assert [trouble.name for trouble in work_in_trouble(world.archive)] == ["T"]


def test_another_memproc_at_work_is_waited_for_without_a_word(world: World) -> None:
    world.dropped()
    world.says(RunFailed("Another memproc is at work.", "Wait for it.", "busy"))

    world.go()

    assert (world.arrival().state, world.arrival().next_step) == ("waiting", "")
    assert world.arrival().reason == "Another memproc is at work. It is tried again by itself."


def test_a_file_whose_work_broke_off_after_an_outage_is_told(world: World) -> None:
    """The outcome of the outage asks for nothing; it must not hide what happened since."""
    world.dropped()
    world.says(replace(AWAY, retry_after=0.0), RunDone())
    world.go()
    world.does("raise SystemExit(3)")
    for _ in range(3):
        world.is_due_now()
        world.go()

    assert [trouble.name for trouble in work_in_trouble(world.archive)] == ["talk.json"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os.kill(os.getpid(), 9)", "was killed (signal 9)"),
        ("raise SystemExit(0)", "exit code 0 in the middle"),
        ("print('no event'); raise SystemExit(3)", "exit code 3 in the middle"),
        (
            f"import sys; sys.stdout.write({format_event(RunFailed('It broke.', 'Report it.', 'mistake'))!r})",
            "It broke",
        ),
    ],
)
def test_work_that_breaks_off_three_times_is_given_up(world: World, code: str, words: str) -> None:
    world.dropped()
    world.does(code)
    for tries in (1, 2, 3):
        world.is_due_now()
        world.go()
        assert words in world.arrival().reason
        assert world.arrival().tries == tries
        assert world.arrival().state == ("waiting" if tries < 3 else "skipped")
    assert world.arrival().next_step
    world.go()
    assert len(world.asked) == 3


def test_what_the_person_or_a_turn_of_the_budget_has_to_end_is_waited_for(world: World) -> None:
    world.dropped()
    world.says(
        PLANNED,
        RunFailed(
            "The cap of a day is reached.", "Raise it.", "blocked", "2099-01-01T00:00:00.000Z"
        ),
    )

    world.go()

    found = world.arrival()
    assert (found.state, found.reason, found.next_step) == (
        "paused",
        "The cap of a day is reached.",
        "Raise it.",
    )
    assert (found.next_look_at, found.tries) == ("2099-01-01T00:00:00.000Z", 0)


def test_another_memproc_is_waited_for_and_that_is_no_failure(world: World) -> None:
    world.dropped()
    with hold(world.root / "state" / "lock"):
        world.dispatch.next()
        assert not world.dispatch.busy
    world.says(RunFailed("Another memproc is working.", "Wait for it.", "busy"))

    world.go()

    assert (world.arrival().state, world.arrival().tries) == ("waiting", 0)


def test_a_pause_holds_the_work_back_until_it_ends(world: World) -> None:
    world.dropped()
    begin_pause(world.archive, timedelta(hours=1), now())
    world.dispatch.next()
    world.dispatch.next()
    assert not world.dispatch.busy
    assert [getattr(event, "state", "") for event in world.voice.heard] == ["paused"]

    end_pause(world.archive, now())
    world.says(RunDone())
    world.go()

    assert world.voice.heard[1] == DaemonIs("resumed")
    assert world.arrival().state == "done"


def test_a_child_that_hangs_is_killed_and_one_that_has_announced_it_is_not(world: World) -> None:
    world.dropped()
    beats = int(HANG_SECONDS / BEAT_SECONDS)
    world.does(
        f"import sys, time; print({format_event(Alive(2 * HANG_SECONDS))!r}, end='', flush=True); time.sleep(600)"
    )
    world.dispatch.next()
    world.take(world.queue.get(timeout=LIMIT_SECONDS))

    for _ in range(beats + 1):
        world.dispatch.beat()
    assert world.queue.empty(), "it has said that it may take so long"
    for _ in range(beats + 60):
        world.dispatch.beat()
    world.finish()

    assert "gave no sign of life for" in world.arrival().reason
    assert world.arrival().tries == 1


def test_when_the_daemon_ends_the_child_is_told_and_its_file_goes_on_with_the_next_one(
    world: World,
) -> None:
    world.dropped()
    world.does("import sys; sys.stdin.read()")
    world.dispatch.next()

    world.dispatch.stop()
    world.finish()

    assert (world.arrival().state, world.arrival().tries) == ("copied", 0)
    world.dispatch.next()
    assert not world.dispatch.busy


def test_a_child_that_does_not_end_is_killed(world: World) -> None:
    world.dropped()
    world.does("import time; time.sleep(600)")
    world.dispatch.next()
    began = time.monotonic()

    world.dispatch.stop()
    world.dispatch.kill()
    world.finish()

    assert time.monotonic() - began < LIMIT_SECONDS
    assert world.arrival().state == "copied"


def test_a_child_that_cannot_be_started_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    world.dropped()
    monkeypatch.setattr("daemon.inbox.child.subprocess.Popen", refused)
    world.dispatch.next()

    assert not world.dispatch.busy
    assert isinstance(world.voice.heard[0], Trouble)
    assert (world.arrival().state, world.arrival().tries) == ("waiting", 1)


def test_the_settings_that_count_are_handed_to_the_child(world: World) -> None:
    world.dropped()
    echo = "import sys, json; print(json.dumps({'is': 'Note', 'text': json.loads(sys.stdin.readline())['text']}))"
    world.does(echo)

    world.go()

    assert Note("# the settings that count") in world.voice.heard


def test_settings_that_are_wrong_change_nothing_and_right_ones_count_at_once(world: World) -> None:
    before = world.dispatch.plan
    world.dispatch.reload = True
    world.says(RunFailed("line 3: chunk.tokens", "Correct it.", "blocked"))
    world.go()
    assert world.asked == [("--supervised", "job", "settings")]
    assert world.voice.heard == [Trouble("the settings", "line 3: chunk.tokens", "Correct it.")]
    assert world.dispatch.plan == before
    found = sign(world.archive, "config_error")
    assert found and "line 3" in found.value

    world.dispatch.reload = True
    world.reads(world.settings(settle_seconds=9, night="01:00-02:00", notify="all"))
    world.go()
    assert world.voice.heard[1:] == [DaemonIs("configured")]
    assert (world.dispatch.plan.settle_seconds, world.voice.when) == (9, "all")
    assert "retry" in {job.name for job in jobs(world.archive)}
    assert sign(world.archive, "config_error") is None

    world.dispatch.reload = True
    world.reads(world.settings(inbox="/elsewhere", subfolders=True, settle_seconds=1))
    world.go()
    assert world.voice.heard[2:] == [DaemonIs("configured", "folders.inbox, watch.subfolders")]
    assert world.dispatch.plan.settle_seconds == 9, "none of it counts before a restart"


def test_settings_that_cannot_be_read_now_are_told_once_and_read_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.dispatch._READ_AGAIN_SECONDS", 0.0)
    world.dispatch.reload = True
    world.does("import os; os.kill(os.getpid(), 9)")
    world.go()
    world.go()

    assert [type(event) for event in world.voice.heard] == [Trouble, Trouble, Trouble]
    assert len(world.asked) == 2


def test_a_timed_job_is_done_and_due_again_and_what_it_found_is_kept(world: World) -> None:
    due_now(world)
    world.says(Alive(3600), RunDone("prune", "The backups are damaged."))

    world.go()

    (job,) = [job for job in jobs(world.archive) if job.name == "prune"]
    assert job.error == "The backups are damaged."
    assert job.due_at > now()
    assert world.asked == [("--supervised", "job", "prune")]
    assert world.voice.heard == [RunDone("prune", "The backups are damaged.")]


@pytest.mark.parametrize("dies", [True, False])
def test_a_job_that_could_not_be_done_is_tried_again_within_the_hour(
    world: World, dies: bool
) -> None:
    due_now(world)
    if dies:
        world.does("import os; os.kill(os.getpid(), 9)")
    else:
        world.says(RunFailed("The disk is full.", "Free some space.", "blocked"))

    world.go()

    (job,) = [job for job in jobs(world.archive) if job.name == "prune"]
    assert job.error and ("killed" in job.error) == dies
    assert now() < job.due_at


def test_postponed_work_that_is_worth_it_is_taken_up_again(world: World) -> None:
    world.dropped()
    world.archive.run("UPDATE arrival SET state = 'skipped'")
    due_now(world)
    world.says(RunDone("retry", arrivals=(1,)))

    world.go()

    assert world.arrival().state == "copied"


def due_now(world: World) -> None:
    world.archive.run("UPDATE job SET due_at = '2020-01-01T00:00:00.000Z' WHERE name = 'prune'")


ANSWERS_EACH = f"""
import sys
sys.stdin.readline()
for number in range(5):
    sys.stdout.write({format_event(Alive(1))!r})
    sys.stdout.flush()
    %s
    sys.stdout.write({format_event(RunDone())!r})
    sys.stdout.flush()
    if not sys.stdin.readline():
        break
"""


def test_small_files_share_a_child_one_after_the_other(world: World) -> None:
    for _ in range(3):
        world.dropped()
    world.does(ANSWERS_EACH % "pass")

    world.go()

    assert [world.arrival(number).state for number in (1, 2, 3)] == ["done"] * 3
    assert len(world.asked) == 1


def test_a_child_s_death_is_the_fault_of_the_file_it_was_at_which_is_then_tried_alone(
    world: World,
) -> None:
    for _ in range(3):
        world.dropped()
    world.does(ANSWERS_EACH % "number and sys.exit(3)")

    world.go()

    assert [world.arrival(number).tries for number in (1, 2, 3)] == [0, 1, 0]
    assert world.arrival(1).state == "done"
    world.does(ANSWERS_EACH % "pass")
    world.is_due_now()
    world.go()
    world.go()
    assert [world.arrival(number).state for number in (1, 2, 3)] == ["done"] * 3
    assert len(world.asked) == 3, "one for the two, one for the second, one for the third"


def test_a_file_that_the_child_had_not_begun_with_is_none_of_its_faults(world: World) -> None:
    world.dropped()
    world.dropped()
    world.does(f"import sys; sys.stdin.readline(); sys.stdout.write({format_event(RunDone())!r})")

    world.go()
    world.go()

    assert [world.arrival(number).state for number in (1, 2)] == ["done", "done"]
    assert [world.arrival(number).tries for number in (1, 2)] == [0, 0]
    assert len(world.asked) == 2


def test_a_large_file_has_a_child_of_its_own(world: World) -> None:
    world.dropped()
    world.dropped(size=5 << 20)
    world.does(ANSWERS_EACH % "pass")

    world.go()

    assert (world.arrival(1).state, world.arrival(2).state) == ("done", "copied")


def test_a_pause_counts_between_two_files_of_a_child(world: World) -> None:
    world.dropped()
    world.dropped()
    world.does(ANSWERS_EACH % "pass")
    world.dispatch.next()
    begin_pause(world.archive, timedelta(hours=1), now())

    world.finish()

    assert (world.arrival(1).state, world.arrival(2).state) == ("done", "copied")
