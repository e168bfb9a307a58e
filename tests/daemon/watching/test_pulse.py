"""A watch is believed only as long as a cookie's event comes, and only on the folder that it began with."""

import queue
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from daemon.inbox import cookie
from daemon.inbox.mode import Mode
from daemon.inbox.observer import Watcher
from daemon.inbox.pulse import Alive, NotYet, Pulse, RootChanged, RootMissing, Silent, Unproven, Verdict
from daemon.inbox.wakes import FolderChanged, Wake
from tests.daemon.watching.waiting import until, wake_of

NATIVE, POLL = Mode("native", "events"), Mode("poll", "asked for")


@dataclass
class Hearing:
    """A watcher of the tests: it hears a cookie when the test says so."""

    mode: Mode = NATIVE
    cookie: str = ""
    ended: str = ""

    def dead(self) -> str:
        return self.ended


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def laid(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the cookies, as they are laid."""
    names: list[str] = []
    lay = cookie.lay

    def kept(inbox: Path) -> str:
        names.append(lay(inbox))
        return names[-1]

    monkeypatch.setattr(cookie, "lay", kept)
    return names


def test_a_new_watch_is_proved_at_once_and_then_every_minute(inbox: Path, laid: list[str]) -> None:
    watcher = Hearing()
    pulse = Pulse(inbox, watcher, 100.0)
    assert pulse.step(100.0) == NotYet()
    watcher.cookie = laid[0]
    assert pulse.step(100.1) == Alive()
    assert [pulse.step(second) for second in (102.0, 130.0, 159.9)] == [NotYet()] * 3
    assert pulse.step(160.0) == NotYet()
    assert len(laid) == 2
    watcher.cookie = laid[1]
    assert pulse.step(161.0) == Alive()


def test_no_cookie_stays_in_the_inbox(inbox: Path, laid: list[str]) -> None:
    Pulse(inbox, Hearing(), 0.0).step(0.0)
    assert laid
    assert not list(inbox.iterdir())


def test_a_cookie_that_is_not_heard_in_two_seconds_is_silence(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(), 0.0)
    assert [pulse.step(0.0), pulse.step(2.0)] == [NotYet(), NotYet()]
    assert isinstance(pulse.step(2.1), Silent)
    assert pulse.failures == 1


def test_an_older_cookie_is_no_proof(inbox: Path, laid: list[str]) -> None:
    watcher = Hearing()
    pulse = Pulse(inbox, watcher, 0.0)
    pulse.step(0.0)
    watcher.cookie = laid[0]
    pulse.step(1.0)
    pulse.step(60.0)
    assert pulse.step(61.0) == NotYet()
    assert isinstance(pulse.step(63.0), Silent)


def test_silences_count_only_in_a_row(inbox: Path, laid: list[str]) -> None:
    pulse = Pulse(inbox, Hearing(), 0.0)
    for number in (1, 2):
        pulse.step(10.0 * number)
        assert isinstance(pulse.step(10.0 * number + 3), Silent)
        pulse.watched(Hearing(), 10.0 * number + 4)
    assert pulse.failures == 2
    pulse.watched(heard := Hearing(), 40.0)
    pulse.step(40.0)
    heard.cookie = laid[-1]
    assert pulse.step(40.1) == Alive()
    assert pulse.failures == 0


def test_a_dead_thread_is_told_at_once(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(ended="The thread has ended."), 0.0)
    assert pulse.step(0.0) == Silent("The thread has ended.")
    assert pulse.failures == 1


def test_a_watch_that_dies_at_every_beginning_is_begun_again_once_a_minute_only(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(ended="dead"), 0.0)
    begun = []
    for second in range(0, 300, 2):
        if isinstance(pulse.step(second), Silent):
            begun.append(second)
            pulse.watched(Hearing(ended="dead"), second)
    assert begun == [0, 2, 4, 64, 124, 184, 244]


def test_polling_is_not_asked_for_a_cookie(inbox: Path, laid: list[str]) -> None:
    pulse = Pulse(inbox, Hearing(POLL), 0.0)
    assert [pulse.step(0.0), pulse.step(59.0), pulse.step(60.0)] == [NotYet(), NotYet(), Alive()]
    assert not laid


def test_an_inbox_that_goes_is_missed_once_and_its_return_is_told(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(POLL), 0.0)
    inbox.rmdir()
    assert pulse.step(1.0) == RootMissing(f"The inbox {inbox} is not there.")
    assert pulse.step(2.0) == NotYet()
    inbox.mkdir()
    assert pulse.step(3.0) == RootChanged("The inbox is there again.")


def test_an_inbox_that_was_never_there_is_missed(inbox: Path) -> None:
    inbox.rmdir()
    pulse = Pulse(inbox, Hearing(Mode("none", "not there"), ended="not there"), 0.0)
    assert isinstance(pulse.step(0.0), RootMissing)
    inbox.mkdir()
    assert isinstance(pulse.step(2.0), RootChanged)


def test_a_file_in_the_place_of_the_inbox_is_no_inbox(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(), 0.0)
    inbox.rmdir()
    inbox.write_text("")
    assert pulse.step(0.0) == RootMissing(f"The inbox {inbox} is not a folder.")


def test_another_folder_in_its_place_is_told_and_forgets_the_failures(inbox: Path) -> None:
    pulse = Pulse(inbox, Hearing(ended="dead"), 0.0)
    pulse.step(0.0)
    inbox.rename(inbox.with_name("away"))
    inbox.mkdir()
    assert pulse.step(1.0) == RootChanged("Another folder stands where the inbox was.")
    assert pulse.failures == 0


def test_a_link_that_is_pointed_elsewhere_is_another_folder(inbox: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(inbox)
    pulse = Pulse(link, Hearing(POLL), 0.0)
    assert pulse.step(0.0) == NotYet()
    link.unlink()
    link.symlink_to(tmp_path)
    assert isinstance(pulse.step(1.0), RootChanged)


def test_an_inbox_that_cannot_be_written_says_so_every_minute(inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(inbox: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cookie, "lay", read_only)
    pulse = Pulse(inbox, Hearing(), 0.0)
    unproven = pulse.step(0.0)
    assert isinstance(unproven, Unproven)
    assert "not allowed" in unproven.reason
    assert "rescans" in unproven.reason
    assert [pulse.step(1.0), pulse.step(59.0)] == [NotYet(), NotYet()]
    assert isinstance(pulse.step(60.0), Unproven)
    assert pulse.failures == 0


def test_while_a_cookie_cannot_be_taken_away_no_other_is_laid(
    inbox: Path, laid: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_away = cookie.take_away

    def refused(inbox: Path, name: str) -> None:
        if name:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cookie, "take_away", refused)
    pulse = Pulse(inbox, Hearing(), 0.0)
    assert all(isinstance(pulse.step(60.0 * minute), Unproven) for minute in range(5))
    assert len(laid) == len(list(inbox.iterdir())) == 1
    monkeypatch.setattr(cookie, "take_away", take_away)
    assert pulse.step(600.0) == NotYet()
    assert not list(inbox.iterdir())


def test_the_cookies_of_a_memproc_that_was_killed_are_swept_and_nothing_else(inbox: Path) -> None:
    (inbox / ".memproc-cookie-17-1800000000000000000").touch()
    kept = [".memproc-cookie-17-x", ".memproc-cookie-17-1.json", "export.json"]
    for name in kept:
        (inbox / name).touch()
    (inbox / ".memproc-cookie-18-1").write_text("someone's")
    Pulse(inbox, Hearing(), 0.0)
    assert sorted(entry.name for entry in inbox.iterdir()) == sorted([*kept, ".memproc-cookie-18-1"])


class Loop:
    """As the daemon's loop does it: a new watch after each trouble; the clock is the test's."""

    def __init__(self, inbox: Path) -> None:
        self.inbox = inbox
        self.wakes: queue.SimpleQueue[Wake] = queue.SimpleQueue()
        self.monotonic = 0.0
        self.watcher = self._watch(0)
        self.pulse = Pulse(inbox, self.watcher, self.monotonic)

    def _watch(self, failures: int) -> Watcher:
        return Watcher.start(self.inbox, "auto", False, self.wakes.put, failures)

    def turn(self, seconds: float = 0.0) -> Verdict:
        self.monotonic += seconds
        verdict = self.pulse.step(self.monotonic)
        if isinstance(verdict, Silent | RootChanged):
            self.watcher.stop()
            self.watcher = self._watch(self.pulse.failures)
            self.pulse.watched(self.watcher, self.monotonic)
        return verdict

    def until(self, kind: type[Verdict]) -> None:
        until(lambda: isinstance(self.turn(), kind), kind.__name__)


@pytest.fixture
def loop(inbox: Path) -> Iterator[Loop]:
    loop = Loop(inbox)
    yield loop
    loop.watcher.stop()


def works(loop: Loop) -> None:
    """The watch is proved, and a new file wakes the loop."""
    loop.turn(60.0)
    loop.until(Alive)
    while not loop.wakes.empty():
        loop.wakes.get()
    (loop.inbox / "export.json").write_text("{}")
    assert wake_of(FolderChanged, loop.wakes)


def test_a_real_watch_answers(loop: Loop) -> None:
    loop.until(Alive)
    works(loop)


def test_an_inbox_deleted_and_made_again_is_watched_again(loop: Loop) -> None:
    loop.until(Alive)
    shutil.rmtree(loop.inbox)
    loop.until(RootMissing)
    loop.inbox.mkdir()
    loop.until(RootChanged)
    works(loop)


def test_an_inbox_replaced_between_two_looks_is_watched_again(loop: Loop) -> None:
    loop.until(Alive)
    shutil.rmtree(loop.inbox)
    loop.inbox.mkdir()  # on many file systems with the same inode as before
    until(lambda: isinstance(loop.turn(), Silent | RootChanged), "the new folder")
    works(loop)


def test_an_inbox_renamed_away_and_back_is_watched_again(loop: Loop) -> None:
    loop.until(Alive)
    away = loop.inbox.rename(loop.inbox.with_name("away"))
    loop.until(RootMissing)
    away.rename(loop.inbox)
    loop.until(RootChanged)
    works(loop)


def test_an_inbox_renamed_away_and_another_put_in_its_place_is_watched_again(loop: Loop) -> None:
    loop.until(Alive)
    loop.inbox.rename(loop.inbox.with_name("away"))
    loop.inbox.mkdir()
    loop.until(RootChanged)
    works(loop)


def test_three_deaf_watches_in_a_row_end_in_polling(inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watcher, "_happened", lambda watcher, event: None)
    loop = Loop(inbox)
    for _ in range(3):
        assert loop.watcher.mode.used == "native"
        loop.turn()
        assert isinstance(loop.turn(3.0), Silent)
    assert loop.watcher.mode.used == "poll"
    assert "3 times in a row" in loop.watcher.mode.why
    assert loop.turn(60.0) == Alive()
    loop.watcher.stop()
