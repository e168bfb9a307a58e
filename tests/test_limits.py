"""A run that hangs ends by itself: not with success, and with the stacks of what hung."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
HANGS = """
import threading

class Pool:
    def __init__(self):
        self.lock = threading.Lock()

    def __repr__(self):
        with self.lock:
            return "a pool"

def wait_for_it(pool):
    with pool.lock, pool.lock:
        pass

def test_before(): pass
def test_that_hangs(): wait_for_it(Pool())
def test_after(): pass
"""


def run(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    test = folder / "test_hangs.py"
    test.write_text(HANGS)
    conftest = (
        "-p",
        "tests.conftest",
        "-c",
        str(CHECKOUT / "pyproject.toml"),
        "--rootdir",
        str(folder),
    )
    argv = [
        sys.executable,
        "-m",
        "pytest",
        str(test),
        *conftest,
        "-p",
        "no:cacheprovider",
        *options,
    ]
    return subprocess.run(
        argv, cwd=CHECKOUT, text=True, capture_output=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [("--timeout", "1"), pytest.param("--run-limit", "8", marks=pytest.mark.long)],
)
@pytest.mark.full
def test_a_test_that_hangs_ends_the_run_with_its_stacks(
    tmp_path: Path, limit: str, seconds: str
) -> None:
    ended = run(
        tmp_path, limit, seconds
    )  # the limit of the run counts from its start, which may be slow
    assert ended.returncode == 1
    assert "wait_for_it" in ended.stdout + ended.stderr


@pytest.mark.long
def test_where_tests_run_side_by_side_the_others_go_on_and_the_one_that_hung_is_named(
    tmp_path: Path,
) -> None:
    ended = run(tmp_path, "-n", "1", "--timeout", "2")
    assert ended.returncode == 1
    assert "wait_for_it" in ended.stdout + ended.stderr
    assert "test_that_hangs" in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout
