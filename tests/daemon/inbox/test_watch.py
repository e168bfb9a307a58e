"""The daemon from its start to its end, in this process: from a dropped file to its updated export."""

import errno
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import pytest

from daemon.archive.archive import Archive
from daemon.archive.log import entries_after
from daemon.archive.signs import sign
from daemon.archive.work import newest_outcomes
from daemon.cli import main
from daemon.files.lock import Busy, hold
from daemon.inbox.watch import watch
from daemon.status.place import waits_for
from rules.errors import ArchiveError, ConfigurationError
from service.command import memproc_argv
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person
from tests.waiting import LIMIT_SECONDS

SETTINGS = """
[models]
agent = "memproc/extractive"
context_manager = "memproc/extractive"
[watch]
settle_seconds = 0.5
[notify]
when = "never"
"""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    person = Person(tmp_path / "ada")
    person.settings(SETTINGS)
    return person


def logged(person: Person) -> str:
    """What a daemon has logged."""
    with Archive.read(person.home / "state") as archive:
        return " ".join(repr(entry.event) for entry in entries_after(archive, 0))


class Meanwhile:
    """What happens while the daemon runs: in a thread of its own, at whose end the daemon is told to end."""

    def __init__(
        self,
        ada: Person,
        happens: Callable[["Meanwhile"], None],
        up: Callable[[], object] | None = None,
    ) -> None:
        self.ada, self._happens = ada, happens
        self._up = up or (lambda: "watching" in self.log())
        self.failed: BaseException | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def watch(self) -> int:
        """The daemon's exit code."""
        # Where the daemon does not even begin, the signal at the end must not end this process.
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self._thread.start()
        try:
            return watch(self.ada.toml)
        finally:
            self._over.set()
            self._thread.join(LIMIT_SECONDS)
            signal.signal(signal.SIGTERM, before)
            if self.failed:
                raise self.failed

    def until(self, there: Callable[[], object], what: str) -> None:
        """Wait for it."""
        end = monotonic() + LIMIT_SECONDS
        while not there():
            assert monotonic() < end, f"waited in vain for {what}"
            assert not self._over.wait(0.02), f"the daemon ended before {what}"

    def log(self) -> str:
        """What the daemon has logged."""
        return logged(self.ada)

    def _run(self) -> None:
        try:
            self.until(self._up, "the daemon to be up")
            self._happens(self)
        except BaseException as fault:
            self.failed = fault
        os.kill(os.getpid(), signal.SIGTERM)
        while not self._over.wait(1):  # one that cannot begin hears nothing in the middle of a try
            os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.full
def test_a_dropped_export_becomes_an_updated_one_and_sigterm_ends_the_daemon(ada: Person) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]

    def drop(meanwhile: Meanwhile) -> None:
        ada.drop(export_bytes(long_chat(3200)), "summer.json")
        meanwhile.until(lambda: "state='written'" in meanwhile.log(), "the updated export")

    meanwhile = Meanwhile(ada, drop)
    assert meanwhile.watch() == 0
    (updated,) = ada.updated()
    with Archive.read(ada.home / "state") as archive:
        assert [outcome.path for outcome in newest_outcomes(archive)] == [str(updated)]
        assert sign(archive, "pid") is None
        assert sign(archive, "started_at") is not None
    assert "It was told to stop" in meanwhile.log()
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.full
def test_at_sighup_memproc_toml_is_read_again(ada: Person) -> None:
    def read_again(meanwhile: Meanwhile) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
        meanwhile.until(lambda: "configured" in meanwhile.log(), "the settings")

    assert Meanwhile(ada, read_again).watch() == 0


@pytest.mark.sampled
@pytest.mark.parametrize("place", ["state", "inbox"])
@pytest.mark.full
def test_a_second_daemon_is_told_who_holds_the_archive_or_the_inbox(
    ada: Person, place: str, tmp_path: Path
) -> None:
    other, named = Person(tmp_path / "bob"), {"state": "archive"}.get(place, place)
    other.toml.write_text(other.toml.read_text().replace(f'{place} = "', f'{place} = "{ada.home}/'))

    def begin_another(meanwhile: Meanwhile) -> None:
        with pytest.raises(Busy, match=rf"process {os.getpid()}, .* is at work on this {named}"):
            watch(other.toml)

    assert Meanwhile(ada, begin_another).watch() == 0


@pytest.mark.full
def test_without_a_folder_of_the_session_an_inbox_is_locked_in_a_temporary_one(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("daemon.files.paths.gettempdir", lambda: str(tmp_path / "temporary"))
    found: list[Path] = []
    meanwhile = Meanwhile(
        ada, lambda _: found.extend((tmp_path / "temporary").rglob("inbox-*.lock"))
    )
    assert meanwhile.watch() == 0
    (lock,) = found
    assert lock.parent.stat().st_mode & 0o777 == 0o700
    assert list(ada.inbox.iterdir()) == []


def _linked(folder: Path) -> None:
    folder.with_name("theirs").mkdir(mode=0o700)
    folder.symlink_to(folder.with_name("theirs"))


def _open_to_all(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def _of_somebody_else(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "made",
    [
        _linked,
        *(pytest.param(made, marks=pytest.mark.long) for made in (_open_to_all, _of_somebody_else)),
    ],
)
@pytest.mark.full
def test_a_temporary_folder_that_is_not_ours_alone_is_not_used(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[Path], None]
) -> None:
    if made is _of_somebody_else and os.getuid() != 0:
        pytest.skip("only root can make a folder of somebody else")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("daemon.files.paths.gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"memproc-{os.getuid()}"
    made(folder)

    def have_it_removed(meanwhile: Meanwhile) -> None:
        meanwhile.until(
            lambda: "not a folder of your own" in meanwhile.log(),
            "the daemon to say what it waits for",
        )
        assert "XDG_RUNTIME_DIR" in meanwhile.log()
        assert list(folder.iterdir()) == []
        folder.rename(tmp_path / "removed")
        meanwhile.until(lambda: "watching" in meanwhile.log(), "the daemon to be up")

    assert Meanwhile(ada, have_it_removed, up=lambda: True).watch() == 0
    assert list((tmp_path / "removed").iterdir()) == []


def behind(ada: Person, words: str, goes: Callable[[], object]) -> Meanwhile:
    """A daemon that cannot begin until it has said that it waits for something, which then `goes`."""

    def pass_it(meanwhile: Meanwhile) -> None:
        meanwhile.until(lambda: words in str(waits_for(ada.toml)), f"the daemon to wait: {words}")
        goes()
        meanwhile.until(lambda: "watching" in meanwhile.log(), "the daemon to be up")

    return Meanwhile(ada, pass_it, up=lambda: True)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.inbox.watch._PAUSES", (0.3,))


@pytest.mark.usefixtures("impatient")
@pytest.mark.full
def test_a_process_that_was_killed_while_it_read_the_settings_is_waited_out(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    monkeypatch.setattr("daemon.inbox.watch_plan.memproc_argv", lambda *_: killed)
    back = partial(monkeypatch.setattr, "daemon.inbox.watch_plan.memproc_argv", memproc_argv)
    assert behind(ada, "ended with exit code -9", back).watch() == 0


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
def test_settings_on_a_disk_that_is_not_there_yet_are_waited_for(ada: Person) -> None:
    away = ada.toml.rename(ada.toml.with_suffix(".away"))
    assert behind(ada, "There is no file", lambda: away.rename(ada.toml)).watch() == 0


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "name",
    ["state", *(pytest.param(name, marks=pytest.mark.long) for name in ("inbox", "updated"))],
)
def test_a_folder_that_cannot_be_made_is_waited_for(ada: Person, name: str) -> None:
    path = ada.home / name
    if path.is_dir():
        path.rmdir()
    path.write_text("no folder")
    assert behind(ada, "is not a folder", path.unlink).watch() == 0
    assert (name == "state") or "is not a folder" in logged(ada)


@pytest.mark.sampled
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ArchiveError("The disk of the archive is full.", "Free some space."), "is full"),
        (OSError(errno.EMFILE, "Too many open files"), "too many files open"),
    ],
    ids=["a full disk", "no more files"],
)
@pytest.mark.full
def test_a_state_disk_that_is_full_is_waited_for_and_status_says_so(
    ada: Person,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Exception,
    words: str,
) -> None:
    opened = Archive.open

    def full(folder: Path) -> Archive:
        raise fault

    monkeypatch.setattr(Archive, "open", full)

    def free() -> None:
        assert main(["--config", str(ada.toml), "status"]) == 1
        monkeypatch.setattr(Archive, "open", opened)

    assert behind(ada, words, free).watch() == 0
    said = capsys.readouterr().out
    assert "the daemon waits and tries again" in said and words in said
    assert waits_for(ada.toml) is None


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
def test_an_archive_that_a_database_viewer_holds_is_waited_for_and_shown_till_the_daemon_is_up(
    ada: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened, tries = Archive.open, list[Path]()

    def impatiently(folder: Path) -> Archive:
        tries.append(folder)
        return opened(folder, busy_seconds=0.1)

    opened(ada.home / "state").close()
    monkeypatch.setattr(Archive, "open", impatiently)
    viewer = sqlite3.connect(ada.home / "state" / "archive.sqlite3", check_same_thread=False)
    viewer.execute("BEGIN IMMEDIATE")

    def wait_and_close(meanwhile: Meanwhile) -> None:
        meanwhile.until(lambda: waits_for(ada.toml), "the daemon to wait")
        before = len(tries)
        while len(tries) < before + 3:
            assert waits_for(ada.toml) is not None, "also while it tries again"
            sleep(0.02)
        assert main(["--config", str(ada.toml), "status"]) == 1
        viewer.close()
        meanwhile.until(lambda: "watching" in meanwhile.log(), "the daemon to be up")
        assert waits_for(ada.toml) is None

    assert Meanwhile(ada, wait_and_close, up=lambda: True).watch() == 0
    assert "the daemon waits and tries again" in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.usefixtures("impatient")
def test_under_a_service_manager_another_daemon_is_waited_for(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "@nobody-listens-here")
    (ada.home / "state").mkdir()
    other = ExitStack()
    other.enter_context(hold(ada.home / "state" / "daemon.lock", "is at work on this archive"))
    assert behind(ada, "is at work on this archive", other.close).watch() == 0


def test_a_daemon_that_waits_ends_when_it_is_told_to(ada: Person) -> None:
    ada.inbox.rmdir()
    ada.inbox.write_text("no folder")
    waits = Meanwhile(ada, lambda _: None, up=lambda: waits_for(ada.toml))
    assert waits.watch() == 0
    assert waits_for(ada.toml) is None


def test_wrong_settings_are_told_before_anything_is_made(ada: Person) -> None:
    ada.settings("[watch]\nsettle_seconds = 'soon'\n")
    with pytest.raises(ConfigurationError, match="settle_seconds"):
        watch(ada.toml)
    assert not (ada.home / "state").exists()
