"""No test is forgotten: CI runs all that `make test` leaves out, but for those with a command of their own."""

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ELSEWHERE = {"long": "test-long", "bench": "bench", "browser": "test-browser"}
"""Markers of tests that CI leaves out, and the command that runs them."""

_OF_MAKE = ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "COVERAGE")

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="there is no make")


def selected(*arguments: str) -> tuple[str, list[str]]:
    """Return the markers by which a make target selects tests, and each command of pytest in it."""
    # Make hands its own variables down, so that COVERAGE=1 of the run that this is part of would count here, too.
    alone = {name: text for name, text in os.environ.items() if name not in _OF_MAKE}
    printed = subprocess.run(
        ["make", "--dry-run", *arguments],
        cwd=ROOT,
        env=alone,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    runs = [line for line in printed.splitlines() if "-m pytest" in line]
    words = [shlex.split(run.partition("-m pytest")[2]) for run in runs]
    (markers,) = {options[options.index("-m") + 1] for options in words}
    return markers, runs


def test_ci_runs_what_make_test_leaves_out() -> None:
    (command,) = re.findall(r"make (test.*)", (ROOT / ".ci" / "run").read_text("utf-8"))
    everything, _ = selected(*command.split())
    assert everything == " and ".join(f"not {marker}" for marker in ELSEWHERE)
    assert selected("test")[0] == f"not full and {everything}"


def test_no_folder_is_left_out_but_those_of_commands_of_their_own() -> None:
    for target in (["test"], ["test-full"]):
        (run,) = selected(*target)[1]
        assert re.findall(r"--ignore (\S+)", run) == ["tests/browser"]
    covered, server = selected("test-full", "COVERAGE=1")[1]
    assert re.findall(r"--ignore (\S+)", covered) == ["tests/browser", "tests/server"]
    assert "--cov-fail-under 95" in covered
    assert server.endswith(" tests/server")


def test_each_marker_that_leaves_a_test_out_names_the_command_that_runs_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    markers = dict(
        line.split(": ", 1) for line in settings["tool"]["pytest"]["ini_options"]["markers"]
    )
    for marker, target in {"full": "test-full", **ELSEWHERE}.items():
        assert f"`make {target}`" in markers[marker]
        assert f"make {target}" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize("target", ["test-browser", "test-systemd", "bench"])
def test_a_target_for_one_folder_selects_tests_that_are_there(target: str) -> None:
    marker, (run,) = selected(target)
    (folder,) = re.findall(r" (tests/\w+)", run)
    marked = rf"^(@|pytestmark = .*)pytest\.mark\.{marker}\b"
    files = (ROOT / folder).glob("test_*.py")
    assert any(re.search(marked, file.read_text("utf-8"), re.MULTILINE) for file in files)
