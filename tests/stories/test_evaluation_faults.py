"""What an evaluation shows of planted faults, and what becomes of what was missed."""

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.config.loading import load, load_folders
from daemon.evaluate.subject import ArmName, find_subject
from daemon.models.context import context_to_read
from tests import waiting
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.groups import groups_of
from tests.server.examined import Examined
from tests.stories.examining import evaluated, serving, wants
from tests.stories.person import Person
from tests.stories.test_page import Browser
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.usefixtures("key")]
ANOTHER = ["Memory 1.", "An oar.", "How?", "It was another sea.", "And?", "Nothing of it."]


def everything(person: Person) -> list[dict[str, Any]]:
    found = json.loads(person.memproc("memories", CHAT_ID, "--json").out)["memories"]
    assert isinstance(found, list)
    return found


def rewritten(person: Person, memory: str, texts: list[str]) -> None:
    """Give a memory other words than were written for it, as a fault would."""
    with Archive.open(person.home / "state") as archive:
        archive.run("UPDATE edition SET texts = ? WHERE memory = ?", (json.dumps(texts), memory))


def words_of(person: Person, memory: dict[str, Any]) -> str:
    """Every word that was said under a memory."""
    whole = person.home / "whole.json"
    whole.unlink(missing_ok=True)
    assert person.memproc("expand", CHAT_ID, "--output", whole).code == 0
    (chat,) = json.loads(whole.read_bytes())["data"]["chats"]
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    return "\n\n".join(said[key] for key in memory["keys"])


def live_of(chat: dict[str, Any]) -> list[str]:
    """The uuids of the messages after the memories."""
    return [message["uuid"] for message in chat["messages"] if "memproc" not in message]


def without(chat: dict[str, Any], uuids: list[str]) -> dict[str, Any]:
    kept = [message for message in chat["messages"] if message["uuid"] not in uuids]
    return chat | {"messages": kept}


def context_of(person: Person, arm: ArmName) -> list[str]:
    """What the persona is given before it is asked, turn by turn."""
    config = load(person.toml)
    folders = load_folders(config)
    with Archive.read(folders.state) as archive:
        subject = find_subject(context_to_read(config, folders, archive), CHAT_ID)
        return [turn.content for turn in subject.turns(arm)]


def test_a_tail_that_lacks_ten_messages_says_so_and_what_the_person_deleted_is_not_lacking(
    eve: Person,
) -> None:
    chat = eve.chat()
    deleted, *live = live_of(chat)
    chat["syncMetadata"]["deletedMessageUUIDs"].append(deleted)
    eve.drop(export_bytes(without(chat, [deleted])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": []}

    lost = live[2:12]
    eve.drop(export_bytes(without(chat, [deleted, *lost])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": lost}
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    assert all(said[uuid] in context_of(eve, "full") for uuid in lost)
    assert not any(said[uuid] in context_of(eve, "memories") for uuid in lost)
    told = " ".join(eve.memproc("eval", CHAT_ID, "--free").out.split())
    assert f"The live tail lacks 10 of its {len(live)} messages" in told
    shown = Browser(eve).open(f"/chat/{CHAT_ID}/evaluation")
    assert "A floor, and no proof" in shown
    assert "The live tail lacks 10" in shown


def test_a_tail_whose_rows_are_gone_from_the_archive_is_told_before_anything_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        with Archive.open(eve.home / "state") as archive:
            archive.run("PRAGMA foreign_keys = OFF")
            archive.run(
                "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE id NOT IN "
                "(SELECT message FROM chunk_message) ORDER BY position LIMIT 10)"
            )
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, "damaged" in ended.err) == (1, True), ended
        assert server.meter.calls == 0


@pytest.mark.parametrize("slot", [1, 3, 5], ids=["quote", "perspective", "memory"])
@pytest.mark.variants
def test_a_memory_that_lost_its_words_stands_out_and_no_other_does(
    eve: Person, slot: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        memories = everything(eve)
        for one in memories:
            texts = [*ANOTHER[:slot], words_of(eve, one), *ANOTHER[slot + 1 :]]
            rewritten(eve, one["memory_id"], texts)
        assert not any(group["stands_out"] for group in evaluated(eve)["groups"]["memories"])
        rewritten(eve, memories[0]["memory_id"], ANOTHER)
        faulty = evaluated(eve)["groups"]["memories"]
    assert [group["stands_out"] for group in faulty] == [one == memories[0] for one in memories]


def test_what_was_missed_is_named_to_a_rewriting_and_asked_no_more(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        report = evaluated(eve)
        memory = report["missed"][0]["memory"]
        missed = [one for one in report["missed"] if one["memory"] == memory]
        ended = eve.memproc("retry", memory, "--missed")
        assert (ended.code, ended.err) == (0, "")
        asked = [request.turns[-1].text for request in server.requests[-4:]]
        for one in missed:
            assert any(one["passage"] in text for text in asked)
        assert "has missed no question" in eve.memproc("retry", memory, "--missed").err
        shown = json.loads(eve.memproc("memories", CHAT_ID, "--json").out)["memories"]
        (rewritten,) = [one for one in shown if one["memory_id"] == memory]
        assert len(rewritten["editions"]) == 2

        calls = server.meter.calls
        after = evaluated(eve)
        assert after["evaluation"] == 2
        assert server.meter.calls > calls + 8, "others are written about its chunk"
        asked_of = [row["known"]["questions"] for row in after["groups"]["memories"]]
        assert asked_of == [3] * 10, "and no other chunk is asked about less for it"
        with Archive.read(eve.home / "state") as archive:
            counts = archive.column(
                "SELECT count(*) FROM question WHERE memory = ? AND state = '' AND passage <> ''",
                (memory,),
            )
    assert counts[0] == 6 - len(missed)


def kept_rows(person: Person) -> list[list[tuple[Any, ...]]]:
    """Every question and answer of the archive, as it lies there."""
    with Archive.read(person.home / "state") as archive:
        return [archive.run(f"SELECT * FROM {table}") for table in ("question", "answer")]


def test_an_evaluation_goes_along_to_a_new_computer_and_a_rebuilt_archive_goes_without(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        report, rows = evaluated(eve), kept_rows(eve)
        assert all(rows)
        assert eve.memproc("verify").code == 0
        packed = tmp_path / "packed.zip"
        assert eve.memproc("export-archive", packed).code == 0
        new = Person(tmp_path / "new", tail=3200, step=800, chunk=800)
        assert new.memproc("import-archive", packed, "--yes").code == 0
        wants(new)
        assert kept_rows(new) == rows
        assert evaluated(new)["arms"] == report["arms"]

        for path in (eve.home / "state").glob("archive.sqlite3*"):
            path.unlink()
        assert eve.memproc("rebuild").code == 0
        assert kept_rows(eve) == [[], []]
        assert "never evaluated" in eve.memproc("eval", CHAT_ID, "--history").out
        assert evaluated(eve)["evaluation"] == 1


@pytest.mark.full
def test_the_page_tells_the_same_with_the_raw_words_a_click_away(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        report = evaluated(eve)
        source = Browser(eve).source(f"/chat/{CHAT_ID}/evaluation")
    shown = unescape(source)
    assert "Evaluation 1" in shown
    assert "likely $0.00" in shown
    for missed in report["missed"]:
        assert missed["question"] in shown
        assert f'href="/chat/{CHAT_ID}/messages/{missed["message"]}"' in source
        assert f'action="/memory/{missed["memory"]}/missed"' in source


@pytest.mark.full
def test_what_was_missed_is_written_again_by_one_press(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()):
        memory = evaluated(eve)["missed"][0]["memory"]
        shown = Browser(eve).send(f"/memory/{memory}/missed")
        assert "is being written again" in shown

        def is_written() -> bool:
            found = json.loads(eve.memproc("memories", CHAT_ID, "--json").out)["memories"]
            return any(len(one["editions"]) == 2 for one in found if one["memory_id"] == memory)

        waiting.until(is_written, 60)


@pytest.mark.long
def test_a_fold_that_lost_its_quotes_stands_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()), groups_of(3):
        ada = Person(tmp_path / "ada", tail=3200, step=800, chunk=800)
        wants(ada, "[fold]\nbudget = 900\n")
        ada.drop(export_bytes(long_chat(14_000, tokens_each=300)))
        assert ada.memproc("run").code == 0
        shown = [one for one in everything(ada) if one["state"] == "shown"]
        folds = [one["memory_id"] for one in shown if one["members"]]
        assert folds
        for one in shown:
            rewritten(ada, one["memory_id"], [*ANOTHER[:1], words_of(ada, one), *ANOTHER[2:]])
        assert not any(group["stands_out"] for group in evaluated(ada)["groups"]["memories"])
        rewritten(ada, folds[0], ANOTHER)
        groups = evaluated(ada)["groups"]["memories"]
    assert [group["name"] for group in groups if group["stands_out"]] == [folds[0]]
