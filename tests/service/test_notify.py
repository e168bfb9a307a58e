"""What systemd hears, through a socket of its kind."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import notify


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def test_the_four_words_arrive(systemd: socket.socket) -> None:
    assert (
        notify.ready()
        and notify.tell_status("idle ·\n3 files")
        and notify.watchdog()
        and notify.stopping()
    )
    heard = [systemd.recv(200).decode() for _ in range(4)]
    assert heard == ["READY=1", "STATUS=idle · 3 files", "WATCHDOG=1", "STOPPING=1"]


@pytest.mark.skipif(
    os.name != "posix" or os.uname().sysname != "Linux", reason="abstract sockets are Linux's own"
)
def test_a_socket_without_a_file_is_reached_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0memproc-test-{os.getpid()}")
        listener.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@memproc-test-{os.getpid()}")
        assert notify.ready()
        assert listener.recv(20) == b"READY=1"


@pytest.mark.parametrize("name", [None, "", "relative", "/nowhere/at/all"])
def test_where_nobody_listens_nothing_happens(
    name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    if name is not None:
        monkeypatch.setenv("NOTIFY_SOCKET", name)
    assert not notify.ready()


def test_a_service_manager_that_does_not_read_is_not_waited_for(systemd: socket.socket) -> None:
    said = 0
    while notify.watchdog() and said < 100_000:
        said += 1
    assert said < 100_000, "its queue is full at last, and the answer comes at once"
