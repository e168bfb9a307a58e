"""Every container is read, every byte of it accounted for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files.read import chats_in
from rules.errors import ChatSkipped, NotAnExport
from rules.plan.chat_plan import doubled_ids, refuse_doubled
from rules.typingmind.chat import read_messages
from rules.typingmind.document import lay_out_chunk, lay_out_document
from rules.typingmind.spans import BadJson
from tests.chats import Json, chat, conversation, export_bytes, json_bytes, long_chat, user
from tests.exports.chats import CHATS
from tests.exports.files import CONTAINERS
from tests.exports.generated import exports


def _chats_as_json(data: bytes) -> list[Json]:
    root = json.loads(data.decode("utf-8-sig"), parse_int=str, parse_float=str)
    chats: list[Json] = root.get("data", root)["chats"]
    return chats


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_its_chats_and_their_messages_as_they_stand(name: str) -> None:
    data = CONTAINERS[name]
    chats = chats_in(name, data)
    expected = _chats_as_json(data)

    assert [
        json.loads(one.slice(one.span), parse_int=str, parse_float=str) for one in chats
    ] == expected
    for one, fields in zip(chats, expected, strict=True):
        assert [member.key for member in one.members] == list(fields)
        raws = [
            json.loads(message.raw, parse_int=str, parse_float=str)
            for message in read_messages(one)
        ]
        assert raws == fields.get("messages", [])


@given(exports)
def test_any_export_is_read_to_the_byte(data: bytes) -> None:
    chats = chats_in("x.json", data)
    expected = _chats_as_json(data)
    assert [one.field("chatID") for one in chats] == [fields["chatID"] for fields in expected]
    for one, fields in zip(chats, expected, strict=True):
        slices = [one.slice(span) for span in one.messages]
        assert [json.loads(raw, parse_int=str, parse_float=str) for raw in slices] == fields[
            "messages"
        ]
        assert [message.raw for message in read_messages(one)] == slices


def test_odd_numbers_stand_as_they_are_spelled() -> None:
    (found,) = chats_in("x.json", export_bytes(CHATS["odd numbers"]))
    member = found.member("money")
    assert member is not None
    assert (
        found.slice(member.value)
        == b"[69.2240,9007199254740993,1E400,-0,1e5,-0.0," + b"1" * 5000 + b"]"
    )


def test_other_sections_of_a_full_export_are_not_read_as_chats() -> None:
    chats = chats_in("x.json", CONTAINERS["full, with secrets"])
    assert [one.title for one in chats] == ["The lighthouse", "The second"]


def test_an_export_without_chats_is_an_export() -> None:
    assert chats_in("x.json", CONTAINERS["no chats chosen"]) == ()


def test_a_chunked_export_names_its_parts() -> None:
    data = json_bytes(
        {"data": {"folders": [], "chats": {"chunks": ["chunks/a.json", "chunks/b.json"]}}}
    )
    layout = lay_out_document("x.json", [data])
    assert (layout.chat_ids, layout.chunks) == ((), ("chunks/a.json", "chunks/b.json"))


def test_a_part_is_a_bare_array_of_chats() -> None:
    layout = lay_out_chunk("x.json", [b"\xef\xbb\xbf " + json_bytes([chat(), chat()], indent=2)])
    assert len(layout.chat_ids) == 2


@pytest.mark.parametrize("data", [b"{}", b"[] x", b"", b"[{}", b'[{"messages":[],"messages":[]}]'])
def test_what_is_no_array_of_chats_is_no_part(data: bytes) -> None:
    with pytest.raises((NotAnExport, BadJson)):
        lay_out_chunk("x.json", [data])


_WHOLE = json_bytes(
    {
        "data": {
            "chats": [chat(user("Grüße 🌊 \\ \u2028", 1), numbers=[True, None, -1.5e-7, False])]
        }
    },
    indent=1,
).replace(b"true", b' "\\u12ab\\ud83d\\ude00", true')


@given(st.integers(1, len(_WHOLE) - 1))
def test_an_export_that_stops_anywhere_is_told_to_be_cut_off(size: int) -> None:
    """A download that goes on: whatever the last byte is, the person is told to wait."""
    with pytest.raises(NotAnExport) as caught:
        chats_in("x.json", _WHOLE[:size])
    assert (
        caught.value.message
        == f"x.json is cut off: it stops at byte {size:,}, and its JSON is not closed."
    )
    assert "wait" in caught.value.next_step


@given(
    st.binary(max_size=60)
    | st.builds(
        lambda head, tail: head + tail, st.just(b'{"data":{"chats":['), st.binary(max_size=40)
    )
)
def test_no_bytes_bring_anything_but_a_refusal(data: bytes) -> None:
    try:
        chats_in("x.json", data)
    except NotAnExport as refusal:
        assert refusal.message.startswith("x.json is ")
        assert refusal.next_step
    else:
        assert json.loads(data.decode("utf-8-sig"))


def test_chats_that_bear_one_id_are_found() -> None:
    ids = [{"chatID": "a"}, {"chatID": "b"}, {"id": "a"}, {"id": "c", "chatID": "d"}, {"id": "c"}]
    layout = lay_out_document("x.json", [json_bytes({"data": {"chats": ids}})])
    assert doubled_ids(layout.chat_ids) == {"a"}


def test_a_chat_above_three_mebibytes_is_read() -> None:
    (found,) = chats_in("x.json", export_bytes(long_chat(700_000, tokens_each=2000)))
    assert found.span.stop - found.span.start > 3 << 20
    assert len(found.messages) == 700


@pytest.mark.full
def test_ten_thousand_messages_are_read() -> None:
    (found,) = chats_in("x.json", export_bytes(chat(*conversation(5000, 40))))
    assert len(read_messages(found)) == 10_000


def test_of_two_chats_with_one_id_neither_is_worked_on() -> None:
    (read,) = chats_in("one", export_bytes(chat()))
    refuse_doubled(read, frozenset({"another"}))
    with pytest.raises(ChatSkipped) as refusal:
        refuse_doubled(read, frozenset({read.chat_id}))
    assert refusal.value.message == (
        f"This export has two chats with the id {read.chat_id}; TypingMind would keep only one."
    )
    assert refusal.value.next_step == "Export the chat that you mean by itself."
