"""Names at the command line: mistyped ones are answered with the nearest, chats stand where one says them, and a
shell completes both.
"""

import io
import os
import subprocess
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from daemon.cli import main
from tests.chats import export_bytes, long_chat
from tests.stories.person import COMMAND, Person

pytestmark = pytest.mark.timeout(200)


@pytest.fixture(scope="module")
def may(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person with two compressed chats."""
    may = Person(tmp_path_factory.mktemp("may"))
    for name, title in (("aria123456", "Aria"), ("boat123456", "The boat")):
        may.drop(
            export_bytes(long_chat(4000, tokens_each=200, id=name, chatID=name, chatTitle=title)),
            f"{name}.json",
        )
    assert may.memproc("run").code == 0
    return may


def as_bash(person: Person, words: str) -> dict[str, str]:
    """The environment in which bash asks what may stand there."""
    parts = ["memproc", "--config", str(person.toml), *words.split(" ")]
    return os.environ | {
        "COMP_WORDS": " ".join(parts), "COMP_CWORD": str(len(parts) - 1), "_MEMPROC_COMPLETE": "bash_complete",
    }  # fmt: skip


def completed(person: Person, words: str) -> list[str]:
    """What bash offers behind these words, of which the last one is begun; asked in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(person.home),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        for name, value in as_bash(person, words).items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit):
            main([])
    assert err.getvalue() == ""
    out.seek(0)
    taken = out.read().replace(r"\\", "\\")  # as the `read` of bash takes it
    return [line.partition(",")[2] for line in taken.splitlines() if line]


@pytest.mark.full
@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [("memorys", "memories"), ("verfiy", "verify"), ("budget rise", "raise"), ("key tset", "test"),
     ("config chek", "check"),
     ("service instal", "install"), ("facts Aria ad", "add"), ("core Aria histroy", "history")],
)  # fmt: skip
def test_a_mistyped_command_is_answered_with_the_nearest_one(
    may: Person, mistyped: str, meant: str
) -> None:
    ended = may.memproc(*mistyped.split())
    assert ended.code == 2
    assert "Did you mean" in ended.err
    assert meant in ended.err


def test_a_chat_may_stand_before_the_command_or_behind_it(may: Person) -> None:
    assert may.memproc("facts", "add", "Aria", "The lamp is green").code == 0
    assert may.memproc("facts", "Aria", "add", "The door is red").code == 0
    for order in (("facts", "Aria"), ("facts", "Aria", "list"), ("facts", "list", "Aria")):
        listed = may.memproc(*order).out
        assert "The lamp is green" in listed
        assert "The door is red" in listed
    assert may.memproc("core", "set", "Aria", "human", "A keeper").code == 0
    assert "A keeper" in may.memproc("core", "show", "Aria").out
    assert (
        may.memproc("core", "Aria", "--json").out
        == may.memproc("core", "show", "--json", "Aria").out
    )
    assert "Usage: memproc facts CHAT add" in may.memproc("facts", "add", "--help").out


def test_budget_alone_shows_it(may: Person) -> None:
    assert may.memproc("budget").out == may.memproc("budget", "show").out
    assert may.memproc("budget", "--json").code == 0


def test_a_shell_completes_commands_chats_and_memories(may: Person) -> None:
    assert completed(may, "mem") == ["memories"]
    assert completed(may, "key fo") == ["forget"]
    assert completed(may, "key test anth") == ["anthropic"]
    assert set(completed(may, "memories ")) == {"Aria", "The\\ boat"}
    assert completed(may, "facts add ar") == ["Aria"]
    assert set(completed(may, "facts ")) == {"Aria", "The\\ boat"}
    assert "history" in completed(may, "facts Aria h")
    assert completed(may, "search --chat A") == ["Aria"]
    assert completed(may, "restore A") == ["Aria"]


def test_a_memory_is_completed_by_its_number_behind_its_chat_and_by_its_id_where_that_is_begun(
    may: Person,
) -> None:
    for command in ("show", "pin", "unpin", "retry", "use", "recall"):
        assert set(completed(may, f"{command} ")) == {"Aria", "The\\ boat"}
        numbers = completed(may, f"{command} The\\ boat ")
        assert {"1", "2", "3"} <= set(numbers)
        assert completed(may, f"{command} Aria 3") == ["3"]
    assert completed(may, "use Aria 3 ") == ["as-of", "hindsight", "auto"]
    assert completed(may, "show m") == []
    ids = [name for digit in "0123456789abcdef" for name in completed(may, f"show m{digit}")]
    assert len(ids) > 2
    assert completed(may, f"show {ids[0]}") == [ids[0]]


def test_a_command_that_was_completed_still_knows_the_editions(may: Person) -> None:
    assert completed(may, "use Aria 3 ") == ["as-of", "hindsight", "auto"]
    assert "Nothing to do" in may.memproc("use", "Aria", "3", "auto").out
    assert "no edition 99; it has 1 (as-of)" in may.memproc("use", "Aria", "3", "99").err
    refused = may.memproc("use", "Aria", "3", "latest")
    assert '"latest" is neither the number of an edition' in refused.err


@pytest.mark.full
def test_a_title_goes_by_its_id_where_a_shell_could_not_take_it(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    for name, title in (("aaa", "Sea: $1*"), ("bbb", "Twice"), ("ccc", "twice")):
        chat = long_chat(4000, tokens_each=200, id=name, chatID=name, chatTitle=title)
        ada.drop(export_bytes(chat), f"{name}.json")
    assert ada.memproc("run").code == 0
    assert set(completed(ada, "memories ")) == {"aaa", "bbb", "ccc"}


@pytest.mark.full
@pytest.mark.skipif("sys.platform == 'win32'", reason="bash is needed")
def test_bash_itself_puts_in_a_title_with_blanks_as_one_word(may: Person) -> None:
    asked = """
        PATH=$1:$PATH; source <(memproc completion bash)
        COMP_WORDS=(memproc --config "$2" memories "$3"); COMP_CWORD=4
        _memproc_completion memproc; printf '%s\n' "${COMPREPLY[@]}"
    """
    for begun, offered in (
        ("The", "The\\ boat"),
        ("The\\ b", "The\\ boat"),
        ('"The b', "The boat"),
    ):
        words = ["bash", "-c", asked, "bash", str(COMMAND.parent), str(may.toml), begun]
        ended = subprocess.run(words, capture_output=True, text=True, check=True)
        assert ended.stdout.splitlines() == [offered]


def test_completing_is_silent_where_there_is_no_archive_and_changes_nothing(tmp_path: Path) -> None:
    new = Person(tmp_path / "new")
    assert completed(new, "memories ") == []
    assert not (new.home / "state").exists()
    new.toml.write_text("[folders]\ninbox = 7\n")
    assert completed(new, "memories ") == []


@pytest.mark.full
def test_completing_loads_nothing_that_only_commands_need(
    may: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    environment = as_bash(may, "memories A")
    ended = subprocess.run(
        [COMMAND], env=environment, capture_output=True, text=True, check=False, cwd=may.home
    )
    assert "Aria" in ended.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "daemon.cli.completion" in loaded
    assert not loaded & {
        "litellm",
        "tiktoken",
        "keyring",
        "httpx",
        "starlette",
        "apscheduler",
        "watchdog",
    }


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_asks_memproc(may: Person, shell: str) -> None:
    ended = may.spawn("completion", shell)
    assert ended.code == 0
    assert f"_MEMPROC_COMPLETE={shell}_complete" in ended.out


@pytest.mark.full
def test_two_chats_of_one_title_are_both_told_with_their_ids(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    for name in ("aaa", "bbb"):
        chat = long_chat(4000, tokens_each=200, id=name, chatID=name, chatTitle="New chat")
        ada.drop(export_bytes(chat), f"{name}.json")
    first = ada.memproc("run").out
    assert 'note: "New chat" above is the chat aaa.' in first
    assert "New chat (bbb): " in first
    second = ada.memproc("run").out
    assert "New chat (aaa), aaa.json: " in second
    assert "New chat (bbb), bbb.json: " in second
    assert "New chat, " not in second
    assert "above is" not in second
