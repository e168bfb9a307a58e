"""Every command says what a person needs to know, and changes nothing that it does not say."""

import gzip
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.demo import _fresh_folder
from daemon.files.candidates import SAMPLE_FILE
from tests.chats import export_bytes, long_chat
from tests.stories.cycle import ENGINE
from tests.stories.person import Ended, Person

pytestmark = pytest.mark.timeout(200)
CHAT = long_chat(5000, tokens_each=200)


@pytest.fixture(scope="module")
def bea(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person whose chat has been compressed once, and once more after it went on."""
    bea = Person(tmp_path_factory.mktemp("bea"))
    bea.drop(export_bytes({**CHAT, "messages": CHAT["messages"][:36]}))
    assert bea.memproc("run").code == 0
    bea.drop(export_bytes(CHAT))
    assert bea.memproc("run").code == 0
    return bea


def read(ended: Ended) -> Any:
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


@pytest.mark.full
def test_plan_prints_the_very_plan_and_sends_and_writes_nothing(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    before = ada.bytes_of_everything()
    (plan,) = read(ada.memproc("plan", "--json"))["chats"]
    assert ada.bytes_of_everything() == before
    assert not (ada.home / "state").exists()
    assert plan["calls"] == 4 * len(plan["chunks"]) > 0
    assert ada.memproc("run").code == 0
    memories = read(ada.memproc("memories", plan["chat_id"], "--json"))["memories"]
    assert [chunk["tokens"] for chunk in plan["chunks"]] == [
        memory["source_tokens"] for memory in memories
    ]


def test_plan_as_a_table_says_what_waits_and_why(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    ended = ada.memproc("plan")
    assert ended.code == 0
    for word in (CHAT["chatTitle"], "Messages", "Calls", "Live"):
        assert word in ended.out


def test_plan_and_run_agree_on_what_would_be_skipped(ada: Person) -> None:
    ada.drop(export_bytes(CHAT, {**CHAT, "chatTitle": "Double"}), "doubled.json")
    ada.drop(b'{"data":{"chats":[]}}', "none.json")
    plans = json.loads(ada.memproc("plan", "--json").out)["chats"]
    outcomes = json.loads(ada.memproc("run", "--json").out)["outcomes"]
    reasons = [
        [row["reason"] for row in rows if row["outcome"] == "skipped"] for rows in (plans, outcomes)
    ]
    assert len(reasons[0]) == 3
    assert reasons[0] == reasons[1]


def test_texts_that_cannot_be_used_are_a_configuration_error_for_plan_and_run(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    ada.settings('[texts]\nfolder = "nowhere"\n')
    for command in ("plan", "run"):
        assert ada.memproc(command).code == 2


def test_plan_without_exports_says_so(ada: Person) -> None:
    ended = ada.memproc("plan")
    assert ended.code == 0
    assert str(ada.inbox) in ended.out


@pytest.mark.full
def test_chats_memories_and_show_tell_what_is_known(bea: Person) -> None:
    (chat,) = read(bea.memproc("chats", "--json"))["chats"]
    assert (chat["chat_id"], chat["title"]) == (CHAT["chatID"], CHAT["chatTitle"])
    memories = read(bea.memproc("memories", CHAT["chatTitle"], "--json"))["memories"]
    assert [memory["number"] for memory in memories] == list(range(1, len(memories) + 1))
    assert CHAT["chatTitle"] in bea.memproc("chats").out
    assert bea.memproc("memories", CHAT["chatID"]).out.splitlines()[2].startswith("1  ")
    shown = bea.memproc("show", memories[1]["memory_id"], "--raw")
    assert shown.code == 0
    for text in memories[1]["edition"]["texts"]:
        assert text in shown.out.replace("\n  ", "\n")
    assert "extracted" in shown.out


def test_an_unknown_chat_or_memory_is_said_with_what_is_near(bea: Person) -> None:
    for command in ("memories", "versions", "expand"):
        ended = bea.memproc(command, CHAT["chatID"][:-1] + "_")
        assert ended.code == 2
        assert "Traceback" not in ended.err
    assert bea.memproc("show", "mnothing").code == 2


def test_versions_lists_the_original_and_what_was_replaced(bea: Person) -> None:
    versions = read(bea.memproc("versions", CHAT["chatID"], "--json"))["versions"]
    assert [version["kind"] for version in versions] == ["original", "updated"]
    original = json.loads(gzip.decompress(Path(versions[0]["path"]).read_bytes()))
    assert original["data"]["chats"][0]["messages"] == CHAT["messages"][:36]


@pytest.mark.full
def test_restore_shows_the_difference_first_and_then_puts_the_version_back(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    compressed = ada.updated()[0].read_bytes()
    before = ada.bytes_of_everything()

    shown = ada.memproc("restore", CHAT["chatID"], "1")
    assert shown.code == 0
    assert f"then: {len(CHAT['messages'])} messages, 0 memories" in shown.out
    assert ada.bytes_of_everything() == before

    assert ada.memproc("restore", CHAT["chatID"], "1", "--yes").code == 0
    assert ada.chat() == json.loads(export_bytes(CHAT))["data"]["chats"][0]
    assert ada.memproc("restore", CHAT["chatID"], "2", "--yes").code == 0, (
        "the state before is a version too"
    )
    assert ada.updated()[0].read_bytes() == compressed
    assert ada.memproc("restore", CHAT["chatID"], "9").code == 2


def test_expand_gives_the_raw_conversation_back_byte_for_byte(bea: Person) -> None:
    path = bea.home / "whole.json"
    assert bea.memproc("expand", CHAT["chatID"], "--output", path).code == 0
    (chat,) = json.loads(path.read_bytes())["data"]["chats"]
    assert chat["messages"] == CHAT["messages"]
    for message in CHAT["messages"]:
        assert (
            json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
            in path.read_bytes()
        )
    again = bea.memproc("expand", CHAT["chatID"], "--output", path)
    assert again.code == 1, "what exists is not overwritten"


def test_expand_works_again_and_never_among_the_files_to_be_imported(bea: Person) -> None:
    updated = {path: path.read_bytes() for path in bea.updated()}
    ended = [bea.memproc("expand", CHAT["chatID"]) for _ in range(2)]
    assert [one.code for one in ended] == [0, 0]
    (whole,) = (bea.home / "expanded").iterdir()
    assert [str(whole) in one.out.replace("\n", "") for one in ended] == [True, True]
    assert (whole.name, whole.stat().st_mode & 0o777) == (
        f"The lighthouse ({CHAT['chatID']}) full.json",
        0o600,
    )
    assert {path: path.read_bytes() for path in bea.updated()} == updated
    whole.write_bytes(b"what the person has made of it")
    assert bea.memproc("expand", CHAT["chatID"]).code == 0
    other = whole.with_name(f"{whole.stem} 2.json")
    assert (whole.read_bytes(), json.loads(other.read_bytes())["data"]["chats"][0]["messages"]) == (
        b"what the person has made of it", CHAT["messages"],
    )  # fmt: skip


@pytest.mark.full
def test_verify_finds_a_changed_output_and_a_damaged_backup(ada: Person) -> None:
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    assert ada.memproc("verify").code == 0

    output = ada.updated()[0]
    output.write_bytes(output.read_bytes() + b" ")
    kept = next((ada.home / "backups" / "originals").rglob("*.gz"))
    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    kept.write_bytes(content)

    ended = ada.memproc("verify")
    assert ended.code == 1
    assert output.name in ended.err
    assert kept.name in ended.err


def test_init_puts_no_folder_of_chats_into_a_source_checkout(tmp_path: Path) -> None:
    person = Person(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").touch()
    refused = person.memproc("init", "--yes")
    assert refused.code == 2
    assert "a checkout of source code" in refused.err
    assert "then: memproc init" in refused.err
    assert not (tmp_path / "updated").exists()


def test_init_writes_the_documented_settings_once(tmp_path: Path) -> None:
    person = Person(tmp_path / "new")
    person.toml.unlink()
    first = person.memproc("init", "--yes")
    assert first.code == 0
    assert tomllib.loads(person.toml.read_text())["chunk"]["tokens"] == 4000
    assert (Path.home() / "memproc" / "inbox").is_dir()
    person.toml.write_text(person.toml.read_text() + "\n# mine\n")
    assert person.memproc("init", "--yes").code == 0
    assert person.toml.read_text().endswith("# mine\n")


def test_config_says_what_counts_and_what_is_wrong(ada: Person) -> None:
    assert str(ada.toml) in ada.memproc("config", "path").out
    assert read(ada.memproc("config", "show", "--json"))["settings"]["tail"]["tokens"] == ada.tail
    assert ada.memproc("config", "check").code == 0
    ada.toml.write_text(
        '[chunk]\ntokens = 3\n[tail]\nstep = "x"\n[typo]\na = 1\n[models]\nagent = 7\n[folders]\ninbox = "/"\n'
    )
    ended = ada.memproc("config", "check")
    assert ended.code == 2
    for key in ("chunk.tokens", "tail.step", "typo", "models.agent", "folders.inbox"):
        assert key in ended.err
    assert ada.memproc("run").code == 2


@pytest.mark.full
def test_the_demo_shows_the_whole_trip(ada: Person) -> None:
    ended = ada.spawn("demo")
    assert (ended.code, ended.err) == (0, "")
    for word in ("The plan", "become memories", "updated", "original", "Quote", "Perspective"):
        assert word in ended.out
    assert "calls" not in ended.out, "the engine asks no model"
    home = Path(ended.out.rsplit("Everything is in ", 1)[1].split(" until")[0])
    assert list((home / "updated").glob("*.json"))


def test_each_demo_has_a_folder_of_its_own_and_old_ones_go() -> None:
    with _fresh_folder() as first:
        with _fresh_folder() as second:
            assert first.name == "demo"
            assert second.name == "demo-2"
            assert (first / "inbox" / SAMPLE_FILE).read_bytes() == (
                second / "inbox" / SAMPLE_FILE
            ).read_bytes()
        (first / "of this demo").touch()
        with _fresh_folder() as again:
            assert again == second
        assert (first / "of this demo").exists()
    with _fresh_folder() as only:
        assert only == first
        assert {path.name for path in only.iterdir()} == {"inbox", "memproc.toml"}
        assert not second.exists()


@pytest.mark.long
def test_two_demos_at_once_both_come_to_their_end(ada: Person) -> None:
    both = [ada.start("demo"), ada.start("demo")]
    ended = [one.communicate(timeout=100) for one in both]
    assert [(one.returncode, err) for one, (_, err) in zip(both, ended, strict=True)] == [
        (0, "")
    ] * 2
    homes = {Path(out.rsplit("Everything is in ", 1)[1].split(" until")[0]) for out, _ in ended}
    assert len(homes) == 2
    assert all(list((home / "updated").glob("*.json")) for home in homes)


def test_run_as_json_tells_every_outcome(ada: Person) -> None:
    ada.drop(
        export_bytes(CHAT, long_chat(500, chatID="short12345", id="short12345", chatTitle="Short"))
    )
    ada.drop(b"{}", "odd.json")
    ended = ada.memproc("run", "--json")
    outcomes = {outcome["outcome"]: outcome for outcome in json.loads(ended.out)["outcomes"]}
    assert ended.code == 1
    assert outcomes.keys() == {"written", "unchanged", "skipped"}
    assert outcomes["written"]["path"] == str(ada.updated()[0])
    assert outcomes["skipped"]["next_step"]


def test_a_wrong_command_is_a_usage_error(ada: Person) -> None:
    assert ada.spawn("rnu").code == 2
    assert ada.memproc("restore", "x").code == 2
    assert ada.memproc("--version").out.startswith("memproc")
    assert "Service and settings:" in ada.memproc("--help").out


def test_config_show_hides_what_is_secret(ada: Person) -> None:
    ada.settings('[models.options]\nazure_ad_token = "canary-4711"\ntop_p = 0.5\n')
    for shown in (ada.memproc("config", "show"), ada.memproc("config", "show", "--json")):
        assert shown.code == 0
        assert "canary-4711" not in shown.out
        assert "0.5" in shown.out


def test_what_finds_nothing_says_what_to_do(ada: Person) -> None:
    ada.settings(ENGINE)
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    chat_id = CHAT["chatID"]
    for words, step in {
        ("calls",): " plan",
        ("calls", chat_id): " plan",
        ("facts", chat_id): f" facts {chat_id} add TEXT",
        ("keep", chat_id): f' keep {chat_id} "ITS WORDS"',
    }.items():
        assert step in ada.memproc(*words).out
    mistyped = ada.memproc("facts", "ad", "X")
    assert "Did you mean: memproc facts CHAT add X" in mistyped.err
    assert "memproc chats" in ada.memproc("versions").err


def test_a_part_of_a_title_shows_a_memory_and_its_next_steps_can_be_typed(ada: Person) -> None:
    ada.settings(ENGINE)
    ada.drop(export_bytes({**CHAT, "chatTitle": "Letters from Lisbon"}))
    assert ada.memproc("run").code == 0
    chat_id = CHAT["chatID"]
    assert "Letters from Lisbon" in ada.memproc("show", "lisbon", "1").out
    assert f" facts {chat_id} add TEXT" in ada.memproc("facts", "lisbon").out
    assert f" keep {chat_id} " in ada.memproc("keep", "lisbon").out
    assert "Did you mean Letters from Lisbon?" in ada.memproc("pin", "lisbon", "1").err


def test_a_long_title_is_cut_where_it_is_offered_and_its_id_can_be_typed(ada: Person) -> None:
    ada.settings(ENGINE)
    ada.drop(export_bytes({**CHAT, "chatTitle": "Letters from Lisbon " * 45}))
    assert ada.memproc("run").code == 0
    told = ada.memproc("erase", "letters from").err
    assert f"Did you mean {CHAT['chatID']} (Letters from Lisbon" in told
    assert max(map(len, told.splitlines())) < 100


def test_a_pause_is_told_where_no_daemon_runs(ada: Person) -> None:
    assert ada.memproc("pause").code == 0
    assert "It is paused until memproc resume" in ada.memproc("status").out
    assert ada.memproc("resume").code == 0
    assert "paused" not in ada.memproc("status").out


@pytest.mark.sampled
@pytest.mark.parametrize("by", ["page", "bridge"])
def test_status_says_whether_a_run_was_begun_on_the_page_or_in_typingmind(
    ada: Person, by: str
) -> None:
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("--by", by, "run").code == 0
    assert json.loads(ada.memproc("status", "--json").out)["last_run"]["by"] == by
    assert ada.memproc("verify").code == 0
