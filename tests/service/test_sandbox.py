"""Which folders stay writable, and what of the sandbox is used."""

from dataclasses import replace
from pathlib import Path

from service.sandbox import Sandbox, sandbox_settings, writable_folders
from service.systemd import recipe
from tests.service.programs import HOME, a_program


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
    assert private in sandbox_settings(Sandbox.FULL, a_program())
    assert private not in sandbox_settings(Sandbox.FULL, a_program(Path("/tmp/ada")))
    assert private not in sandbox_settings(Sandbox.FULL, a_program(script="/tmp/bin/memproc"))
    assert private not in sandbox_settings(Sandbox.FULL, a_program(code=Path("/tmp/memproc")))


def test_who_installs_it_from_tmp_is_told_that_it_will_not_last() -> None:
    assert recipe(a_program(), Path("/u"), Sandbox.FULL).remarks == ()
    assert recipe(a_program(Path("/tmp/ada")), Path("/u"), Sandbox.FULL).remarks == (), (
        "folders are the person's choice"
    )
    for program in (a_program(script="/tmp/bin/memproc"), a_program(code=Path("/var/tmp/memproc"))):
        (remark,) = recipe(program, Path("/u"), Sandbox.FULL).remarks
        assert "install memproc elsewhere" in remark


def test_what_systemd_would_silently_ignore_is_never_used_without_its_own_user_namespace() -> None:
    assert ("PrivateUsers", "yes") in sandbox_settings(Sandbox.FULL, a_program())
    assert not any(
        name.startswith("Protect") for name, _ in sandbox_settings(Sandbox.FILTERS, a_program())
    )
    assert sandbox_settings(Sandbox.NONE, a_program()) == ()
