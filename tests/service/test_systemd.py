"""The units as systemd itself judges them, what has to be in them, and what of the sandbox is used."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from service.command import Answer
from service.systemd import (
    UNIT,
    Sandbox,
    best_sandbox,
    failed_unit,
    probe,
    recipe,
    sandbox_settings,
    unit,
    writable_folders,
)
from tests.service.programs import HOME, Computer, a_program

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze here"
)
SANDBOXES = pytest.mark.parametrize("sandbox", get_args(Sandbox))


def test_folders_side_by_side_stay_writable_when_one_is_made_again() -> None:
    assert writable_folders(a_program()) == (HOME / "memproc", HOME / ".local/state/memproc")


def test_the_home_folder_itself_is_never_writable() -> None:
    folders = (HOME / "inbox", HOME / "updated", Path("/home/exports"), Path("/home/more"))
    assert writable_folders(replace(a_program(), writes=folders)) == folders


def test_a_folder_of_its_own_is_writable_alone() -> None:
    folders = (HOME / "Downloads/inbox", HOME / "memproc/updated", HOME / "memproc/backups")
    chosen = writable_folders(replace(a_program(), writes=folders))
    assert chosen == (HOME / "Downloads/inbox", HOME / "memproc")


def test_tmp_is_not_hidden_from_a_program_that_works_there() -> None:
    private = ("PrivateTmp", "yes")
    assert private in sandbox_settings("full", a_program())
    assert private not in sandbox_settings("full", a_program(Path("/tmp/ada")))
    assert private not in sandbox_settings("full", a_program(script="/tmp/bin/memproc"))
    assert private not in sandbox_settings("full", a_program(code=Path("/tmp/memproc")))


def test_who_installs_it_from_tmp_is_told_that_it_will_not_last() -> None:
    assert recipe(a_program(), Path("/u"), "full").remarks == ()
    assert recipe(a_program(Path("/tmp/ada")), Path("/u"), "full").remarks == (), (
        "folders are the person's choice"
    )
    for program in (a_program(script="/tmp/bin/memproc"), a_program(code=Path("/var/tmp/memproc"))):
        (remark,) = recipe(program, Path("/u"), "full").remarks
        assert "install memproc elsewhere" in remark


def test_what_systemd_would_silently_ignore_is_never_used_without_its_own_user_namespace() -> None:
    assert ("PrivateUsers", "yes") in sandbox_settings("full", a_program())
    assert not any(
        name.startswith("Protect") for name, _ in sandbox_settings("filters", a_program())
    )
    assert sandbox_settings("none", a_program()) == ()


def written(folder: Path, sandbox: Sandbox, odd: bool = False) -> Path:
    """The units of a program that can be run, in a folder; `odd`: with names that need quoting."""
    script = folder / ('o"d $HOME 100% \\n' if odd else "bin") / "memproc"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    program = a_program(Path("/home/a da/100% 'x'") if odd else Path("/home/ada"), str(script))
    program = replace(
        program,
        environment=(("XDG_STATE_HOME", 'a "b" %h'),),
        credentials=(("KEY", Path("/a b/%k")),),
    )
    for file in recipe(program, folder / "user", sandbox).files:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_bytes(file.content)
    return folder / "user" / UNIT


def analyze(folder: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    argv = ["systemd-analyze", "--user", "--no-pager", *arguments]
    environ = os.environ | {"XDG_RUNTIME_DIR": str(folder)}
    return subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)


@needs_analyze
@SANDBOXES
@pytest.mark.parametrize("odd", [False, True])
def test_systemd_has_nothing_to_say_against_the_units(
    tmp_path: Path, sandbox: Sandbox, odd: bool
) -> None:
    path = written(tmp_path, sandbox, odd)
    said = analyze(tmp_path, ["verify", str(path)])
    # It ends with 0 even where it ignores a line that it does not know, so its words are what counts.
    assert (said.stderr, said.stdout, said.returncode) == ("", "", 0)


@needs_analyze
def test_verify_would_have_complained(tmp_path: Path) -> None:
    path = written(tmp_path, "full")
    path.write_text(path.read_text().replace("KillMode=mixed", "KillMode=mixd"))
    assert "mixd" in analyze(tmp_path, ["verify", str(path)]).stderr


@needs_analyze
def test_the_exposure_in_the_full_sandbox_is_at_most_2_5(tmp_path: Path) -> None:
    path = written(tmp_path, "full")
    said = analyze(tmp_path, ["security", "--offline=true", "--threshold=25", str(path)])
    assert said.returncode == 0, said.stdout


def test_a_crash_a_hang_and_a_wrong_configuration_are_told_apart() -> None:
    lines = unit(a_program()).splitlines()
    wanted = {
        "Type=notify", "NotifyAccess=main", "Restart=on-failure", "RestartPreventExitStatus=2", "WatchdogSec=120",
        "StartLimitBurst=5", "StartLimitIntervalSec=300", "OnFailure=memproc-failed.service", "KillMode=mixed",
        "UMask=0077", "LimitCORE=0", "WantedBy=default.target", "ExecReload=/bin/kill -HUP $MAINPID",
    }  # fmt: skip
    assert wanted <= set(lines)


def test_the_service_and_its_notice_start_the_absolute_script() -> None:
    program = a_program()
    started = (
        "ExecStart=:/opt/memproc/bin/memproc --config /home/ada/.config/memproc/memproc.toml watch"
    )
    assert started in unit(program).splitlines()
    assert "ExecStart=:/opt/memproc/bin/memproc service failed" in failed_unit(program).splitlines()


def test_only_keys_that_have_a_file_are_handed_on() -> None:
    assert "Credential" not in unit(a_program())
    keyed = replace(a_program(), credentials=(("OPENAI_API_KEY", Path("/k/OPENAI_API_KEY")),))
    assert "LoadCredential=OPENAI_API_KEY:/k/OPENAI_API_KEY" in unit(keyed).splitlines()


def test_installing_without_a_sandbox_takes_an_earlier_one_away() -> None:
    with_it = recipe(a_program(), Path("/u"), "full")
    without = recipe(a_program(), Path("/u"), "none")
    assert set(without.outdated) == {file.path for file in with_it.files} - {
        file.path for file in without.files
    }


@pytest.mark.parametrize(
    ("refused", "left"),
    [((), "full"), (("PrivateUsers",), "filters"), (("NoNew",), "none")],
)
def test_the_sandbox_is_as_much_as_the_program_starts_in(
    refused: tuple[str, ...], left: Sandbox
) -> None:
    computer = Computer({word: Answer(226) for word in refused})
    assert best_sandbox(a_program(), computer) is left


def test_the_probe_starts_the_program_itself_and_writes_nowhere() -> None:
    argv = probe(a_program(), "full")
    assert argv[-2:] == ("/opt/memproc/bin/memproc", "--version")
    assert "--property=PrivateUsers=yes" in argv
    assert not any("ReadWritePaths" in argument for argument in argv)
