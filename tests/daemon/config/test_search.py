"""Which memproc.toml counts."""

import sys
from pathlib import Path

import pytest

from daemon.config.as_toml import default_file
from daemon.config.search import FoundConfig, find, own_file
from rules.errors import ConfigurationError

pytestmark = pytest.mark.usefixtures("home")
SETTING = "[tail]\ntokens = 40000\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def lay(folder: Path, name: str = "memproc.toml", text: str = SETTING) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_the_nearest_configuration_counts(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.config.search.user_config_path", lambda *_, **__: tmp_path / "etc")
    assert find(None, here, {}) == FoundConfig(None, "no file found: the defaults count")

    of_the_system = lay(tmp_path / "etc")
    assert find(None, here, {}).path == of_the_system

    of_the_folder = lay(here)
    assert find(None, here, {}).path == of_the_folder

    of_the_environment = lay(tmp_path, "environment.toml")
    environ = {"MEMPROC_CONFIG": str(of_the_environment)}
    assert find(None, here, environ) == FoundConfig(of_the_environment, "named by $MEMPROC_CONFIG")

    named = lay(tmp_path, "named.toml")
    assert find(named, here, environ) == FoundConfig(named, "named by --config")


def test_the_systems_folder_is_memprocs_own(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "linux":
        pytest.skip("the folder has another name here")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "etc"))
    system = lay(tmp_path / "etc" / "memproc")

    assert find(None, here, {}) == FoundConfig(system, "found in the system's folder")


def test_an_empty_variable_names_nothing(here: Path) -> None:
    assert find(None, here, {"MEMPROC_CONFIG": ""}).path is None


def test_a_named_file_that_is_not_there_is_an_error(here: Path) -> None:
    lay(here)

    with pytest.raises(ConfigurationError, match="which --config names"):
        find(Path("nothing.toml"), here, {})
    with pytest.raises(ConfigurationError, match=r"which \$MEMPROC_CONFIG names"):
        find(None, here, {"MEMPROC_CONFIG": "memproc.toml/below-a-file"})


def test_a_named_path_that_cannot_be_one_is_an_error(here: Path) -> None:
    with pytest.raises(ConfigurationError, match="has no home folder"):
        find(None, here, {"MEMPROC_CONFIG": "~nobody-of-this-name/memproc.toml"})
    with pytest.raises(ConfigurationError, match="cannot be looked at"):
        find(Path("x" * 1000), here, {})


def test_a_named_file_may_be_relative_or_in_the_home_folder(here: Path, home: Path) -> None:
    assert find(Path("a.toml"), lay(here, "a.toml").parent, {}).path == here / "a.toml"
    assert find(None, here, {"MEMPROC_CONFIG": f"~/{lay(home).name}"}).path == home / "memproc.toml"


@pytest.mark.parametrize(
    "text",
    [
        default_file(),
        "",
        "# nothing is set\n[chats]\n",
        '[folders]\ninbox = "~/memproc/inbox"\n[chunk]\ntokens = 4000\n',
        default_file().replace("\n", "\r\n"),
    ],
)
def test_a_file_here_with_nothing_but_defaults_does_not_count_by_accident(
    here: Path, home: Path, text: str
) -> None:
    near = lay(here, text=text)
    assert find(None, here, {}).path is None
    own = lay(own_file().parent)
    found = find(None, here, {})
    assert (found.path, found.is_here) == (own, False)
    assert (
        found.choice
        == f"{own} is used (found in the system's folder), and not {near} (nothing but defaults)."
    )
    assert find(near, here, {}).path == near, "whoever names it means it"


@pytest.mark.parametrize(
    "text", [SETTING, "tokens = [", '[folders]\ninbox = "inbox"\n', "[no-such-table]\n"]
)
def test_a_file_here_that_says_anything_else_counts(here: Path, home: Path, text: str) -> None:
    near, own = lay(here, text=text), lay(own_file().parent)
    found = find(None, here, {})
    assert (found.path, found.is_here) == (near, True)
    assert found.choice == f"{near} is used (found in this folder), and not {own}."


def test_the_persons_own_folder_is_theirs_also_when_they_are_in_it(home: Path) -> None:
    own = lay(own_file().parent)
    found = find(None, own.parent, {})
    assert (found.path, found.is_here, found.choice) == (own, False, "")


def test_a_named_file_is_told_with_those_that_do_not_count(
    here: Path, home: Path, tmp_path: Path
) -> None:
    named, own = lay(tmp_path, "named.toml"), lay(own_file().parent)
    for found in (find(named, here, {}), find(None, here, {"MEMPROC_CONFIG": str(named)})):
        assert found.path == named
        assert found.choice.endswith(f"and not {own}.")
        assert not found.is_here
    assert find(own, here, {}).choice == ""
