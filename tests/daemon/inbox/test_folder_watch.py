"""The watch wakes the loop, says where it cannot, and begins anew where the inbox was replaced."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest

from daemon.inbox.child import FolderChanged, Wake
from daemon.inbox.folder_watch import FolderWatch
from tests.waiting import LIMIT_SECONDS


@contextmanager
def watching(
    inbox: Path, mode: str = "auto", subfolders: bool = False
) -> Iterator[tuple[FolderWatch, "SimpleQueue[Wake]"]]:
    queue: SimpleQueue[Wake] = SimpleQueue()
    watch = FolderWatch(inbox, mode, subfolders, queue.put)
    try:
        yield watch, queue
    finally:
        watch.stop()


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


@pytest.mark.parametrize("name", ["a.json", "sub/a.json"])
def test_a_file_that_is_written_wakes_the_loop(inbox: Path, name: str) -> None:
    (inbox / "sub").mkdir()
    with watching(inbox, subfolders=True) as (watch, queue):
        assert (watch.mode, watch.look()) == ("native", False)
        (inbox / name).write_text("{}")
        assert queue.get(timeout=LIMIT_SECONDS) == FolderChanged()


def test_an_inbox_behind_a_link_is_watched(inbox: Path) -> None:
    link = inbox.with_name("link")
    link.symlink_to(inbox)
    with watching(link) as (_, queue):
        (inbox / "a.json").write_text("{}")
        assert queue.get(timeout=LIMIT_SECONDS) == FolderChanged()


def test_an_inbox_that_goes_and_comes_back_is_watched_again(inbox: Path) -> None:
    with watching(inbox) as (watch, queue):
        inbox.rmdir()
        assert watch.look()
        assert (watch.mode, watch.why) == ("none", "The inbox is not there.")
        assert not watch.look(), "said once"
        inbox.mkdir()
        assert watch.look()
        assert watch.mode == "native"
        while not queue.empty():
            queue.get()
        (inbox / "a.json").write_text("{}")
        assert queue.get(timeout=LIMIT_SECONDS) == FolderChanged()


@pytest.mark.skipif(sys.platform != "linux", reason="on the others, the system has no such number")
def test_a_thread_that_has_died_is_replaced(inbox: Path) -> None:
    with watching(inbox) as (watch, _):
        assert watch._observer is not None
        watch._observer.stop()
        watch._observer.join(LIMIT_SECONDS)
        assert watch.look()
        assert (watch.mode, watch.look()) == ("native", False)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EMFILE, "max_user_instances"),
        (errno.ENOSPC, "max_user_watches"),
        (errno.EACCES, "does not watch the inbox: Permission denied"),
    ],
)
def test_where_the_system_refuses_that_is_said_once_and_tried_again(
    inbox: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    def refused() -> None:
        raise OSError(number, "Permission denied")

    with monkeypatch.context() as broken:
        broken.setattr("daemon.inbox.folder_watch.Observer", refused)
        queue: SimpleQueue[Wake] = SimpleQueue()
        watch = FolderWatch(inbox, "auto", False, queue.put)
        assert watch.mode == "none" and words in watch.why
        assert not watch.look(again=True)
    assert watch.look(again=True)
    assert watch.mode == "native"
    watch.stop()


def test_with_polling_nothing_is_watched(inbox: Path) -> None:
    with watching(inbox, "poll") as (watch, queue):
        assert (watch.mode, watch.look(again=True)) == ("poll", False)
        (inbox / "a.json").write_text("{}")
        assert queue.empty()
