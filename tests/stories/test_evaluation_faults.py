"""What an evaluation shows of planted faults, and what becomes of what was missed."""

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests import waiting
from tests.chats import CHAT_ID, export_bytes
from tests.server.examined import POSED, Examined
from tests.server.server import ModelServer
from tests.stories.databases import archive_of, change
from tests.stories.examining import evaluated, serving, wants
from tests.stories.person import Person
from tests.stories.reports import report
from tests.stories.test_page import Browser
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(200), pytest.mark.usefixtures("key")]


def everything(person: Person) -> list[dict[str, Any]]:
    found = json.loads(person.memproc("memories", CHAT_ID, "--json").out)["memories"]
    assert isinstance(found, list)
    return found


def live_of(chat: dict[str, Any]) -> list[str]:
    """The uuids of the messages after the memories."""
    return [message["uuid"] for message in chat["messages"] if "memproc" not in message]


def without(chat: dict[str, Any], uuids: list[str]) -> dict[str, Any]:
    kept = [message for message in chat["messages"] if message["uuid"] not in uuids]
    return chat | {"messages": kept}


def given(server: ModelServer, arm: str) -> str:
    """All that the persona was given before it was asked about the conversation, with memories or without."""
    contexts = [
        "\n".join(turn.text for turn in request.turns[:-1])
        for request in server.requests
        if POSED.search(request.turns[-1].text)
    ]
    return "\n".join(
        context
        for context in contexts
        if "</to_remember>" not in context and ("A direct quote?" in context) == (arm == "memories")
    )


@pytest.mark.full
def test_a_tail_that_lacks_eight_messages_says_so_and_what_the_person_deleted_is_not_lacking(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = eve.chat()
    deleted, *live = live_of(chat)
    chat["syncMetadata"]["deletedMessageUUIDs"].append(deleted)
    eve.drop(export_bytes(without(chat, [deleted])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": []}

    lost = live[2:10]
    eve.drop(export_bytes(without(chat, [deleted, *lost])))
    assert eve.memproc("run").code == 0
    assert evaluated(eve, "--free")["tail"] == {"messages": len(live), "lacking": lost}
    told = " ".join(eve.memproc("eval", CHAT_ID, "--free").out.split())
    assert f"The live tail lacks 8 of its {len(live)} messages" in told
    shown = Browser(eve).open(f"/chat/{CHAT_ID}/evaluation")
    assert "This is a floor and no proof" in shown
    assert "The live tail lacks 8" in shown
    said = {message["uuid"]: text_of(message["content"]) for message in chat["messages"]}
    with serving(monkeypatch, Examined()) as server:
        evaluated(eve, "--against", "full")
        assert all(said[uuid] in given(server, "full") for uuid in lost)
        assert not any(said[uuid] in given(server, "memories") for uuid in lost)


def test_a_tail_whose_rows_are_gone_from_the_archive_is_told_before_anything_is_asked(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        change(
            archive_of(eve),
            "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE id NOT IN "
            "(SELECT message FROM chunk_message) ORDER BY position LIMIT 10)",
        )
        ended = eve.memproc("eval", CHAT_ID)
        assert (ended.code, "damaged" in ended.err) == (1, True), ended
        assert server.meter.calls == 0


@pytest.mark.full
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


def history(person: Person) -> list[dict[str, Any]]:
    """What `memproc eval CHAT --history` tells."""
    past: list[dict[str, Any]] = report(person, "eval", CHAT_ID, "--history")["evaluations"]
    return past


@pytest.mark.full
def test_an_evaluation_goes_along_to_a_new_computer_and_a_rebuilt_archive_goes_without(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(monkeypatch, Examined()) as server:
        first, calls = evaluated(eve), server.meter.calls
        assert eve.memproc("verify").code == 0
        packed = tmp_path / "packed.zip"
        assert eve.memproc("export-archive", packed).code == 0
        new = Person(tmp_path / "new", tail=3200, step=800, chunk=800)
        assert new.memproc("import-archive", packed, "--yes").code == 0
        wants(new)
        assert history(new) == history(eve) != []
        again = evaluated(new)
        assert (again["arms"], again["missed"]) == (first["arms"], first["missed"])
        assert server.meter.calls == calls, "every question and every answer has come along"

        for path in (eve.home / "state").glob("archive.sqlite3*"):
            path.unlink()
        assert eve.memproc("rebuild").code == 0
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
    assert "evaluation 1" in shown
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
