"""The daemon from its start to its end, in this process: from a dropped file to its updated export."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import newest_outcomes
from daemon.archive.signs import sign
from daemon.files.lock import Busy
from daemon.watch import watch
from rules.errors import ConfigurationError, FileTrouble
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

LIMIT_SECONDS = 60.0
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


class Meanwhile:
    """What happens while the daemon runs: in a thread of its own, at whose end the daemon is told to end."""

    def __init__(self, ada: Person, happens: Callable[["Meanwhile"], None]) -> None:
        self.ada, self._happens = ada, happens
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
        path = self.ada.home / "state" / "logs" / "memproc.log"
        return path.read_text() if path.exists() else ""

    def _run(self) -> None:
        try:
            self.until(lambda: "Watching" in self.log(), "the daemon to be up")
            self._happens(self)
        except BaseException as fault:
            self.failed = fault
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_dropped_export_becomes_an_updated_one_and_sigterm_ends_the_daemon(ada: Person) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]

    def drop(meanwhile: Meanwhile) -> None:
        ada.drop(export_bytes(long_chat(2200)), "summer.json")
        meanwhile.until(lambda: '"written"' in meanwhile.log(), "the updated export")

    meanwhile = Meanwhile(ada, drop)
    assert meanwhile.watch() == 0
    (updated,) = ada.updated()
    with Archive.read(ada.home / "state") as archive:
        assert [outcome.path for outcome in newest_outcomes(archive)] == [str(updated)]
        assert sign(archive, "pid") is None
        assert sign(archive, "started_at") is not None
    assert "It was told to stop" in meanwhile.log()
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_at_sighup_memproc_toml_is_read_again(ada: Person) -> None:
    def read_again(meanwhile: Meanwhile) -> None:
        os.kill(os.getpid(), signal.SIGHUP)
        meanwhile.until(lambda: "SettingsRead" in meanwhile.log(), "the settings")

    assert Meanwhile(ada, read_again).watch() == 0


@pytest.mark.parametrize("place", ["state", "inbox"])
def test_a_second_daemon_is_told_who_holds_the_archive_or_the_inbox(ada: Person, place: str, tmp_path: Path) -> None:
    other, named = Person(tmp_path / "bob"), {"state": "archive"}.get(place, place)
    other.toml.write_text(other.toml.read_text().replace(f'{place} = "', f'{place} = "{ada.home}/'))

    def begin_another(meanwhile: Meanwhile) -> None:
        with pytest.raises(Busy, match=rf"process {os.getpid()}, .* looks after this {named}"):
            watch(other.toml)

    assert Meanwhile(ada, begin_another).watch() == 0


def test_without_a_folder_of_the_session_an_inbox_is_locked_in_a_temporary_one(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("daemon.watch.gettempdir", lambda: str(tmp_path / "temporary"))
    found: list[Path] = []
    meanwhile = Meanwhile(ada, lambda _: found.extend((tmp_path / "temporary").rglob("inbox-*.lock")))
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


@pytest.mark.parametrize("made", [_linked, _open_to_all, _of_somebody_else])
def test_a_temporary_folder_that_is_not_ours_alone_is_not_used(
    ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[[Path], None]
) -> None:
    if made is _of_somebody_else and os.getuid() != 0:
        pytest.skip("only root can make a folder of somebody else")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("daemon.watch.gettempdir", lambda: str(tmp_path))
    made(tmp_path / f"memproc-{os.getuid()}")
    with pytest.raises(FileTrouble, match="not a folder of your own") as refused:
        watch(ada.toml)
    assert "XDG_RUNTIME_DIR" in refused.value.next_step
    assert not [*tmp_path.rglob("inbox-*.lock*")]


def test_wrong_settings_are_told_before_anything_is_made(ada: Person) -> None:
    ada.settings("[watch]\nsettle_seconds = 'soon'\n")
    with pytest.raises(ConfigurationError, match="settle_seconds"):
        watch(ada.toml)
    assert not (ada.home / "state").exists()
