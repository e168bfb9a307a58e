"""What the extension is told of a job that a daemon has taken, state by state."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    change_state,
    compare_inbox,
    record_sightings,
)
from daemon.archive.outputs import Output, record_output
from daemon.archive.sent import ChatJob, count_start, find_job, keep_job
from daemon.archive.work import (
    begin_by_hand,
    record_outcome,
)
from daemon.bridge.chat_jobs import JobReport, give_job, only_chat, report_job
from daemon.events import ChatIs, Event, Planned, RunDone
from daemon.files.candidates import sighting_at, sighting_of
from daemon.files.clock import at
from daemon.files.lock import hold
from daemon.files.paths import Folders
from daemon.inbox.file_work import FileWork
from daemon.status.place import begin_pause
from rules.arrival import State
from rules.errors import NotAnExport
from rules.typingmind.dates import write_date
from tests.chats import CHAT_ID, chat, conversation, export_bytes

EXPORT = export_bytes(chat(*conversation(2, 40)))
DIGEST = sha256(EXPORT).hexdigest()
BEGAN, LATER, LAST = (
    "2026-11-22T10:00:00.000Z",
    "2026-11-22T10:01:00.000Z",
    "2026-11-22T10:02:00.000Z",
)
DAEMON, RUN = "daemon.lock", "lock"


@dataclass
class Stage:
    """An archive, and what other processes do there."""

    archive: Archive
    folders: Folders
    others: ExitStack

    @property
    def state(self) -> Path:
        return self.folders.state

    def given(self, body: bytes = EXPORT) -> ChatJob:
        return give_job(self.archive, self.folders, "phone", only_chat(body), body, BEGAN)

    def works(self, name: str) -> None:
        """Somebody holds this lock from now on."""
        self.others.enter_context(hold(self.state / name))

    def seen(self, job: ChatJob) -> int:
        """The daemon has seen the file in the inbox; the number of its arrival."""
        path = Path(job.path)
        files, left = compare_inbox(self.archive, [(job.path, sighting_of(path.lstat()))])
        (number,) = record_sightings(self.archive, files, left, LATER).values()
        return number

    def comes_to(
        self, number: int, state: State, reason: str = "", next_step: str = "", tries: int = 0
    ) -> None:
        """The daemon has taken the file, and has come so far with it."""
        change_state(
            self.archive, number, state, reason, next_step, LATER, tries=tries, sha256=DIGEST
        )

    def written(self, number: int, at: str = LATER) -> Path:
        """The daemon has written the chat's updated export."""
        path = self.folders.updated / "The lighthouse.json"
        path.write_bytes(EXPORT)
        record_output(self.archive, Output(CHAT_ID, str(path), DIGEST, "", DIGEST, at))
        outcome = ChatIs(CHAT_ID, "The lighthouse", "written", path=str(path), arrival=number)
        record_outcome(self.archive, outcome, at)
        self.comes_to(number, "written")
        return path

    def runs(self, job: ChatJob, *events: Event) -> FileWork:
        """The run that the page has started has come so far with the file."""
        path = Path(job.path)
        number, _ = begin_by_hand(self.archive, job.path, sighting_at(path), LATER)
        work = FileWork(
            self.archive, number, path, path.name, lambda: LATER, LATER, by_hand=True,
            state="working",
        )  # fmt: skip
        for event in events:
            work.take(event)
        return work

    def told(self, job: ChatJob, now: str = LAST) -> tuple[str, str]:
        found = report_job(
            self.archive, self.state, find_job(self.archive, job.id, "phone") or job, now
        )
        return found.state, found.reason

    def whole(self, job: ChatJob) -> JobReport:
        return report_job(
            self.archive, self.state, find_job(self.archive, job.id, "phone") or job, LAST
        )


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    folders = Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))
    folders.updated.mkdir()
    with Archive.open(folders.state) as archive, ExitStack() as others:
        yield Stage(archive, folders, others)


OWN = "It is as memproc wrote it, so there was nothing to do."
WAITS = "The $10 of today are spent. It goes on at midnight."


@pytest.mark.parametrize(
    ("state", "reason", "next_step", "tries", "told"),
    [
        ("copied", "", "", 0, ("waiting", "")),
        ("working", "", "", 0, ("running", "")),
        ("working", "a batch of 4 requests is waited for", "", 0, ("running", "A batch of 4 requests is waited for.")),
        ("waiting", "a disk is full", "Free some space.", 1, ("waiting", "A disk is full. Free some space.")),
        ("paused", WAITS, "", 0, ("waiting", WAITS)),
        ("skipped", "It lost much.", "Say: memproc accept x", 0, ("skipped", "It lost much. Say: memproc accept x")),
        ("skipped", "The work on it failed 3 times.", "", 3, ("failed", "The work on it failed 3 times.")),
        ("gone", "it was taken away", "", 0, ("failed", "It was taken away. Send the chat again.")),
        ("done", "memproc wrote this file itself", "", 0, ("unchanged", OWN)),
    ],
)  # fmt: skip
def test_each_state_of_a_file_is_told(
    stage: Stage, state: State, reason: str, next_step: str, tries: int, told: tuple[str, str]
) -> None:
    job = stage.given()
    stage.works(DAEMON)
    assert stage.told(job) == ("waiting", "")
    number = stage.seen(job)
    assert stage.told(job) == ("waiting", "")
    stage.comes_to(number, state, reason, next_step, tries)
    assert stage.told(job) == told


def test_a_file_that_needs_somebody_s_attention_says_so_before_it_is_taken(stage: Stage) -> None:
    job = stage.given()
    stage.works(DAEMON)
    change_state(
        stage.archive, stage.seen(job), "settling", "the disk is full", "Free some space.", LATER
    )
    assert stage.told(job) == ("waiting", "The disk is full. Free some space.")


def test_what_is_unchanged_says_why(stage: Stage) -> None:
    job = stage.given()
    stage.works(DAEMON)
    number = stage.seen(job)
    detail = "it has 461 tokens; memproc begins where a chat is longer"
    record_outcome(stage.archive, ChatIs(CHAT_ID, "x", "unchanged", detail, arrival=number), LATER)
    stage.comes_to(number, "done")
    assert stage.told(job) == (
        "unchanged",
        "It has 461 tokens; memproc begins where a chat is longer.",
    )


def test_a_daemon_that_does_not_run_leaves_the_work_to_the_page(stage: Stage) -> None:
    job = stage.given()
    assert stage.whole(job).needs_run
    stage.comes_to(stage.seen(job), "working")  # and was killed then
    assert stage.whole(job).needs_run
    stage.works(RUN)
    assert stage.told(job) == ("waiting", "Another memproc is at work; this chat comes after it.")
    stage.works(DAEMON)
    assert stage.told(job) == ("running", "")


def test_what_was_begun_by_the_page_is_running_for_a_while_without_a_word(stage: Stage) -> None:
    job = stage.given()
    assert count_start(stage.archive, job, LATER)
    assert not count_start(stage.archive, job, LATER), "another process has started it"
    assert stage.told(job, "2026-11-22T10:01:19.000Z") == ("running", "")
    assert stage.whole(job).needs_run


def test_a_run_of_the_page_says_how_it_ended(stage: Stage) -> None:
    job = stage.given()
    aside = ChatIs(CHAT_ID, "x", "skipped", "Most of it is gone.", "Say so.")
    unchanged = ChatIs(CHAT_ID, "x", "unchanged", "it is short")
    stage.runs(job, aside, RunDone())
    assert stage.told(job) == ("skipped", "Most of it is gone. Say so.")
    stage.runs(job, unchanged, RunDone())
    assert stage.told(job) == ("unchanged", "It is short.")
    stage.runs(job, Planned(CHAT_ID, "x", 2, 8)).break_off("The cap is reached.", "Raise it.")
    assert stage.told(job) == ("failed", "The cap is reached. Raise it.")


def test_a_run_of_the_page_says_how_far_it_is_and_is_begun_again_where_it_broke_off(
    stage: Stage,
) -> None:
    job = stage.given()
    work = stage.runs(job, Planned(CHAT_ID, "x", 2, 8))
    assert stage.whole(job).needs_run  # it was killed
    with hold(stage.state / RUN):
        assert (stage.whole(job).state, stage.whole(job).total) == ("running", 2)
    work.break_off("", "")
    assert stage.whole(job).needs_run


def test_another_version_of_the_chat_takes_the_place_of_one_that_nobody_has_taken(
    stage: Stage,
) -> None:
    old, new = stage.given(), stage.given(export_bytes(chat(*conversation(3, 40))))
    told = stage.told(old)
    assert told == (
        "failed",
        "Another version of this chat has taken its place in the inbox. Send the chat again.",
    )
    assert stage.whole(new).needs_run


def test_what_is_worked_on_already_is_not_put_into_the_inbox_again(stage: Stage) -> None:
    first = stage.given()
    stage.works(DAEMON)
    stage.comes_to(stage.seen(first), "working")
    Path(first.path).unlink()
    second = stage.given()
    assert not Path(second.path).exists()
    assert stage.told(first) == stage.told(second) == ("running", "")


def test_a_result_that_does_not_stand_any_more_is_made_anew_by_a_run_of_the_page(
    stage: Stage,
) -> None:
    first = stage.given()
    stage.works(DAEMON)
    path = stage.written(stage.seen(first))
    assert stage.told(first) == ("done", "")
    path.write_bytes(b"changed")
    assert stage.whole(
        first
    ).needs_run  # the daemon would say that it has worked on this content already
    stage.runs(first, ChatIs(CHAT_ID, "x", "written", path=str(path)), RunDone())
    assert stage.told(first)[0] == "failed"
    path.write_bytes(EXPORT)
    assert stage.told(first) == ("done", "")


def test_a_pause_is_told_with_its_end(stage: Stage) -> None:
    job = stage.given()
    stage.works(DAEMON)
    begin_pause(stage.archive, None, BEGAN)
    assert stage.told(job) == ("waiting", "memproc is paused. To go on at once: memproc resume")


def test_a_job_belongs_to_its_device(stage: Stage) -> None:
    job = stage.given()
    assert find_job(stage.archive, job.id, "phone") == job
    for name in ("", "..", "x" * 32, job.id.upper()):
        assert find_job(stage.archive, name, "phone") is None
    assert find_job(stage.archive, job.id, "tablet") is None


def test_a_job_is_forgotten_after_a_week(stage: Stage) -> None:
    job = stage.given()
    for days, is_there in ((6, True), (8, False)):
        later = write_date(at(job.at) + timedelta(days=days))
        keep_job(stage.archive, replace(job, id=f"after {days}", at=later))
        assert (find_job(stage.archive, job.id, "phone") is not None) == is_there


def test_only_an_export_of_one_chat_is_a_job() -> None:
    two = export_bytes(chat(chatID="a"), chat(chatID="b"))
    for body in (b"", b"{}", b'{"data": {"chats": []}}', two, b"PK\x03\x04"):
        with pytest.raises(NotAnExport):
            only_chat(body)
