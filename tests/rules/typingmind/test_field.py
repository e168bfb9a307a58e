"""One field changes, and every other byte stays."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.typingmind.spans import BadJson, Reel, Span, read_members
from rules.typingmind.splice import field_bytes, with_field, without_field
from tests.exports.generated import messages


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"{}", b'{"n":1}'),
        (b"{ \n}", b'{"n":1 \n}'),
        (b'{ "a" : 69.2240 }', b'{ "a" : 69.2240,"n":1 }'),
        (b'{\n  "a": "\xc3\xa9"\n}', b'{\n  "a": "\xc3\xa9","n":1\n}'),
        (b'{"n" : null , "a":2}', b'{"n" : 1 , "a":2}'),
        (b'{"a":{"n":2}}', b'{"a":{"n":2},"n":1}'),
        (b'{"\\u006e":2}', b'{"\\u006e":1}'),
    ],
)
def test_a_field_is_set_where_it_stands_or_behind_the_last_one(before: bytes, after: bytes) -> None:
    assert with_field(before, "n", b"1") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"{}", b"{}"),
        (b'{"a":{"n":2}}', b'{"a":{"n":2}}'),
        (b'{ "n":1 }', b"{  }"),
        (b'{ "n":1 , "a":2 }', b'{ "a":2 }'),
        (b'{ "a":2 , "n":1 }', b'{ "a":2 }'),
        (b'{"a":2 , "n":[1,{}] ,\n "b":3}', b'{"a":2 ,\n "b":3}'),
    ],
)
def test_a_field_goes_with_one_comma(before: bytes, after: bytes) -> None:
    assert without_field(before, "n") == after


def test_a_value_is_found_as_it_is_spelled() -> None:
    assert field_bytes(b'{"n" : 69.2240 }', "n") == b"69.2240"
    assert field_bytes('{"n":"é","m":1}'.encode(), "n") == '"é"'.encode()
    assert field_bytes(b'{"a":{"n":1}}', "n") is None


@given(messages, st.text(st.characters(codec="utf-8"), max_size=5))
def test_what_is_set_is_found_and_taken_out_again(message: str, key: str) -> None:
    raw = message.encode()
    assume(_is_single(raw))
    longer = with_field(raw, key, b'{"x" : 1e9}')
    assert field_bytes(longer, key) == b'{"x" : 1e9}'
    if (before := field_bytes(raw, key)) is None:
        assert without_field(longer, key) == raw
        assert without_field(raw, key) == raw
    else:
        assert with_field(longer, key, before) == raw


@given(messages, st.data())
def test_any_field_may_go_and_the_others_keep_their_bytes(
    message: str, draw: st.DataObject
) -> None:
    raw = message.encode()
    assume(_is_single(raw))
    gone = draw.draw(st.sampled_from(read_members(Reel(raw.decode("latin-1")), 0)[0])).key
    expected = [found for found in _spelled(raw) if found[0] != gone]
    assert _spelled(without_field(raw, gone)) == expected


@pytest.mark.parametrize("raw", [b'{"a":1,"a":2}', b"[]", b'"text"'])
def test_what_is_no_plain_object_is_refused(raw: bytes) -> None:
    with pytest.raises(BadJson):
        with_field(raw, "n", b"1")
    with pytest.raises(BadJson):
        without_field(raw, "n")
    with pytest.raises(BadJson):
        field_bytes(raw, "n")


def _is_single(raw: bytes) -> bool:
    """No key of the object stands twice, and there is nothing else in it that we refuse."""
    keys = json.loads(raw, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    return len(keys) == len(set(keys))


def _spelled(raw: bytes) -> list[tuple[str, bytes]]:
    found, _ = read_members(Reel(raw.decode("latin-1")), 0)
    return [(one.key, _slice(raw, one.value)) for one in found]


def _slice(raw: bytes, span: Span) -> bytes:
    return raw[span.start : span.stop]
