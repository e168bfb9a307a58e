"""The watch on a real folder is kept alive: proved, begun anew when it falls silent, or when the inbox was replaced."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest

from daemon.inbox.cookie import is_cookie
from daemon.inbox.keeper import Keeper, Kept
from daemon.inbox.pulse import ANSWER_SECONDS, BEAT_SECONDS
from daemon.inbox.wakes import FolderChanged, Wake
from tests.daemon.watching.waiting import until, wake_of

Wakes = SimpleQueue[Wake]


@contextmanager
def kept(inbox: Path, wakes: Wakes, mode: str = "auto") -> Iterator[Keeper]:
    """A watch that began at second 0."""
    keeper = Keeper(inbox, mode, False, wakes.put, 0.0)
    try:
        yield keeper
    finally:
        keeper.stop()


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def wakes() -> Wakes:
    return SimpleQueue()


def proved(keeper: Keeper, at: float) -> bool:
    """Whether the cookie's event comes; the test's clock stands still meanwhile."""
    found: list[Kept] = []

    def look() -> bool:
        found.append(keeper.look(at))
        return found[-1] != Kept()

    until(look, "the watch to be proved")
    return found[-1] == Kept(proved=True, note="")


def test_a_watch_by_events_is_proved_as_soon_as_it_begins_and_each_minute(inbox: Path, wakes: Wakes) -> None:
    with kept(inbox, wakes) as keeper:
        assert keeper.mode.used == "native"
        assert proved(keeper, 0.0)
        assert keeper.look(BEAT_SECONDS - 1) == Kept()
        assert proved(keeper, BEAT_SECONDS)
    assert [path for path in inbox.iterdir() if is_cookie(path.name)] == []


def test_a_watch_that_polls_counts_as_proved_without_a_cookie(inbox: Path, wakes: Wakes) -> None:
    with kept(inbox, wakes, "poll") as keeper:
        assert keeper.mode.used == "poll"
        assert keeper.look(BEAT_SECONDS) == Kept(proved=True, note="")


def test_a_silent_watch_is_begun_anew_and_the_inbox_looked_through(
    inbox: Path, wakes: Wakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(inbox, wakes) as keeper:
        with monkeypatch.context() as deaf:
            deaf.setattr("daemon.inbox.observer.is_cookie", lambda name: False)
            assert keeper.look(0.0) == Kept()
            assert wake_of(FolderChanged, wakes)  # the cookie's event has come, and was not known for one
            found = keeper.look(ANSWER_SECONDS + 0.1)
        assert found.rescan
        assert "silent" in (found.note or "")
        assert proved(keeper, 3.0)


def test_a_watch_that_falls_silent_again_and_again_becomes_polling(
    inbox: Path, wakes: Wakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.inbox.observer.is_cookie", lambda name: False)
    with kept(inbox, wakes) as keeper:
        for turn in range(20):
            keeper.look(turn * (ANSWER_SECONDS + 0.1))
        assert (keeper.mode.used, "3 times in a row" in keeper.mode.why) == ("poll", True)


def test_an_inbox_that_goes_and_comes_back_is_watched_again(inbox: Path, wakes: Wakes) -> None:
    with kept(inbox, wakes) as keeper:
        assert proved(keeper, 0.0)
        inbox.rename(inbox.with_name("elsewhere"))
        gone = keeper.look(1.0)
        assert (gone.rescan, gone.note) == (False, f"The inbox {inbox} is not there.")
        assert keeper.look(2.0) == Kept()
        inbox.mkdir()
        assert keeper.look(3.0) == Kept(note="The inbox is there again.", rescan=True)
        assert proved(keeper, 4.0)
        while not wakes.empty():
            wakes.get()
        (inbox / "summer.json").write_bytes(b"{}")
        assert wake_of(FolderChanged, wakes)


def test_another_folder_in_the_place_of_the_inbox_is_watched_instead(inbox: Path, wakes: Wakes) -> None:
    with kept(inbox, wakes) as keeper:
        assert proved(keeper, 0.0)
        inbox.rename(inbox.with_name("elsewhere"))
        inbox.mkdir()
        assert keeper.look(1.0).rescan
        assert proved(keeper, 2.0)


def test_an_inbox_that_takes_no_cookie_is_told(inbox: Path, wakes: Wakes, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> str:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("daemon.inbox.cookie.lay", refuse)
    with kept(inbox, wakes) as keeper:
        found = keeper.look(0.0)
        assert not found.proved
        assert "only the rescans" in (found.note or "")


def test_nothing_is_heard_of_a_watch_that_was_ended(inbox: Path, wakes: Wakes) -> None:
    with kept(inbox, wakes):
        pass
    (inbox / "summer.json").write_bytes(b"{}")
    assert wakes.empty()
