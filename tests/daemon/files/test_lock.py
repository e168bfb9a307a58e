"""One memproc at a time."""

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.files.lock import Busy, hold, is_held
from rules.errors import FileTrouble
from tests.daemon.files.children import in_child, kill, needs_fork, stopped_child


def try_to_hold(path: Path) -> str:
    try:
        with hold(path):
            return "held"
    except Busy as busy:
        return str(busy)


def test_who_comes_second_is_told_who_holds_it(tmp_path: Path) -> None:
    with hold(tmp_path / "lock"), pytest.raises(Busy) as told, hold(tmp_path / "lock"):
        pass

    assert re.fullmatch(
        rf"Another memproc \(process {os.getpid()}, since \d\d:\d\d:\d\d\) is working with this archive\.",
        told.value.message,
    )
    assert told.value.next_step == "Wait for it, or stop it, then run this again."


@needs_fork
def test_another_process_is_kept_out_and_let_in_afterwards(tmp_path: Path) -> None:
    with hold(tmp_path / "lock"):
        code, said = in_child(lambda: try_to_hold(tmp_path / "lock"))
        assert (code, f"(process {os.getpid()}, since" in said) == (0, True)

    assert in_child(lambda: try_to_hold(tmp_path / "lock")) == (0, "held")
    assert try_to_hold(tmp_path / "lock") == "held"


@needs_fork
def test_a_kill_of_the_holder_frees_the_lock(tmp_path: Path) -> None:
    child = stopped_child(lambda stop: hold_until(tmp_path / "lock", stop))
    assert f"(process {child}, since" in try_to_hold(tmp_path / "lock")

    kill(child)

    assert try_to_hold(tmp_path / "lock") == "held"


def hold_until(path: Path, stop: Callable[[], None]) -> None:
    with hold(path):
        stop()


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), hold(tmp_path / "lock"):
        raise RuntimeError

    assert try_to_hold(tmp_path / "lock") == "held"


@pytest.mark.parametrize("said", ["", "{", "[]", '{"pid": "x"}', "[" * 100, '{"since": 3}'])
def test_a_holder_that_cannot_be_read_does_no_harm(tmp_path: Path, said: str) -> None:
    with hold(tmp_path / "lock"):
        (tmp_path / "lock.json").write_text(said)

        assert try_to_hold(tmp_path / "lock").startswith(
            "Another memproc is working with this archive."
        )


def test_a_holder_of_another_day_is_told_with_the_date(tmp_path: Path) -> None:
    with hold(tmp_path / "lock"):
        (tmp_path / "lock.json").write_text(
            json.dumps({"pid": 123, "since": "2024-02-29T12:00:00.000Z"})
        )

        assert re.search(
            r"\(process 123, since 2024-0[23]-\d\d \d\d:", try_to_hold(tmp_path / "lock")
        )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_the_lock_is_for_its_owner_alone(tmp_path: Path) -> None:
    with hold(tmp_path / "lock"):
        modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}

    assert modes == {0o600}


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()

    with pytest.raises(FileTrouble, match="lock could not be locked"), hold(tmp_path / "lock"):
        pass


def test_a_lock_is_held_for_as_long_as_its_holder_works(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "lock")
    assert list(tmp_path.iterdir()) == []
    with hold(tmp_path / "lock"):
        assert is_held(tmp_path / "lock")
        assert is_held(tmp_path / "lock")
    assert not is_held(tmp_path / "lock")


@needs_fork
def test_a_holder_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    child = stopped_child(lambda stop: hold_until(tmp_path / "lock", stop))
    assert is_held(tmp_path / "lock")

    kill(child)

    assert not is_held(tmp_path / "lock")
    assert try_to_hold(tmp_path / "lock") == "held"
