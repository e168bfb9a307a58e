"""The daemon's folder is found quickly, and also while memproc.toml is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.cli.settings import Settings
from daemon.cli.status import daemon_place
from daemon.files.paths import default_state
from daemon.status.place import DaemonPlace
from rules.errors import ConfigurationError


def written_place(path: Path, text: str) -> DaemonPlace:
    toml = path / "memproc.toml"
    toml.write_text(text)
    return daemon_place(Settings(toml, quiet=False))


def test_it_is_what_memproc_toml_says(tmp_path: Path) -> None:
    said = '[folders]\nstate = "there"\n[watch]\nrescan_seconds = 60\n'
    assert written_place(tmp_path, said) == DaemonPlace(tmp_path.resolve() / "there", 60.0)
    assert written_place(tmp_path, "") == DaemonPlace(default_state().resolve(), 300.0)


def test_it_is_the_default_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert daemon_place(Settings(None, quiet=False)) == DaemonPlace(default_state().resolve())


@pytest.mark.parametrize(
    "broken",
    [
        "[chunk]\ntokens = 1\n",
        "[watch]\nrescan_seconds = 'x'\n",
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
