"""Notices on the desktop: of what, how often, and never in the way."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.events import ChatIs, DaemonIs, Event, FileIs, Note, RunDone, Trouble, UserEdits
from daemon.files.paths import sent_name
from daemon.status.notices import (
    MOST_AN_HOUR,
    DesktopNotice,
    FindCommand,
    Kind,
    Notifier,
    notice_of,
)
from tests.daemon.status.filled import ago, ahead
from tests.waiting import LIMIT_SECONDS


def until(done: Callable[[], bool], notifier: Notifier) -> None:
    """Turn the loop until it is so."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not done():
        assert time.monotonic() < deadline, "it did not come to this in time"
        notifier.step(0.0)
        time.sleep(0.005)


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code, *arguments)


def writes(place: Path) -> FindCommand:
    """A desktop that notes each notice in a file."""
    code = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + '\\n')"
    return lambda title, text: python(code, str(place), f"{title}: {text}")


def silent(title: str, text: str) -> tuple[str, ...]:
    return python("pass")


def problem(cause: str) -> DesktopNotice:
    return DesktopNotice("problem", cause, f"about {cause}")


class Desk:
    """A notifier, with what it has told the log."""

    def __init__(self, archive: Archive, find_command: FindCommand) -> None:
        self.in_prompts: list[Event] = []
        self.notifier = Notifier(archive, find_command, self.in_prompts.append)

    def give(self, notice: DesktopNotice, now: str = "", when: str = "problems") -> bool:
        return self.notifier.give(notice, when, now or ago(), 0.0)


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (FileIs(1, "a.json", "written", "ready to be imported: A.json"), "ready"),
        (
            FileIs(
                1, sent_name("A", "abc"), "written", "TypingMind takes it back by itself: A.json"
            ),
            None,
        ),
        (FileIs(1, "a.json", "working"), "begun"),
        (FileIs(1, "a.json", "skipped", "It is not JSON.", "Export it again."), "problem"),
        (FileIs(1, "a.json", "paused", "No money is left.", "Add credit."), "problem"),
        (FileIs(1, "a.json", "settling", "still growing"), None),
        (FileIs(1, "a.json", "waiting", "It is tried again by itself."), None),
        (ChatIs("abc", "", "skipped", "No.", arrival=1, file="a.json"), None),
        (Trouble("the inbox", "It is gone.", "Make it again."), "problem"),
        (Trouble("the worker", "It died, and is started again."), None),
        (Trouble("the settings", "line 3", "Correct it."), "problem"),
        (RunDone("prune", "the disk is full"), "problem"),
        (RunDone("prune"), None),
        (DaemonIs("watching", "No inotify instance is left.", "none"), "problem"),
        (DaemonIs("watching", "nfs", "poll"), None),
        (UserEdits("abc", "", "1 deleted message"), "edits"),
        (UserEdits("abc", "", "1 message is missing", by_person=False), "missing"),
        (Note("x"), None),
    ],
)
def test_what_is_worth_a_notice(event: Event, kind: Kind | None) -> None:
    notice = notice_of(event)
    assert (notice.kind if notice else None) == kind


def test_files_with_the_same_trouble_have_one_cause() -> None:
    first, second = (
        notice_of(FileIs(n, f"{n}.json", "paused", "No.", "Add credit.")) for n in (1, 2)
    )
    assert first is not None
    assert second is not None
    assert (first.cause, first.text) == (second.cause, "1.json waits: No. Add credit.")


@pytest.mark.parametrize(
    ("when", "kinds"),
    [("problems", {"problem", "ready"}), ("all", {"problem", "ready", "begun"}), ("never", set())],
)
def test_memproc_toml_says_of_what(archive: Archive, when: str, kinds: set[str]) -> None:
    desk = Desk(archive, silent)
    every: tuple[Kind, ...] = ("problem", "ready", "begun")
    assert {kind for kind in every if desk.give(DesktopNotice(kind, "x", ""), when=when)} == kinds
    desk.notifier.stop()


def test_a_notice_reaches_the_desktop(archive: Archive, tmp_path: Path) -> None:
    desk = Desk(archive, writes(tmp_path / "shown"))

    assert desk.give(DesktopNotice("ready", "a", "a.json is done"))

    until(
        lambda: (tmp_path / "shown").exists() and (tmp_path / "shown").read_text() != "",
        desk.notifier,
    )
    assert (tmp_path / "shown").read_text() == "An updated export is ready: a.json is done\n"
    assert desk.in_prompts == []
    desk.notifier.stop()


def test_a_cause_is_told_once_an_hour_also_by_the_next_daemon(archive: Archive) -> None:
    desk = Desk(archive, silent)
    assert desk.give(problem("x"), ago(minutes=59))
    assert not desk.give(problem("x"))
    assert desk.give(problem("y"))
    assert desk.give(DesktopNotice("ready", "x", ""))
    next_one = Desk(archive, silent)
    assert not next_one.give(problem("x"))
    assert next_one.give(problem("x"), ahead(minutes=1))
    assert archive.one("SELECT count(*) FROM sign WHERE name LIKE 'notice %'") == (3,)
    for each in (desk, next_one):
        each.notifier.stop()


def test_a_clock_that_was_set_back_does_not_silence_it(archive: Archive) -> None:
    desk = Desk(archive, silent)
    assert desk.give(problem("x"), ahead(days=300))
    assert desk.give(problem("x"))
    desk.notifier.stop()


def test_a_bad_hour_does_not_flood_the_desktop(archive: Archive) -> None:
    desk = Desk(archive, silent)
    assert sum(desk.give(problem(str(number))) for number in range(100)) == MOST_AN_HOUR
    desk.notifier.stop()


def test_what_is_not_wanted_does_not_count_as_told(archive: Archive) -> None:
    desk = Desk(archive, silent)
    assert not desk.give(problem("x"), when="never")
    assert desk.give(problem("x"))
    desk.notifier.stop()


@pytest.mark.parametrize("argv", [None, ("/nowhere/notify-send",), python("raise SystemExit(1)")])
def test_where_no_desktop_is_the_log_says_so_once(
    archive: Archive, argv: tuple[str, ...] | None
) -> None:
    desk = Desk(archive, lambda *_: argv)

    for cause in "abc":
        desk.give(problem(cause))
    until(lambda: bool(desk.in_prompts), desk.notifier)
    for _ in range(3):
        desk.notifier.step(0.0)

    assert [type(event) for event in desk.in_prompts] == [Note]
    desk.notifier.stop()


def test_a_desktop_that_hangs_holds_nothing_up_and_is_ended(archive: Archive) -> None:
    desk = Desk(archive, lambda *_: python("import time; time.sleep(600)"))
    began = time.monotonic()
    assert desk.give(problem("x"))
    desk.notifier.step(5.0)
    assert desk.in_prompts == []
    assert time.monotonic() - began < LIMIT_SECONDS

    desk.notifier.step(25.0)

    until(lambda: bool(desk.in_prompts), desk.notifier)


def test_nothing_outlives_the_daemon(archive: Archive) -> None:
    desk = Desk(archive, lambda *_: python("import time; time.sleep(600)"))
    desk.give(problem("x"))
    desk.notifier.stop()
    desk.notifier.stop()
