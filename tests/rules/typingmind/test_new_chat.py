"""A chat of its own beside the old one, which stays as it is.

An expanded one names none of its own messages as deleted, and the memories that it takes the place of.
"""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files.read import chats_in
from rules.conversation.marker import our_uuids
from rules.typingmind.chat import Chat, parse_chat, read_messages
from rules.typingmind.new_chat import (
    as_new_chat,
    memories_title,
    new_chat_id,
    with_corrected_deletions,
)
from tests.chats import (
    CHAT_ID,
    Json,
    assistant,
    chat,
    conversation,
    export_bytes,
    json_bytes,
    user,
    written,
)
from tests.exports.generated import chats

NOW = "2026-04-01T12:00:00.000Z"
NEW_ID = "0123456789"
CHANGED = {"id", "chatID", "chatTitle", "updatedAt", "syncedAt"}
TALK = conversation(2, 40)

RAW = chat(user("Hi.", uuid="a"), assistant("Hello.", 1, uuid="b"))
OPENING = {"v": 1, "kind": "opening", "text": "0"}


def renamed(data: bytes) -> bytes:
    return as_new_chat(data, NEW_ID, "Aria (memories)", NOW)


def renamed_fields(fields: Json) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(renamed(json_bytes(fields)))
    return found


def read(data: bytes) -> Chat:
    return parse_chat(data)


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.integers(1, 1000))
def test_a_new_id_has_typingmind_s_own_form_and_is_another_one(chat_id: str, number: int) -> None:
    found = new_chat_id(chat_id, number)
    assert re.fullmatch(r"[0-9a-z]{10}", found)
    assert found != chat_id
    assert found == new_chat_id(chat_id, number)


def test_a_new_id_differs_between_chats_and_between_numbers() -> None:
    ids = {new_chat_id(f"chat{name}", number) for name in range(100) for number in range(1, 11)}
    assert len(ids) == 1000
    assert new_chat_id(CHAT_ID) == new_chat_id(CHAT_ID, 1)


def test_a_new_id_is_the_same_in_every_version_of_the_program() -> None:
    assert new_chat_id("kxecrzvvc1") == "3s4gkulcpy"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Aria", "Aria (memories)"),
        ("Aria (memories)", "Aria (memories)"),
        ("Aria (memories) ", "Aria (memories) "),
        ("Aria ", "Aria (memories)"),
        ("Aria (memories) and more", "Aria (memories) and more (memories)"),
        ("", "(memories)"),
    ],
)
def test_the_title_says_that_there_are_memories_once(title: str, expected: str) -> None:
    assert memories_title(title) == expected


def test_a_new_chat_has_an_id_and_a_title_of_its_own_and_was_never_synced() -> None:
    found = renamed_fields(chat(*TALK, syncedAt="2026-03-31T12:00:00.000Z"))
    assert {key: found[key] for key in CHANGED} == {
        "id": NEW_ID,
        "chatID": NEW_ID,
        "chatTitle": "Aria (memories)",
        "updatedAt": NOW,
        "syncedAt": None,
    }


@given(chats)
def test_every_other_byte_is_the_finished_chat_s_own(text: str) -> None:
    before, after = read(text.encode()), read(renamed(text.encode()))
    assert [
        (one.key, before.slice(one.value)) for one in before.members if one.key not in CHANGED
    ] == [(one.key, after.slice(one.value)) for one in after.members if one.key not in CHANGED]
    assert after.chat_id == NEW_ID
    assert after.title == "Aria (memories)"


def test_messages_the_money_spent_and_what_sync_knows_stay_as_they_are() -> None:
    sync = {"deletedMessageUUIDs": ["older"], "deletedSyncedBlobIDs": [written("7.50")]}
    data = json_bytes(chat(*TALK, syncMetadata=sync), indent=2)
    before, after = read(data), read(renamed(data))
    for key in ("messages", "tokenUsage", "syncMetadata", "createdAt", "chatParams"):
        old, new = before.member(key), after.member(key)
        assert old is not None
        assert new is not None
        assert before.slice(old.value) == after.slice(new.value)


def test_only_what_the_import_needs_is_added() -> None:
    assert renamed(b'{ "id" : "a" ,"messages":[ ] }') == (
        b'{ "id" : "0123456789" ,"messages":[ ],"chatID":"0123456789","chatTitle":"Aria (memories)" }'
    )
    assert renamed(b'{"chatID":null,"chatTitle":null,"messages":[]}') == (
        b'{"chatID":"0123456789","chatTitle":"Aria (memories)","messages":[]}'
    )
    assert renamed(b"{}") == b'{"chatID":"0123456789","chatTitle":"Aria (memories)"}'


def test_a_title_in_any_script_can_be_written() -> None:
    found = as_new_chat(json_bytes(chat(*TALK)), NEW_ID, 'Ключ "ü" 🗝 (memories)', NOW)
    assert json.loads(found)["chatTitle"] == 'Ключ "ü" 🗝 (memories)'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-03-01T00:00:00.000Z", NOW),
        (NOW, NOW),
        ("2026-04-01T12:00:00.001Z", "2026-04-01T12:00:00.001Z"),
        ("yesterday", NOW),
        (None, NOW),
    ],
)
def test_the_time_of_update_never_goes_back(before: str | None, after: str) -> None:
    assert renamed_fields(chat(*TALK, updatedAt=before))["updatedAt"] == after


def test_a_second_renaming_changes_nothing() -> None:
    once = renamed(json_bytes(chat(*TALK)))
    assert renamed(once) == once


def chat_with(fields: Json) -> Chat:
    return chats_in("x.json", export_bytes(fields))[0]


def deleted(fields: Json, *ours: str) -> object:
    found = json.loads(with_corrected_deletions(chat_with(fields), ours))
    assert found["messages"] == fields["messages"]
    return found.get("syncMetadata", {}).get("deletedMessageUUIDs")


def test_what_is_back_is_not_deleted_and_our_messages_are() -> None:
    sync = {"deletedMessageUUIDs": ["x", "a", "b"], "deletedSyncedBlobIDs": ["blob"]}
    found = json.loads(
        with_corrected_deletions(chat_with(RAW | {"syncMetadata": sync}), ("m1", "m2"))
    )
    assert found["syncMetadata"] == sync | {"deletedMessageUUIDs": ["x", "m1", "m2"]}


@pytest.mark.parametrize(
    "sync", [None, {}, {"deletedMessageUUIDs": None}, {"deletedMessageUUIDs": []}]
)
def test_a_chat_without_a_list_of_deletions_gets_one_where_it_needs_one(sync: object) -> None:
    assert deleted(RAW | {"syncMetadata": sync}, "m1") == ["m1"]
    assert deleted(RAW, "m1") == ["m1"]


@pytest.mark.parametrize("sync", [None, {}, {"deletedMessageUUIDs": ["x"]}])
def test_where_nothing_is_to_be_said_no_byte_changes(sync: object) -> None:
    found = chat_with(RAW | {"syncMetadata": sync})
    assert with_corrected_deletions(found, ()) == found.slice(found.span)


def test_ours_are_those_that_say_so() -> None:
    shown = chat(
        user("a", uuid="o", memproc=OPENING),
        user("b", uuid="r", memproc={"kind": "opening"}),
        user("c"),
    )
    assert our_uuids(read_messages(chat_with(shown))) == ("o",)
