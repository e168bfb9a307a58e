"""An expanded chat names none of its own messages as deleted, and the memories that it takes the place of."""

import json

import pytest

from daemon.files.read import chats_in
from rules.conversation.marker import our_uuids
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.copies import expanded
from tests.chats import Json, assistant, chat, export_bytes, user

RAW = chat(user("Hi.", uuid="a"), assistant("Hello.", 1, uuid="b"))
OPENING = {"v": 1, "kind": "opening", "text": "0"}


def read(fields: Json) -> Chat:
    return chats_in("x.json", export_bytes(fields))[0]


def deleted(fields: Json, *ours: str) -> object:
    found = json.loads(expanded(read(fields), ours))
    assert found["messages"] == fields["messages"]
    return found.get("syncMetadata", {}).get("deletedMessageUUIDs")


def test_what_is_back_is_not_deleted_and_our_messages_are() -> None:
    sync = {"deletedMessageUUIDs": ["x", "a", "b"], "deletedSyncedBlobIDs": ["blob"]}
    found = json.loads(expanded(read(RAW | {"syncMetadata": sync}), ("m1", "m2")))
    assert found["syncMetadata"] == sync | {"deletedMessageUUIDs": ["x", "m1", "m2"]}


@pytest.mark.parametrize(
    "sync", [None, {}, {"deletedMessageUUIDs": None}, {"deletedMessageUUIDs": []}]
)
def test_a_chat_without_a_list_of_deletions_gets_one_where_it_needs_one(sync: object) -> None:
    assert deleted(RAW | {"syncMetadata": sync}, "m1") == ["m1"]
    assert deleted(RAW, "m1") == ["m1"]


@pytest.mark.parametrize("sync", [None, {}, {"deletedMessageUUIDs": ["x"]}])
def test_where_nothing_is_to_be_said_no_byte_changes(sync: object) -> None:
    found = read(RAW | {"syncMetadata": sync})
    assert expanded(found, ()) == found.slice(found.span)


def test_ours_are_those_that_say_so() -> None:
    shown = chat(
        user("a", uuid="o", memproc=OPENING),
        user("b", uuid="r", memproc={"kind": "opening"}),
        user("c"),
    )
    assert our_uuids(read_messages(read(shown))) == ("o",)
