"""The guard itself is tested: what tests must not do raises, in this process and in those of stories."""

import os
import pwd
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guard.sitecustomize import Forbidden

REAL_HOME = Path(pwd.getpwuid(os.getuid()).pw_dir)


def test_no_test_reads_or_writes_the_home_folder() -> None:
    with pytest.raises(Forbidden, match="home folder"):
        (REAL_HOME / "memproc-guard-test").write_text("no")
    with pytest.raises(Forbidden, match="home folder"):
        (REAL_HOME / "memproc-guard-test").mkdir()
    with pytest.raises(Forbidden, match="home folder"):
        sqlite3.connect(REAL_HOME / "memproc-guard-test.sqlite3")


def test_the_home_folder_of_a_test_is_its_own(own_home: Path) -> None:
    assert Path.home() == own_home != REAL_HOME


def test_no_test_reaches_the_network() -> None:
    with pytest.raises(Forbidden, match="network"), socket.socket() as stream:
        stream.connect(("192.0.2.1", 80))
    with pytest.raises(Forbidden, match="address"):
        socket.getaddrinfo("memproc.invalid", 443)


def test_loopback_is_allowed() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as stream,
    ):
        assert stream.getpeername() == server.getsockname()


def test_the_guard_holds_in_processes_that_stories_start() -> None:
    code = "import socket; socket.getaddrinfo('memproc.invalid', 443)"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "Forbidden" in ended.stderr


def test_the_guard_says_nothing_of_what_is_done_after_the_interpreter_has_cleared_it() -> None:
    code = """
import os, sitecustomize
class OpensAtItsEnd:
    def __del__(self, open=os.open):
        open("/dev/null", 0)
os.kept, sitecustomize.last = sitecustomize, OpensAtItsEnd()
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_no_test_asks_the_keyring_of_the_system() -> None:
    import keyring

    assert type(keyring.get_keyring()).__module__ == "keyring.backends.null"
    code = "import keyring; print(type(keyring.get_keyring()).__module__)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "keyring.backends.null"
