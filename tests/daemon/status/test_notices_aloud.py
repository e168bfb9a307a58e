"""Where the daemon's sentences go while it runs."""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from daemon.events import FileIs, Note, Trouble
from daemon.status.notices import speaker
from tests.daemon.status.filled import ago

WORD = Note("All is \x1b[31mwell\x1b[0m.")


@pytest.fixture
def stderr(tmp_path: Path) -> Iterator[TextIO]:
    with (tmp_path / "stderr").open("w+") as file:
        yield file


def read(file: TextIO) -> str:
    file.seek(0)
    return file.read()


def test_on_a_terminal_each_sentence_has_its_local_time(stderr: TextIO) -> None:
    stdout = io.StringIO()

    speaker({}, stdout, stderr)(ago(), WORD)

    assert stdout.getvalue() == "2026-11-21 12:00:00 All is \\x1b[31mwell\\x1b[0m.\n"
    assert read(stderr) == ""


def test_the_journal_has_a_clock_of_its_own_and_is_told_what_is_a_problem(stderr: TextIO) -> None:
    stdout, found = io.StringIO(), os.fstat(stderr.fileno())
    speak = speaker({"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}, stdout, stderr)

    speak(ago(), Note("All is well."))
    speak(ago(), FileIs(1, "a\n<0>b.json", "skipped", "No."))

    assert read(stderr) == "<6>All is well.\n<4>a <0>b.json was skipped: No.\n"
    assert stdout.getvalue() == ""


@pytest.mark.parametrize("stream", ["1:2", "", "x"])
def test_the_journal_of_another_program_is_not_ours(stderr: TextIO, stream: str) -> None:
    stdout = io.StringIO()

    speaker({"JOURNAL_STREAM": stream}, stdout, stderr)(ago(), WORD)

    assert stdout.getvalue()


def test_a_terminal_that_is_gone_does_no_harm(stderr: TextIO) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stdout = os.fdopen(writing, "w")
    speak = speaker({}, stdout, stderr)

    speak(ago(), WORD)
    speak(ago(), Trouble("x", "y"))

    with pytest.raises(BrokenPipeError):
        stdout.close()
