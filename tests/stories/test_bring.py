"""A conversation comes home from another program, goes on in TypingMind, and is brought again."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rules.bring import chatgpt
from tests.chats import Json
from tests.foreign import talks, trees
from tests.stories.cycle import ENGINE
from tests.stories.databases import archive_of, change
from tests.stories.person import Ended, Person
from tests.typingmind import TypingMind

LONG, LONGER, SHORT = 40, 44, 3
"""Turns: several memories; a few more live ones; too few for a memory."""


@pytest.fixture
def nessa(tmp_path: Path) -> Person:
    """A person whose memories the engine extracts."""
    nessa = Person(tmp_path / "nessa")
    nessa.settings(ENGINE)
    return nessa


def exported(person: Person, *conversations: dict[str, Any]) -> Path:
    """An export of another program, beside the inbox."""
    path = person.home / "foreign.json"
    path.write_bytes(trees.exported(*conversations))
    return path


def bring(person: Person, *arguments: str, code: int = 0) -> Ended:
    ended = person.memproc("bring", "foreign.json", *arguments)
    assert ended.code == code, ended
    return ended


def chats(person: Person) -> dict[str, Json]:
    """The chats of the updated exports, by id."""
    every = [
        chat for path in person.updated() for chat in json.loads(path.read_bytes())["data"]["chats"]
    ]
    return {chat["chatID"]: chat for chat in every}


def kinds(chat: Json) -> list[str]:
    """What each message of a chat is: ours by its kind, or who says it."""
    return [
        message.get("memproc", {}).get("kind") or message["role"] for message in chat["messages"]
    ]


def live(chat: Json) -> list[str]:
    return [message["content"] for message in chat["messages"] if "memproc" not in message]


def expanded(person: Person, chat_id: str) -> list[str]:
    """The whole raw conversation that the archive gives back."""
    path = person.home / "whole.json"
    assert person.memproc("expand", chat_id, "--output", path).code == 0
    (chat,) = json.loads(path.read_bytes())["data"]["chats"]
    path.unlink()
    return [message["content"] for message in chat["messages"]]


def originals(person: Person) -> list[Json]:
    """The conversations that are kept as their program wrote them."""
    index = (person.home / "backups" / "INDEX.tsv").read_text().splitlines()
    lines = [line.split("\t") for line in index if "\tbrought\t" in line]
    files = [person.home / "backups" / line[-2] for line in lines]
    return [json.loads(gzip.decompress(file.read_bytes())) for file in files]


def test_the_list_has_the_newest_first_and_words_filter_it(nessa: Person) -> None:
    exported(
        nessa, talks.chatgpt("1", 2, title="Festival"), talks.claude("2", 3, day=9, title="Ärger")
    )
    lines = bring(nessa).out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["1", "Ärger"], ["2", "Festival"]]
    assert "2025-03-10" in lines[1]
    filtered = bring(nessa, "festi").out
    assert "Festival" in filtered
    assert "Ärger" not in filtered
    assert not (nessa.home / "updated").exists()


@pytest.mark.sampled
@pytest.mark.parametrize("program", ["chatgpt", "claude", "deepseek"])
def test_a_conversation_becomes_memories_and_a_live_tail(nessa: Person, program: str) -> None:
    make = getattr(talks, program)
    conversation = make("1", LONG, title="Aria")
    exported(nessa, make("0", 2, title="Another"), conversation)
    planned = bring(nessa, "--chat", "aria", "--model", "claude-opus-5-5")
    assert f"{2 * LONG} messages become the chat" in planned.out
    assert "--yes" in planned.out
    assert not nessa.updated()
    assert not [path for path in (nessa.home / "state" / "brought").rglob("*") if path.is_file()]
    ended = bring(nessa, "--chat", "Aria", "--model", "claude-opus-5-5", "--yes")
    assert "1 written" in ended.out
    chat = nessa.chat()
    assert (chat["chatTitle"], chat["model"]) == ("Aria", "claude-opus-5-5")
    assert kinds(chat)[0] == "opening"
    assert kinds(chat).count("memory") >= 12
    said = talks.spoken("1", LONG)
    assert live(chat) == said[-len(live(chat)) :]
    assert expanded(nessa, chat["chatID"]) == said
    assert originals(nessa) == [conversation]
    assert "Another" not in bring(nessa, "aria").out
    assert "in Aria" in bring(nessa, "aria").out
    assert nessa.memproc("verify").code == 0


def test_one_that_is_too_short_for_memories_is_written_all_the_same(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", SHORT))
    bring(nessa, "--chat", "1", "--yes")
    chat = nessa.chat()
    assert live(chat) == talks.spoken("1", SHORT)
    assert "Nothing is new" in bring(nessa, "--chat", "1", "--yes").out


@pytest.mark.full
def test_a_newer_export_goes_on_with_the_same_chat_if_the_person_says_so(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG))
    bring(nessa, "--chat", "1", "--yes")
    before = nessa.chat()
    exported(nessa, talks.chatgpt("1", LONGER))
    ended = bring(nessa, "--chat", "1", "--untouched", "--yes")
    assert f"{2 * (LONGER - LONG)} messages more" in ended.out
    after = nessa.chat()
    assert after["chatID"] == before["chatID"]
    assert live(after) == talks.spoken("1", LONGER)[-len(live(after)) :]
    memories = [message for message in before["messages"] if "memproc" in message]
    assert after["messages"][: len(memories) - 1] == memories[:-1], "memories stay as they were"
    assert expanded(nessa, after["chatID"]) == talks.spoken("1", LONGER)
    assert len(originals(nessa)) == 2
    versions = nessa.memproc("versions", after["chatID"]).out
    assert "updated" in versions
    assert "brought" not in versions, "TypingMind could not import it"
    assert nessa.memproc("undo", after["chatID"], "--yes").code == 0
    assert nessa.chat() == before
    assert nessa.memproc("verify").code == 0


@pytest.mark.full
def test_what_was_brought_in_one_line_stays_so_and_only_new_messages_get_lines(
    nessa: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    poem = {"name": "Sea", "content": "# The sea\n\nIt said yes."}
    conversation = talks.chatgpt("1", LONGER)
    nodes = [node["message"] for node in conversation["mapping"].values() if node["message"]]
    for written in (nodes[3], nodes[2 * LONG + 1]):
        text = json.dumps(poem)
        written |= {"content": {"content_type": "code", "text": text}, "recipient": "canmore.x"}
    shorter = talks.chatgpt("1", LONG)
    shorter["mapping"]["1-3"]["message"] |= nodes[3]
    with monkeypatch.context() as before:
        before.setattr(chatgpt, "in_lines", lambda given: "")
        exported(nessa, shorter)
        bring(nessa, "--chat", "1", "--yes")
    (chat_id,) = chats(nessa)
    exported(nessa, conversation)
    assert "8 messages more" in bring(nessa, "--chat", "1", "--untouched", "--yes").out
    assert chats(nessa).keys() == {chat_id}
    whole = expanded(nessa, chat_id)
    assert json.dumps(poem) in whole[3]
    assert "\n# The sea\n\nIt said yes.\n" in whole[2 * LONG + 1]
    assert "Nothing is new" in bring(nessa, "--chat", "1", "--yes").out
    assert nessa.memproc("verify").code == 0


@pytest.mark.full
def test_an_untouched_export_of_typingmind_in_between_changes_nothing(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG))
    bring(nessa, "--chat", "1", "--yes")
    device = TypingMind(1)
    device.bring_in(nessa.updated()[0].read_bytes())
    nessa.drop(device.export())
    assert "1 unchanged" in nessa.memproc("run").out
    exported(nessa, talks.chatgpt("1", LONGER))
    bring(nessa, "--chat", "1", "--untouched", "--yes")
    (chat_id,) = chats(nessa)
    assert expanded(nessa, chat_id) == talks.spoken("1", LONGER)
    assert live(nessa.chat()) == talks.spoken("1", LONGER)[-len(live(nessa.chat())) :]


@pytest.mark.full
def test_without_the_persons_word_it_becomes_a_second_chat(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG))
    bring(nessa, "--chat", "1", "--yes")
    (first,) = chats(nessa)
    exported(nessa, talks.chatgpt("1", LONGER))
    ended = bring(nessa, "--chat", "1", "--yes")
    assert "It becomes a second chat" in ended.out
    assert "--untouched" in ended.out
    both = chats(nessa)
    assert len(both) == 2
    (second,) = both.keys() - {first}
    assert expanded(nessa, second) == talks.spoken("1", LONGER)
    assert both[second]["chatTitle"] == "Talk 1 (2)"
    assert "Nothing is new" in bring(nessa, "--chat", "1", "--yes").out


@pytest.mark.full
def test_what_was_said_in_typingmind_is_never_replaced(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG))
    bring(nessa, "--chat", "1", "--yes")
    (chat_id,) = chats(nessa)
    device = TypingMind(1)
    device.bring_in(nessa.updated()[0].read_bytes())
    device.talk(chat_id, 8, 40)
    nessa.drop(device.export(chat_id))
    assert nessa.memproc("run").code == 0
    before = chats(nessa)[chat_id]
    said = expanded(nessa, chat_id)
    assert said[: 2 * LONG] == talks.spoken("1", LONG)
    assert len(said) == 2 * LONG + 16
    exported(nessa, talks.chatgpt("1", LONGER))
    ended = bring(nessa, "--chat", "1", "--untouched", "--yes")
    assert "something was said in that chat in TypingMind" in ended.out
    after = chats(nessa)
    assert after[chat_id] == before
    (second,) = after.keys() - {chat_id}
    assert expanded(nessa, second) == talks.spoken("1", LONGER)


@pytest.mark.full
def test_a_life_of_several_is_one_chat_with_a_line_between_them(nessa: Person) -> None:
    one, two = talks.claude("1", 20, day=0), talks.claude("2", 20, day=30, title="The second")
    exported(nessa, two, one)
    model = ("--model", "claude-opus-5-5")
    assert "--as NAME" in bring(nessa, "--chat", "1", "--chat", "2", *model, code=2).err
    bring(nessa, "--chat", "Talk 1", "--chat", "The second", "--as", "Aria", *model, "--yes")
    (chat,) = chats(nessa).values()
    assert chat["chatTitle"] == "Aria"
    whole = expanded(nessa, chat["chatID"])
    line = whole.pop(40)
    assert "Here one conversation ends, on 2025-03-03." in line
    assert '"The second", from 2025-03-31 on' in line
    assert whole == [*talks.spoken("1", 20), *talks.spoken("2", 20)]
    assert kinds(chat).count("divider") == 1
    facts = nessa.memproc("memories", chat["chatID"], "--json").out
    assert "Here one conversation ends" not in facts
    three, early = talks.claude("3", SHORT, day=60), talks.claude("4", SHORT, day=-9)
    exported(nessa, talks.claude("2", 21, day=30, title="The second"), three, early)
    refused = bring(nessa, "--chat", "Talk 4", "--as", "Aria", *model, "--yes", code=1)
    assert "joins behind the last only" in refused.err
    bring(
        nessa, "--chat", "The second", "--chat", "Talk 3", "--as", "aria", "--untouched", "--yes"
    )  # fmt: skip
    assert chats(nessa).keys() == {chat["chatID"]}
    whole = expanded(nessa, chat["chatID"])
    assert whole[41:83] == talks.spoken("2", 21)
    assert whole[84:] == talks.spoken("3", SHORT)
    exported(nessa, talks.claude("1", 21))
    refused = bring(nessa, "--chat", "Talk 1", "--as", "Aria", "--yes", code=1)
    assert "with another conversation behind it" in refused.err
    assert nessa.memproc("verify").code == 0


@pytest.mark.full
def test_another_branch_can_be_named(nessa: Person) -> None:
    conversation = talks.chatgpt("1", SHORT)
    mapping = conversation["mapping"]
    aside = json.loads(json.dumps(mapping["1-1"]))
    aside["message"]["content"]["parts"] = ["Another answer."]
    mapping["aside"] = aside
    exported(nessa, conversation)
    told = bring(nessa, "--chat", "1").out
    assert "1 other branch" in told
    assert 'Not in this export of "Talk 1", or only by name: the system prompt.' in told
    bring(nessa, "--chat", "1", "--branch", "2", "--yes")
    assert live(nessa.chat()) == [talks.spoken("1", 1)[0], "Another answer."]


def test_without_a_model_in_the_export_the_person_is_asked_for_one(nessa: Person) -> None:
    exported(nessa, talks.claude("1", SHORT))
    ended = bring(nessa, "--chat", "1", "--yes", code=2)
    assert "does not say which model" in ended.err
    assert "--model anthropic/" in ended.err
    exported(nessa, talks.chatgpt("1", SHORT))
    bring(nessa, "--chat", "1", "--yes")
    assert nessa.chat()["model"].startswith("gpt-5.6")


@pytest.mark.full
def test_custom_instructions_become_the_system_message_if_they_are_chosen(nessa: Person) -> None:
    conversation = talks.chatgpt("1", SHORT)
    conversation["mapping"]["root"]["message"] = {
        "author": {"role": "user"},
        "content": {"content_type": "user_editable_context", "user_instructions": "Be kind."},
        "metadata": {"is_visually_hidden_from_conversation": True},
    }
    exported(nessa, conversation)
    assert "--instructions custom" in bring(nessa, "--chat", "1").out
    wrong = bring(nessa, "--chat", "1", "--instructions", "none", code=2)
    assert "There are: custom." in wrong.err
    bring(nessa, "--chat", "1", "--instructions", "custom", "--yes")
    assert nessa.chat()["chatParams"] == {"systemMessage": "Be kind."}


def test_a_wrong_name_is_answered_with_the_nearest_and_equal_titles_with_numbers(
    nessa: Person,
) -> None:
    exported(
        nessa, talks.chatgpt("1", 1, title="Festival"), talks.chatgpt("2", 1, title="Festival")
    )
    assert 'Did you mean "Festival"' in bring(nessa, "--chat", "Festivl", code=2).err
    told = bring(nessa, "--chat", "festival", code=2).err
    assert '2 conversations are called "festival": 1 (' in told


def test_a_damaged_chat_stops_no_other_from_coming(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG, title="Damaged"), talks.chatgpt("2", SHORT, day=90))
    bring(nessa, "--chat", "Damaged", "--yes")
    change(archive_of(nessa), "UPDATE chat SET head = x'7b'")
    assert "Talk 2" in bring(nessa).out
    bring(nessa, "--chat", "Talk 2", "--yes")
    ended = bring(nessa, "--chat", "Damaged", "--yes", code=1)
    assert "damaged" in ended.err


def test_nothing_of_it_is_left_when_the_chat_is_erased(nessa: Person) -> None:
    exported(nessa, talks.chatgpt("1", LONG, title="Zanzibar"), talks.chatgpt("2", SHORT, day=90))
    bring(nessa, "--chat", "Zanzibar", "--yes")
    bring(nessa, "--chat", "Talk 2", "--yes")
    (nessa.home / "foreign.json").unlink()
    assert nessa.memproc("erase", "Zanzibar", "--yes").code == 0
    left = [path for path in nessa.home.rglob("*") if "Zanzibar" in path.name]
    assert left == []
    assert [each["title"] for each in originals(nessa)] == ["Talk 2"]
    assert nessa.memproc("verify").code == 0


@pytest.mark.parametrize("program", ["chatgpt", "claude"])
def test_half_a_surrogate_pair_in_ids_titles_and_models_stops_nothing(
    nessa: Person, program: str
) -> None:
    half = "\ud83d"
    conversation = getattr(talks, program)(f"1{half}", SHORT, title=f"Sea {half}")
    (nessa.home / "foreign.json").write_text(json.dumps([conversation]))
    bring(nessa, "--chat", f"1{half}", "--model", f"claude{half}", "--yes")
    assert nessa.chat()["chatTitle"] == "Sea \ufffd"
    assert "in Sea" in bring(nessa).out
    assert "Nothing is new" in bring(nessa, "--chat", "1", "--model", "claude", "--yes").out


@pytest.mark.full
def test_what_an_interruption_leaves_outside_of_the_archive_is_erased_by_its_file_or_id(
    nessa: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = talks.chatgpt("1", LONG, title="Aria"), talks.chatgpt("2", 20, title="Aria")

    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    exported(nessa, first)
    bring(nessa, "--chat", "1", "--yes")
    (known,) = chats(nessa)
    exported(nessa, second)
    with monkeypatch.context() as stopping:
        stopping.setattr("daemon.cli.bring.run_agreed", stop)
        bring(nessa, "--chat", "1", "--yes", code=130)
    (nessa.home / "foreign.json").unlink()
    folder = nessa.home / "state" / "brought"
    (left,) = [path for path in folder.glob("*.json") if known not in path.name]
    before = nessa.bytes_of_everything()
    told = nessa.memproc("erase", "Aria", "--yes")
    assert told.code == 2
    assert f"{known} (Aria)\n" in told.err
    assert f"(Aria): {nessa.home}" in told.err
    assert str(left) in told.err
    assert str(left) in nessa.memproc("erase", "Ariel", "--yes").err
    shown = nessa.memproc("erase", left.name)
    assert str(left) in shown.out
    assert "Nothing was changed.\nTo do it: " in shown.out
    assert nessa.bytes_of_everything() == before
    assert nessa.memproc("erase", left, "--yes").code == 0
    assert not left.exists()
    assert originals(nessa) == [first]
    assert chats(nessa).keys() == {known}
    assert nessa.memproc("verify").code == 0


def test_a_title_that_no_other_conversation_has_names_it_too(
    nessa: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported(nessa, talks.chatgpt("1", 20, title="Zanzibar"))
    with monkeypatch.context() as stopping:
        stopping.setattr("daemon.cli.bring.run_agreed", lambda *_: 0)
        bring(nessa, "--chat", "1", "--yes")
    (nessa.home / "foreign.json").unlink()
    assert nessa.memproc("erase", "zanzibar", "--yes").code == 0
    assert originals(nessa) == []
    assert [path for path in nessa.home.rglob("*") if "Zanzibar" in path.name] == []


def test_an_export_in_the_inbox_is_told_how_to_be_brought(nessa: Person) -> None:
    nessa.drop(trees.exported(talks.chatgpt("1", SHORT)), "conversations.json")
    ended = nessa.memproc("run")
    assert "memproc bring conversations.json" in ended.err
    assert nessa.memproc("bring", "conversations.json").code == 0
