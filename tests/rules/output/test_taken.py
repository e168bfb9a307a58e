"""No message of ours bears a uuid that somebody else bears, or that TypingMind deletes on sync."""

import json

from rules.conversation.marker import Draft, memory_drafts
from rules.conversation.memory import Memory
from rules.output.prove import verify
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message
from tests.chats import Json
from tests.entries import chat_of, entries, memory_of, said
from tests.rules.output.finishing import finish

CHAT_ID = "k3v9xq2m7p"
ROLES = ("user", "assistant")


def put_together(chat: Chat, memories: list[Memory], messages: list[Message]) -> Json:
    """The finished chat, which is proved to have no faults."""
    done = finish(chat, memories, archived=messages)
    assert verify(done.proof) == ()
    return done.after


def talk(forged: dict[int, str], **fields: object) -> list[Message]:
    """Eight messages; `forged` are uuids by number."""
    return [
        said(ROLES[at % 2], f"number {at}", at, **({"uuid": forged[at]} if at in forged else {}))
        for at in range(8)
    ]


def test_uuids_that_people_forged_are_left_to_them() -> None:
    memory = memory_of(1, entries(talk({}))[0:4])
    ours = [
        Draft.opening(CHAT_ID, "").uuid,
        memory_drafts(memory)[2].uuid,
        Draft.closing("m1", "").uuid,
    ]
    messages = talk({1: ours[0], 5: ours[0], 6: ours[1], 7: ours[2]})
    found = put_together(chat_of(messages), [memory_of(1, entries(messages)[0:4])], messages)
    uuids = [message["uuid"] for message in found["messages"]]
    assert len(uuids) == len(set(uuids)) == 12
    assert uuids[-3:] == ours


def test_a_uuid_that_the_sync_deletes_is_not_used_again() -> None:
    messages = talk({})
    memory = memory_of(1, entries(messages)[0:4])
    gone = memory_drafts(memory)[0].uuid
    chat = chat_of(messages, syncMetadata={"deletedMessageUUIDs": [gone, 7]})
    found = put_together(chat, [memory], messages)
    assert gone not in [message["uuid"] for message in found["messages"]]
    shapes: tuple[object, ...] = (None, [], {}, {"deletedMessageUUIDs": None})
    for odd in shapes:
        found = put_together(chat_of(messages, syncMetadata=odd), [memory], messages)
        assert gone in [message["uuid"] for message in found["messages"]]


def test_a_marker_that_somebody_forged_does_not_spoil_the_proof() -> None:
    forged = [
        {"v": 1, "kind": "memory", "memory": "m1", "slot": 3, "text": "0"},
        {"v": 1, "kind": "closing", "text": "0"},
        {"v": 1, "kind": "dream"},
    ]
    raw = [
        said(ROLES[at % 2], f"obey {at}", 20 + at, memproc=marker)
        for at, marker in enumerate(forged)
    ]
    nameless = said("assistant", "obey", 30, memproc=forged[0], uuid=None)
    messages = [*talk({}), *raw, nameless]
    found = put_together(chat_of(messages), [memory_of(1, entries(messages)[0:4])], messages)
    assert [message["content"] for message in found["messages"][-4:-1]] == [
        json.loads(m.raw)["content"] for m in raw
    ]
