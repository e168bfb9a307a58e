"""Real folders under a real watch: what wakes the loop, what must not, and what a watch says that ends."""

import errno
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from daemon.inbox import mode as modes
from daemon.inbox import observer as watching
from daemon.inbox import polling
from daemon.inbox.observer import Watcher
from daemon.inbox.wakes import EventsLost, FolderChanged, Wake, WatcherDied
from tests.daemon.watching.waiting import quiet, until, wake_of

Start = Callable[..., Watcher]


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def wakes() -> "queue.SimpleQueue[Wake]":
    return queue.SimpleQueue()


@pytest.fixture
def start(inbox: Path, wakes: "queue.SimpleQueue[Wake]") -> Iterator[Start]:
    """Begins watches on the inbox, and ends them after the test."""
    begun: list[Watcher] = []

    def begin(
        mode: str = "native",
        subfolders: bool = False,
        put: Callable[[Wake], None] = wakes.put,
        native: Callable[[], BaseObserver] = Observer,
    ) -> Watcher:
        begun.append(Watcher.start(inbox, mode, subfolders, put, native=native))
        return begun[-1]

    yield begin
    for watcher in begun:
        watcher.stop()


@pytest.fixture
def fast_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "POLL_SECONDS", 0.05)


def drop(inbox: Path) -> None:
    (inbox / "export.json").write_text("{}")


def move_in(inbox: Path) -> None:
    outside = inbox.parent / "outside.json"
    outside.write_text("{}")
    outside.rename(inbox / "export.json")


def link_in(inbox: Path) -> None:
    outside = inbox.parent / "outside.json"
    outside.write_text("{}")
    (inbox / "export.json").hardlink_to(outside)


def remove(inbox: Path) -> None:
    (inbox / "old.json").unlink()


def append(inbox: Path) -> None:
    with (inbox / "old.json").open("a") as file:
        file.write(" ")


def save_over(inbox: Path) -> None:
    new = inbox / ".old.json.tmp"
    new.write_text("{}")
    new.replace(inbox / "old.json")


@pytest.mark.parametrize("change", [drop, move_in, link_in, remove, append, save_over])
def test_each_change_in_the_inbox_wakes_the_loop(
    change: Callable[[Path], None], inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]"
) -> None:
    (inbox / "old.json").write_text("[]")
    start()
    change(inbox)
    assert wake_of(FolderChanged, wakes) == FolderChanged()


@pytest.mark.parametrize("change", [drop, move_in, remove, append, save_over])
def test_polling_finds_the_same_changes(
    change: Callable[[Path], None], inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]", fast_polling: None
) -> None:
    (inbox / "old.json").write_text("[]")
    watcher = start("poll")
    change(inbox)
    assert wake_of(FolderChanged, wakes) == FolderChanged()
    assert watcher.mode.used == "poll"


@pytest.mark.parametrize("mode", ["native", "poll"])
def test_an_inbox_that_is_a_link_is_watched_where_it_leads(
    mode: str, inbox: Path, wakes: "queue.SimpleQueue[Wake]", fast_polling: None
) -> None:
    link = inbox.parent / "link"
    link.symlink_to(inbox)
    watcher = Watcher.start(link, mode, False, wakes.put)
    drop(inbox)
    assert wake_of(FolderChanged, wakes)
    watcher.stop()


def test_reading_the_inbox_wakes_nobody(inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]") -> None:
    (inbox / "old.json").write_text("[]")
    start()
    for _ in range(3):
        (inbox / "old.json").read_bytes()
        list(inbox.iterdir())
    assert quiet(wakes)


def test_a_cookie_wakes_nobody_and_its_name_is_kept(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]"
) -> None:
    watcher = start()
    cookie = inbox / ".memproc-cookie-17-1800000000000000000"
    cookie.touch()
    cookie.unlink()
    until(lambda: watcher.cookie == cookie.name, "the cookie")
    assert quiet(wakes)


def test_a_folder_inside_is_watched_only_when_it_is_wanted(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]"
) -> None:
    inside = inbox / "inside"
    inside.mkdir()
    shallow = start()
    (inside / "export.json").write_text("{}")
    assert quiet(wakes)
    shallow.stop()
    start(subfolders=True)
    (inside / "another.json").write_text("{}")
    assert wake_of(FolderChanged, wakes)


def test_a_folder_that_comes_later_is_watched_too(inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]") -> None:
    start(subfolders=True)
    inside = inbox / "inside"
    inside.mkdir()
    assert wake_of(FolderChanged, wakes)
    until(lambda: quiet(wakes, 0.1), "quiet")
    (inside / "export.json").write_text("{}")
    assert wake_of(FolderChanged, wakes)


def test_a_watch_that_was_ended_wakes_nobody_and_leaves_no_thread(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]"
) -> None:
    before, hook = threading.active_count(), threading.excepthook
    watcher = start()
    watcher.stop()
    watcher.stop()
    until(lambda: threading.active_count() <= before, "the end of the threads")
    drop(inbox)
    assert quiet(wakes)
    assert threading.excepthook == hook


def test_a_deleted_inbox_is_told_and_the_watch_says_that_it_is_dead(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]"
) -> None:
    watcher = start()
    assert watcher.dead() == ""
    inbox.rmdir()
    assert "deleted" in str(wake_of(WatcherDied, wakes))
    inbox.mkdir()
    assert "deleted" in watcher.dead()


def test_polling_outlives_an_inbox_that_goes_and_comes(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]", fast_polling: None
) -> None:
    watcher = start("poll")
    inbox.rmdir()
    assert wake_of(FolderChanged, wakes)
    inbox.mkdir()
    assert wake_of(FolderChanged, wakes)
    drop(inbox)
    assert wake_of(FolderChanged, wakes)
    assert watcher.dead() == ""


def test_polling_looks_into_folders_inside_only_when_it_is_wanted(inbox: Path) -> None:
    (inbox / "inside").mkdir()
    (inbox / "inside" / "export.json").write_text("{}")
    shallow, deep = polling.sum_of(str(inbox), False), polling.sum_of(str(inbox), True)
    (inbox / "inside" / "export.json").write_text("[1]")
    assert polling.sum_of(str(inbox), False) == shallow
    assert polling.sum_of(str(inbox), True) != deep


def test_polling_an_inbox_at_rest_wakes_nobody(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]", fast_polling: None
) -> None:
    drop(inbox)
    start("poll")
    (inbox / "export.json").read_bytes()
    assert quiet(wakes)


def test_a_fault_in_watchdogs_thread_is_told_and_not_swallowed(
    inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]", monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: seen.append(failed.exc_type))

    def put(wake: Wake) -> None:
        if isinstance(wake, FolderChanged):
            raise ZeroDivisionError("a fault in the handler")
        wakes.put(wake)

    watcher = start(put=put)
    drop(inbox)
    assert "ZeroDivisionError: a fault in the handler" in str(wake_of(WatcherDied, wakes))
    assert "ZeroDivisionError" in watcher.dead()
    until(lambda: seen == [ZeroDivisionError], "the hook that was there before")


def test_a_fault_in_any_other_thread_is_not_the_watchs(
    start: Start, wakes: "queue.SimpleQueue[Wake]", monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda failed: seen.append(failed.exc_type))
    watcher = start()
    failing = threading.Thread(target=lambda: 1 // 0)
    failing.start()
    failing.join()
    assert seen == [ZeroDivisionError]
    assert watcher.dead() == ""
    assert quiet(wakes)


def test_a_thread_that_ends_without_a_word_is_noticed(start: Start) -> None:
    made: list[BaseObserver] = []

    def keep() -> BaseObserver:
        made.append(Observer())
        return made[-1]

    watcher = start(native=keep)
    for emitter in made[0].emitters:
        emitter.stop()
    until(lambda: watcher.dead() != "", "the end of the emitter")


def test_an_overflow_is_told(start: Start, wakes: "queue.SimpleQueue[Wake]") -> None:
    start()
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; filesystem events were lost")
    assert "overflowed" in str(wake_of(EventsLost, wakes))


def test_what_watchdog_says_after_the_end_is_not_heard(start: Start, wakes: "queue.SimpleQueue[Wake]") -> None:
    start().stop()
    logging.getLogger("watchdog.observers").warning("too late")
    assert quiet(wakes, 0.05)


class Refusing:
    """An observer on a system that has nothing left to watch with: it refuses when it is made or when it starts."""

    def __init__(self, number: int) -> None:
        self._refused = OSError(number, os.strerror(number))

    def made(self) -> BaseObserver:
        raise self._refused

    def started(self) -> BaseObserver:
        observer = Observer()
        observer.on_thread_start = self.made  # type: ignore[assignment,method-assign]
        return observer


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC])
@pytest.mark.parametrize("when", ["made", "started"])
def test_where_nothing_is_left_to_watch_with_the_inbox_is_polled(
    number: int, when: str, inbox: Path, start: Start, wakes: "queue.SimpleQueue[Wake]", fast_polling: None
) -> None:
    before = threading.active_count()
    watcher = start("auto", native=getattr(Refusing(number), when))
    assert watcher.mode.used == "poll"
    assert "sysctl" in watcher.mode.why
    drop(inbox)
    assert wake_of(FolderChanged, wakes)
    watcher.stop()
    until(lambda: threading.active_count() <= before, "the end of the threads")


def test_events_alone_and_none_to_be_had_is_said(start: Start) -> None:
    watcher = start("native", native=Refusing(errno.EMFILE).made)
    assert watcher.mode.used == "none"
    assert watcher.dead() == watcher.mode.why != ""


@pytest.mark.parametrize("mode", ["auto", "native", "poll"])
def test_an_inbox_that_is_not_there_is_no_error(mode: str, inbox: Path, start: Start) -> None:
    inbox.rmdir()
    watcher = start(mode)
    assert watcher.mode.used == "none"
    assert "No such file" in watcher.dead()


def test_after_three_silent_watches_auto_polls(inbox: Path, wakes: "queue.SimpleQueue[Wake]") -> None:
    watcher = Watcher.start(inbox, "auto", False, wakes.put, failures=modes.FAILURES)
    assert watcher.mode.used == "poll"
    watcher.stop()


def test_a_share_that_hangs_does_not_hold_the_daemon(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_STOP_SECONDS", 0.1)
    released = threading.Event()

    def hanging() -> BaseObserver:
        observer = Observer()
        end = observer.on_thread_stop

        def late() -> None:
            released.wait(5)
            end()

        observer.on_thread_stop = late  # type: ignore[method-assign]
        return observer

    before = threading.active_count()
    watcher = start(native=hanging)
    watcher.stop()
    assert threading.active_count() > before
    released.set()
    until(lambda: threading.active_count() <= before, "the end of the threads")
