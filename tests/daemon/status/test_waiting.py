"""What a daemon waits for that cannot begin is shown by the status, also where the same keeps the status from it."""

from pathlib import Path

import pytest

from daemon.cli import main
from daemon.files.paths import archive_path
from daemon.status.place import shown_as_waiting
from rules.errors import FileTrouble

TROUBLE = FileTrouble("The disk /mnt is not there.", "Mount it.")


@pytest.fixture
def toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memproc.toml whose daemon waits."""
    (tmp_path / "runtime").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    path = tmp_path / "memproc.toml"
    path.write_text('[folders]\nstate = "state"\n')
    return path


def status_of(toml: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with shown_as_waiting(toml, TROUBLE):
        code = main(["--config", str(toml), "status"])
    printed = capsys.readouterr()
    return code, " ".join((printed.out + printed.err).split())


def test_a_daemon_that_waits_is_shown_with_what_it_waits_for(
    toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = status_of(toml, capsys)
    assert code == 1
    assert "the daemon waits and tries again: The disk /mnt is not there. -> Mount it." in text


def test_it_is_shown_where_memproc_toml_lies_on_a_disk_that_is_not_there(
    toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml.unlink()
    assert status_of(toml, capsys) == (
        1,
        "memproc: The daemon waits and tries again: The disk /mnt is not there. Mount it.",
    )


def test_it_is_shown_where_the_archive_cannot_be_opened(
    toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = archive_path(toml.parent / "state")
    path.parent.mkdir()
    path.write_bytes(b"no database, but long enough to be read as one" * 100)
    code, text = status_of(toml, capsys)
    assert (code, "waits and tries again: The disk /mnt is not there." in text) == (1, True)


def test_without_a_waiting_daemon_what_is_wrong_is_told_as_it_is(
    toml: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml.unlink()
    assert main(["--config", str(toml), "status"]) == 2
    assert "waits" not in capsys.readouterr().err
