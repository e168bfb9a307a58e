"""Where the daemon is, which light a look at that is, and the pause that is in force."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.cli.settings import Settings
from daemon.cli.status import daemon_place
from daemon.files.paths import default_state
from daemon.status.place import (
    DaemonPlace,
    Pause,
    begin_pause,
    current_pause,
    end_pause,
)
from rules.errors import ConfigurationError
from tests.daemon.status.filled import ago, ahead


def written_place(path: Path, text: str) -> DaemonPlace:
    toml = path / "memproc.toml"
    toml.write_text(text)
    return daemon_place(Settings(toml, quiet=False))


def test_it_is_what_memproc_toml_says(tmp_path: Path) -> None:
    said = '[folders]\nstate = "there"\n'
    assert written_place(tmp_path, said) == DaemonPlace(tmp_path.resolve() / "there")
    assert written_place(tmp_path, "") == DaemonPlace(default_state().resolve())


def test_it_is_the_default_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert daemon_place(Settings(None, quiet=False)) == DaemonPlace(default_state().resolve())


@pytest.mark.parametrize(
    "broken",
    [
        "[chunk]\ntokens = 1\n",
        "watch = 3\n",
        "[typo",
        "x = \n",
        "[folders]\n",
        "a = 1\na = 2",
    ],
)
def test_other_settings_may_be_wrong(tmp_path: Path, broken: str) -> None:
    text = f'[folders]\nstate = "there"\n{broken}'
    if broken == "watch = 3\n":
        text = 'watch = 3\n[folders]\nstate = "there"\n'
    assert written_place(tmp_path, text).state == tmp_path.resolve() / "there"


@pytest.mark.parametrize(
    "wrong",
    ['[typo\n[folders]\nstate = "there"\n', '[folders]\ninbox = "x"\n[typo', "[folders]\nstate = 3\n",
     'folders = "x"\n', '[folders]\nstate = "a\\u0000b"\n', "\udcff"],
)  # fmt: skip
def test_where_even_that_cannot_be_read_all_that_is_wrong_is_told(
    tmp_path: Path, wrong: str
) -> None:
    (tmp_path / "memproc.toml").write_bytes(wrong.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError):
        daemon_place(Settings(tmp_path / "memproc.toml", quiet=False))


def test_looking_costs_no_heavy_import(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import daemon.cli.status; "
        "from daemon.cli.settings import Settings; from daemon.cli.status import daemon_place; "
        f"daemon_place(Settings(Path({str(tmp_path / 'memproc.toml')!r}), False)); "
        "print([name for name in ('pydantic', 'rich', 'litellm', 'tiktoken') if name in sys.modules])"
    )
    (tmp_path / "memproc.toml").write_text('[folders]\nstate = "there"\n')
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_pause_ends_by_itself(archive: Archive) -> None:
    until = begin_pause(archive, timedelta(hours=2), ago())

    assert until == ahead(hours=2)
    assert current_pause(archive, ahead(hours=1, minutes=59)) == Pause(until)
    assert current_pause(archive, until) is None


def test_a_pause_without_a_length_lasts_until_it_is_ended(archive: Archive) -> None:
    begin_pause(archive, None, ago())
    assert current_pause(archive, ahead(days=400)) == Pause("")

    assert end_pause(archive, ahead(days=400)) == Pause("")
    assert current_pause(archive, ahead(days=400)) is None
    assert end_pause(archive, ahead(days=400)) is None


def test_the_last_word_counts(archive: Archive) -> None:
    begin_pause(archive, None, ago())
    begin_pause(archive, timedelta(minutes=5), ago())

    assert current_pause(archive, ahead(minutes=6)) is None
