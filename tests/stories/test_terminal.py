"""On a terminal there is a progress bar; elsewhere there are plain lines."""

import os
import pty
import subprocess

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.person import Person


def test_a_terminal_sees_a_bar_that_moves_on(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        ada.argv("run"), stdout=theirs, stderr=theirs, stdin=theirs, cwd=ada.home,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:
            break
        if not block:
            break
        seen += block
    assert running.wait(60) == 0
    assert b"memories" in seen
    assert "━".encode() in seen
    assert b", 1 of " not in seen, "the plain lines are for files and pipes"


@pytest.mark.long
def test_quiet_prints_nothing_when_all_is_well(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(4000, tokens_each=200)))
    ended = subprocess.run(
        [*ada.argv()[:1], "--quiet", *ada.argv("run")[1:]], capture_output=True, check=False, cwd=ada.home
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
