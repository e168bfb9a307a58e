"""What comes back, and what a person is told to do next: undo, config edit, key list, uninstall, the end of a run."""

import stat

import pytest

from daemon.bridge.devices import bridge_folder
from daemon.cli import service
from daemon.files.paths import demos_folder
from tests.chats import export_bytes, long_chat
from tests.stories.daemon import running
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)
CHAT = long_chat(5000, tokens_each=200)


@pytest.fixture
def written(ada: Person) -> Person:
    """A person whose chat has been compressed twice."""
    for part in (36, len(CHAT["messages"])):
        ada.drop(export_bytes({**CHAT, "messages": CHAT["messages"][:part]}))
        assert ada.memproc("run").code == 0
    return ada


def edits(person: Person, monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Have an editor that puts one text in the place of another."""
    editor = person.home / "editor"
    editor.write_text(f"#!/bin/sh\nsed -i 's/{old}/{new}/' \"$1\"\n")
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))


def test_undo_shows_what_it_would_do_and_then_does_it(written: Person) -> None:
    (path,) = written.updated()
    now, before = path.read_bytes(), written.bytes_of_everything()
    shown = written.memproc("undo", CHAT["chatTitle"])
    assert shown.code == 0
    assert f" undo {CHAT['chatID']} --yes\n" in shown.out
    assert "Version 2 (updated" in shown.out
    assert written.bytes_of_everything() == before

    done = written.memproc("undo", CHAT["chatTitle"], "--yes")
    assert done.code == 0
    assert f"Import this file into TypingMind: {path}" in done.out
    assert "lacks what was said after it" in done.out
    assert path.read_bytes() != now
    assert written.memproc("undo", CHAT["chatTitle"], "--yes").code == 0
    assert path.read_bytes() == now, "an undo can be undone"


@pytest.mark.full
def test_an_undo_that_was_killed_before_it_was_noted_down_is_finished_and_not_undone(
    written: Person,
) -> None:
    (path,) = written.updated()
    archive = written.home / "state" / "archive.sqlite3"
    before = archive.read_bytes()
    assert written.memproc("undo", CHAT["chatID"], "--yes").code == 0
    put_back = path.read_bytes()
    archive.write_bytes(before)
    assert written.memproc("undo", CHAT["chatID"], "--yes").code == 0
    assert path.read_bytes() == put_back
    assert written.memproc("verify").code == 0


@pytest.mark.full
def test_undo_of_an_export_that_somebody_changed_puts_the_newest_version_back(
    written: Person,
) -> None:
    (path,) = written.updated()
    path.write_bytes(path.read_bytes() + b"\n")
    shown = written.memproc("undo", CHAT["chatID"], "--yes")
    assert shown.code == 0
    assert "Version 2 (updated" in shown.out


@pytest.mark.full
def test_undo_passes_over_a_version_that_differs_only_in_when_it_was_written(ada: Person) -> None:
    chat = long_chat(12_000)
    ada.drop(export_bytes(chat))
    for command in (
        ("run",),
        ("undo", chat["chatID"], "--yes"),
        ("accept", chat["chatID"]),
        ("run",),
    ):
        assert ada.memproc(*command).code == 0
    shown = ada.memproc("undo", chat["chatID"], "--yes")
    assert "Version 1 (original" in shown.out
    assert "lacks what was said after it" not in shown.out, (
        "all of it comes back from under memories"
    )
    assert ada.chat()["messages"] == chat["messages"]


@pytest.mark.full
def test_a_long_difference_is_not_shown_in_full_before_an_undo(ada: Person) -> None:
    chat = long_chat(12_000)
    ada.drop(export_bytes(chat))
    assert ada.memproc("run").code == 0
    shown = ada.memproc("undo", chat["chatID"])
    assert shown.out.count("\n") < 20
    assert f" diff {chat['chatID']} 1\n" in shown.out


def test_undo_without_another_version_says_so(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    assert ada.memproc("undo", CHAT["chatID"], "--yes").code == 0, "the original is a version too"
    assert ada.chat()["messages"] == CHAT["messages"]
    assert path.exists()


@pytest.mark.full
def test_a_run_says_what_to_do_next_and_only_where_something_was_written(ada: Person) -> None:
    ada.drop(export_bytes(CHAT), "a.json")
    first = ada.memproc("run")
    (path,) = ada.updated()
    assert first.out.rstrip().endswith(f"Import this into TypingMind: {path}")
    assert "Import" not in ada.memproc("run").out
    for name in ("b", "c"):
        other = long_chat(
            5000, tokens_each=200, id=f"{name}123456789", chatID=f"{name}123456789", chatTitle=name
        )
        ada.drop(export_bytes(other), f"{name}.json")
    last = ada.memproc("run").out
    assert "Import these into TypingMind:\n  " in last
    assert len(last[last.index("Import these") :].splitlines()) == 3


def test_a_short_chat_is_told_its_size_and_where_memproc_begins(ada: Person) -> None:
    ada.drop(export_bytes(long_chat(800, tokens_each=200)))
    told = ada.memproc("run").out
    assert "tokens; memproc begins where a chat is longer than its live tail of 1,600." in told


def test_an_edit_of_memproc_toml_is_checked_and_counts(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits(ada, monkeypatch, "tokens = 1600", "tokens = 2000")
    ended = ada.memproc("config", "edit")
    assert ended.code == 0, ended.err
    assert "tokens = 2000" in ada.toml.read_text()
    assert "Nothing was changed" in ada.memproc("config", "edit").out


def test_a_wrong_edit_keeps_the_file_and_what_was_written(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ada.toml.read_text()
    edits(ada, monkeypatch, "tokens = 1600", "tokens = -7")
    ended = ada.memproc("config", "edit")
    assert ended.code == 2
    assert ada.toml.read_text() == before
    draft = ada.home / "memproc.toml.draft"
    assert str(draft) in ended.err
    assert "tail.tokens" in ended.err
    assert "tokens = -7" in draft.read_text()
    assert stat.S_IMODE(draft.stat().st_mode) == 0o600


def test_config_check_tells_a_model_that_nobody_knows_with_the_nearest(ada: Person) -> None:
    ada.settings(
        '[models]\nagent = "anthropic/claude-haiku-5.5"\ncontext_manager = "anthropc/claude-haiku-5-5"\n'
    )
    ended = ada.memproc("config", "check")
    assert ended.code == 0
    assert (
        "models.agent: LiteLLM does not know the model anthropic/claude-haiku-5.5. Did you mean"
        in ended.out
    )
    assert "anthropic/claude-haiku-5-5" in ended.out
    assert "models.context_manager" in ended.out


@pytest.mark.parametrize(
    "name",
    ["anthropic/claude-haiku-5-5", "claude-haiku-5-5", "ollama/llama3", "azure/mine", "chat"],
)
def test_config_check_is_silent_about_models_that_are_known_or_ones_own(
    ada: Person, name: str
) -> None:
    ada.settings(f'[models]\nagent = "{name}"\n')
    assert "models." not in ada.memproc("config", "check").out


def test_key_list_says_where_each_key_is(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ada.memproc("key", "list").code == 1
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    listed = ada.memproc("key", "list")
    assert (listed.code, listed.out) == (
        0,
        "anthropic: there is a key in the environment (ANTHROPIC_API_KEY).\n",
    )
    assert listed.out == ada.memproc("key", "test", "--no-call").out


@pytest.mark.full
def test_uninstall_says_what_stays_and_how_each_goes(
    written: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        service, "recipe_for", lambda *_, **__: None
    )  # the tester's own service stays
    monkeypatch.setattr(service, "to_remove", lambda *_: [])
    ended = written.memproc("uninstall")
    for place in ("inbox", "updated", "backups", "state"):
        assert f"rm -r {written.home / place}\n" in ended.out
    assert f"rm {written.toml}\n" in ended.out
    assert "There was no service" in ended.out
    assert "pipx uninstall memproc-daemon" in ended.out
    assert "Forget the pairing" not in ended.out, "no browser was paired"
    assert "the demos" not in ended.out, "none was made"
    bridge_folder(written.home / "state").mkdir()
    (demos_folder() / "demo").mkdir(parents=True)
    assert f"rm -r {demos_folder()}\n" in written.memproc("uninstall").out
    assert "press ⋯ next to the pill, and Forget the pairing" in written.memproc("uninstall").out
    assert written.updated()


@pytest.mark.full
def test_once_the_service_is_removed_no_daemon_is_missed(
    written: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        service, "recipe_for", lambda *_, **__: None
    )  # the tester's own service stays
    monkeypatch.setattr(service, "to_remove", lambda *_: [])
    with running(written):
        assert written.memproc("service", "remove").code == 0
        assert written.memproc("status").code == 0, "one that runs by other means goes on"
    assert written.memproc("status").code == 2
    assert written.memproc("service", "remove").code == 0
    ended = written.memproc("status")
    assert (ended.code, "Nothing runs by itself" in ended.out) == (0, True)
