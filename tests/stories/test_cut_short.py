"""An undo or a restore that a power cut breaks off is finished by the next run, which begins nothing else before."""

from pathlib import Path

import pytest

from daemon.recovery import restore
from tests.chats import export_bytes, long_chat
from tests.stories.person import Person

COMMANDS = [("undo", "aaa"), ("restore", "aaa", "1")]
STEPS = ["replace_file", "record_output"]


@pytest.mark.sampled
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_finishes_what_was_cut_short_and_leaves_the_chat_as_it_was_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], step: str
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    for tokens in (4000, 5200):
        export = ada.drop(
            export_bytes(long_chat(tokens, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A"))
        )
        assert ada.memproc("run").code == 0
    (path,) = ada.updated()
    compressed = path.read_bytes()

    def cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(restore, step, cut)
        assert ada.memproc(*command, "--yes").code == 130
    assert (path.read_bytes() == compressed) == (step == "replace_file")
    ended = ada.memproc("run", export)
    assert (ended.code, "was cut short, and is finished now" in ended.out) == (0, True), ended
    assert "it was restored on" in ended.out
    assert path.read_bytes() != compressed
    again = ada.memproc("run", export)
    assert "cut short" not in again.out
    assert "it was restored on" in again.out
    assert ada.memproc("verify").code == 0


@pytest.mark.sampled
@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_itself_can_be_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    for tokens in (4000, 5200):
        ada.drop(
            export_bytes(long_chat(tokens, tokens_each=200, id="aaa", chatID="aaa", chatTitle="A"))
        )
        assert ada.memproc("run").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(
            restore, "record_output", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt())
        )
        assert ada.memproc(*command, "--yes").code == 130
    (path,) = ada.updated()
    put = path.read_bytes()
    assert ada.memproc(*command, "--yes").code == 0
    assert path.read_bytes() == put
    assert "cut short" not in ada.memproc("run").out
