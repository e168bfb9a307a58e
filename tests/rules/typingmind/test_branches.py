"""What TypingMind moved into a message's branches is found, however deep, and odd shapes do no harm."""

import json

import pytest
from hypothesis import given

from rules.typingmind.message import Branch, Message, find_branches, read_message
from tests.chats import Json, assistant, json_bytes, user
from tests.exports.generated import messages as generated
from tests.exports.messages import MESSAGES


def thread(*messages: object) -> Json:
    return {
        "messages": list(messages),
        "createdAt": "2026-11-07T09:00:00.000Z",
        "userMessageContent": "Again",
    }


def read(*fields: Json) -> list[Message]:
    return [read_message(json_bytes(one)) for one in fields]


def told(found: tuple[Branch, ...]) -> list[tuple[int, list[str]]]:
    return [(branch.at, [message.text for message in branch.messages]) for branch in found]


def test_a_chat_without_branches_has_none() -> None:
    assert find_branches(read(user("Hello."), assistant("Good morning."))) == ()


def test_each_branch_names_the_message_that_it_hangs_on() -> None:
    talk = read(
        user("Hello.", 1),
        assistant(
            "b",
            1,
            threads=[thread(assistant("left", 2)), thread(user("right", 3), assistant("more", 3))],
        ),
        user("c", 4, threads=[thread(user("end", 5))]),
    )
    assert told(find_branches(talk)) == [(1, ["left"]), (1, ["right", "more"]), (2, ["end"])]


def test_what_hangs_on_a_branch_belongs_to_it() -> None:
    deeper = user(
        "a", 2, threads=[thread(user("b", 3, threads=[thread(user("c", 4))])), thread(user("d", 5))]
    )
    assert told(find_branches(read(user("top", 1, threads=[thread(deeper, user("e", 6))])))) == [
        (0, ["a", "b", "c", "d", "e"])
    ]


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_in_a_branch_reads_as_it_did_in_the_chat(name: str) -> None:
    moved = MESSAGES[name] | {"odd": 1.50}
    (before,) = read(moved)
    (branch,) = find_branches(read(user("top", 1, threads=[thread(moved)])))
    after = branch.messages[0]
    seen = (
        after.uuid,
        after.digest,
        after.role,
        after.type,
        after.created_at,
        after.marker,
        after.parts,
    )
    assert seen == (
        before.uuid, before.digest, before.role, before.type, before.created_at, before.marker, before.parts,
    )  # fmt: skip


@pytest.mark.parametrize(
    "odd", [None, 7, "hello", {}, [], [7], [None], [{}], [{"messages": 7}], [{"messages": None}]]
)
def test_branches_of_another_shape_are_passed_over(odd: object) -> None:
    assert [
        branch.messages for branch in find_branches(read(user("a", threads=odd))) if branch.messages
    ] == []


def test_what_is_no_message_is_passed_over_alone() -> None:
    assert told(find_branches(read(user("a", threads=[thread(7, None, [], user("b", 2))])))) == [
        (0, ["b"])
    ]


def test_a_text_that_speaks_of_branches_is_none() -> None:
    spoken = json.dumps({"threads": [thread(user("not there"))]})
    assert find_branches(read(user(spoken), user('"threads"', 2, memproc={"threads": 7}))) == ()


@given(generated)
def test_whatever_stands_in_a_message_its_branches_are_read(raw: str) -> None:
    inner = read_message(raw.encode())
    outer = b'{"role":"user","threads":[{"messages":[' + inner.raw + b"]}]}"
    (branch,) = find_branches([read_message(outer)])
    assert (branch.messages[0].uuid, branch.messages[0].digest) == (inner.uuid, inner.digest)
