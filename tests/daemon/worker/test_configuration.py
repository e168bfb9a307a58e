"""Which settings count for the worker, and what the daemon is told of them."""

from pathlib import Path

import pytest

from daemon.inbox.configuration import for_daemon, handed_over, read
from daemon.inbox.orders import Use
from daemon.inbox.settings_reader import watch_plan
from rules.errors import ConfigurationError
from tests.stories.person import Person


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada")


def test_the_named_memproc_toml_counts(ada: Person) -> None:
    found = read(ada.toml)
    assert (found.path, found.config.tail.tokens, found.folders.inbox) == (ada.toml, ada.tail, ada.inbox)


def test_without_a_memproc_toml_the_defaults_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = read(None)
    assert (found.path, found.text) == (None, "")
    assert for_daemon(found).path == ""


def test_a_memproc_toml_that_is_wrong_or_cannot_be_read_is_refused(ada: Person) -> None:
    ada.toml.write_text("[tail]\ntokens = 'many'\n")
    with pytest.raises(ConfigurationError, match="line 2"):
        read(ada.toml)
    ada.toml.unlink()
    ada.toml.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read(ada.toml)


def test_settings_that_were_handed_over_count_whatever_memproc_toml_says_meanwhile(ada: Person) -> None:
    before = read(ada.toml)
    ada.toml.write_text("[tail]\ntokens = 'many'\n")
    assert handed_over(Use(str(ada.toml), before.text)) == before
    assert handed_over(Use("", "")).path is None


def test_the_daemon_gets_what_it_needs_with_paths_as_paths(ada: Person) -> None:
    ada.settings('[watch]\nsettle_seconds = 0.5\n[notify]\nwhen = "never"\n')
    settings = for_daemon(read(ada.toml))
    plan = watch_plan(settings)
    assert (plan.inbox, plan.state, plan.config) == (ada.inbox, ada.home / "state", ada.toml)
    assert (plan.settle_seconds, plan.notify) == (0.5, "never")
    assert settings.text == ada.toml.read_text()
