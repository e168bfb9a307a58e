"""What is not replaced stays byte for byte."""

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.files.read import chats_in
from rules.typingmind import spans
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.originals import add_deleted_uuids
from rules.typingmind.spans import Span
from rules.typingmind.splice import ByteEdit, replace_field, replace_messages, splice
from tests.chats import Json, chat, conversation, export_bytes, user
from tests.exports.files import CONTAINERS
from tests.exports.generated import exports

_NEW = b'{"role":"user","content":"new"}'


def chat_in(data: bytes) -> Chat:
    return chats_in("x.json", data)[0]


def raws(found: Chat) -> list[bytes]:
    return [found.slice(span) for span in found.messages]


def read_again(chat_bytes: bytes) -> Chat:
    return chat_in(b'{"data":{"chats":[' + chat_bytes + b"]}}")


def with_messages(found: Chat, kept: Sequence[int | None]) -> bytes:
    old = raws(found)
    return splice(
        found, [replace_messages(found, kept, [_NEW if at is None else old[at] for at in kept])]
    )


def same_at_both_ends(found: Chat, kept: Sequence[int | None]) -> tuple[int, int]:
    """How many messages stay at the beginning, and how many of the others at the end."""
    count = len(found.messages)
    prefix = next((at for at, index in enumerate(kept) if index != at), len(kept))
    rest = list(kept[prefix:])
    suffix = next(
        (n for n, index in enumerate(reversed(rest)) if index != count - 1 - n), len(rest)
    )
    return prefix, min(suffix, count - prefix)


def check_splicing(data: bytes, draw: st.DataObject) -> None:
    """Any choice of messages to keep, with new ones among them: all other bytes are the input's own."""
    for found in chats_in("x.json", data):
        count = len(found.messages)
        assert splice(found, []) == with_messages(found, range(count)) == found.slice(found.span)
        staying = draw.draw(st.lists(st.booleans(), min_size=count, max_size=count))
        kept: list[int | None] = [at for at in range(count) if staying[at]]
        for place in draw.draw(st.lists(st.integers(0, len(kept)), max_size=2 if count else 0)):
            kept.insert(place, None)

        finished = with_messages(found, kept)
        again = read_again(finished)
        old = raws(found)
        assert raws(again) == [_NEW if at is None else old[at] for at in kept]
        assert [again.slice(one.value) for one in again.members if one.key != "messages"] == [
            found.slice(one.value) for one in found.members if one.key != "messages"
        ]
        if count:
            prefix, suffix = same_at_both_ends(found, kept)
            first = found.messages[prefix - 1].stop if prefix else found.messages[0].start
            last = found.messages[-suffix].start if suffix else found.messages[-1].stop
            assert finished.startswith(found.slice(Span(found.span.start, first)))
            assert finished.endswith(found.slice(Span(last, found.span.stop)))


@given(exports, st.data())
def test_splicing_is_the_identity_outside_the_span(data: bytes, draw: st.DataObject) -> None:
    check_splicing(data, draw)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(exports, st.data())
def test_splicing_is_the_identity_outside_the_span_at_length(
    data: bytes, draw: st.DataObject
) -> None:
    check_splicing(data, draw)


@pytest.mark.parametrize("name", CONTAINERS)
def test_no_change_is_no_change_in_any_shape(name: str) -> None:
    for found in chats_in(name, CONTAINERS[name]):
        messages = read_messages(found)
        edit = replace_messages(found, range(len(messages)), [message.raw for message in messages])
        assert splice(found, [edit]) == found.slice(found.span)


@given(exports)
def test_new_dates_and_sync_data_leave_all_other_fields_alone(data: bytes) -> None:
    for found in chats_in("x.json", data):
        again = read_again(
            splice(
                found,
                [*replace_field(found, "updatedAt", "now"), *add_deleted_uuids(found, ["u1"])],
            )
        )
        ours = {"updatedAt", "syncMetadata"}
        assert [
            (one.key, again.slice(one.value)) for one in again.members if one.key not in ours
        ] == [(one.key, found.slice(one.value)) for one in found.members if one.key not in ours]
        sync = again.field("syncMetadata")
        assert isinstance(sync, dict)
        assert sync["deletedMessageUUIDs"][-1] == "u1"


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([0, 1, 2], b"[1 , 2,3 ]"),
        ([None, 2], b"[N,3 ]"),
        ([0, None, 2], b"[1 , N,3 ]"),
        ([0, None, None, 2], b"[1 , N , N,3 ]"),
        ([0, 2], b"[1,3 ]"),
        ([2], b"[3 ]"),
        ([0], b"[1 ]"),
        ([], b"[ ]"),
        ([0, 1, 2, None], b"[1 , 2,3 , N ]"),
        ([0, None, 1, 2], b"[1 , N , 2,3 ]"),
        ([None, 0, 1, 2], b"[N , 1 , 2,3 ]"),
    ],
)
def test_commas_go_and_come_with_their_messages(kept: list[int | None], expected: bytes) -> None:
    found = chat_in(b'{"data":{"chats":[{"id":"a","messages":[1 , 2,3 ]}]}}')
    edit = replace_messages(
        found, kept, [b"N" if at is None else b"123"[at : at + 1] for at in kept]
    )
    assert splice(found, [edit]) == b'{"id":"a","messages":' + expected + b"}"


def test_edits_that_overlap_are_a_mistake() -> None:
    found = chat_in(export_bytes(chat(user("a"))))
    whole = ByteEdit(found.span, b"")
    with pytest.raises(ValueError, match="overlap"):
        splice(found, [whole, whole])


def test_a_field_that_is_not_there_is_not_added() -> None:
    found = chat_in(b'{"data":{"chats":[{"id":"a"}]}}')
    assert replace_field(found, "updatedAt", "now") == []


def test_a_replaced_field_may_say_anything() -> None:
    found = chat_in(b'{"data":{"chats":[{"updatedAt" : 1e3 , "x":69.2240}]}}')
    assert (
        splice(found, replace_field(found, "updatedAt", "é"))
        == '{"updatedAt" : "é" , "x":69.2240}'.encode()
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"id":"a"}', b'{"id":"a","syncMetadata":{"deletedMessageUUIDs":["u1","u2"]}}'),
        (b'{"syncMetadata":null}', b'{"syncMetadata":{"deletedMessageUUIDs":["u1","u2"]}}'),
        (b'{"syncMetadata":{ }}', b'{"syncMetadata":{"deletedMessageUUIDs":["u1","u2"] }}'),
        (
            b'{"syncMetadata":{"x":1e9}}',
            b'{"syncMetadata":{"deletedMessageUUIDs":["u1","u2"],"x":1e9}}',
        ),
        (
            b'{"syncMetadata":{"deletedMessageUUIDs":[ ],"x":1}}',
            b'{"syncMetadata":{"deletedMessageUUIDs":["u1","u2" ],"x":1}}',
        ),
        (
            b'{"syncMetadata":{"deletedMessageUUIDs":[ "\\u0061", 1e2, "u1" ]}}',
            b'{"syncMetadata":{"deletedMessageUUIDs":[ "\\u0061", 1e2, "u1","u2" ]}}',
        ),
        (
            b'{"syncMetadata":{"deletedMessageUUIDs":null}}',
            b'{"syncMetadata":{"deletedMessageUUIDs":["u1","u2"]}}',
        ),
    ],
)
def test_deleted_uuids_are_added_to_those_that_stand_there(before: bytes, after: bytes) -> None:
    found = read_again(before)
    assert splice(found, add_deleted_uuids(found, ["u1", "u2"])) == after


def test_uuids_that_stand_there_already_change_nothing() -> None:
    found = read_again(b'{"syncMetadata":{"deletedMessageUUIDs":["u1"]}}')
    assert add_deleted_uuids(found, ["u1"]) == []
    assert add_deleted_uuids(found, []) == []


def test_more_than_a_hundred_deleted_uuids_are_all_kept() -> None:
    found = chat_in(CONTAINERS["many deleted uuids"])
    sync = read_again(splice(found, add_deleted_uuids(found, ["u1"]))).field("syncMetadata")
    assert isinstance(sync, dict)
    assert len(sync["deletedMessageUUIDs"]) == 121
    assert sync["other"] == "1"


@pytest.mark.full
def test_ten_thousand_messages_are_spliced_as_few_are() -> None:
    long: Json = chat(*conversation(5000, 40))
    found = chat_in(export_bytes(long, indent=2))
    finished = with_messages(found, [0, None, *range(9000, 10_000)])
    again = spans.value(finished.decode("latin-1"), 0)[0]
    assert isinstance(again, dict)
    assert len(again["messages"]) == 1002
