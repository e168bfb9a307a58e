"""Originals that stay beside their memory: marked, and given back as they were."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.errors import ChatSkipped
from rules.typingmind.message import read_message
from rules.typingmind.originals import is_original, kept_original, plain_original
from tests.chats import json_bytes, user
from tests.exports.generated import messages
from tests.exports.messages import MESSAGES

NOW = "2026-04-01T12:00:00.000Z"
MARKER = b'"memproc":{"v":1,"kind":"original","memory":"m1"}'


def kept(raw: bytes) -> bytes:
    return kept_original(raw, NOW, "m1")


def is_single(raw: bytes) -> bool:
    keys = json.loads(raw, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    return len(keys) == len(set(keys))


def is_a_kept_message(raw: bytes) -> bool:
    return is_original(read_message(raw).marker)


@given(messages)
def test_an_original_comes_back_byte_for_byte(message: str) -> None:
    raw = message.encode()
    assume(is_single(raw))
    assume(not is_a_kept_message(raw))
    assert plain_original(kept(raw)) == raw
    assert plain_original(raw) == raw


@given(messages, st.sampled_from(["null", '""', "false", '"2020-01-01"', "{}", "[ ]"]))
def test_a_context_cleared_before_or_not_quite_comes_back_as_it_was_spelled(
    message: str, cleared: str
) -> None:
    raw = message.encode()
    assume(is_single(raw))
    raw = raw.replace(b"{", b'{"contextClearedAt": %s , ' % cleared.encode(), 1)
    assert is_single(raw)
    assert read_message(kept(raw)).cleared
    assert plain_original(kept(raw)) == raw


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", MESSAGES)
def test_every_shape_of_message_can_be_kept(name: str, indent: int | None) -> None:
    raw = json_bytes(MESSAGES[name], indent=indent)
    before, after = read_message(raw), read_message(kept(raw))
    assert after.cleared
    assert is_original(after.marker)
    assert (after.digest, after.uuid, after.parts) == (before.digest, before.uuid, before.parts)
    assert plain_original(kept(raw)) == raw


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b'{"role":"user" }',
            b'{"role":"user","contextClearedAt":"' + NOW.encode() + b'",' + MARKER + b" }",
        ),
        (b"{ }", b'{"contextClearedAt":"' + NOW.encode() + b'",' + MARKER + b" }"),
        (b"{\n}", b'{"contextClearedAt":"' + NOW.encode() + b'",' + MARKER + b"\n}"),
        (
            b'{"contextClearedAt":"2020","a":69.2240}',
            b'{"contextClearedAt":"2020","a":69.2240,' + MARKER[:-1] + b',"cleared":true}}',
        ),
        (
            b'{"contextClearedAt": null}',
            b'{"contextClearedAt": "%s",%s,"was":{"contextClearedAt":null}}}'
            % (NOW.encode(), MARKER[:-1]),
        ),
        (
            b'{"memproc":[1e5],"a":1}',
            b'{%s,"was":{"memproc":[1e5]}},"a":1,"contextClearedAt":"%s"}'
            % (MARKER[:-1], NOW.encode()),
        ),
    ],
)
def test_the_two_fields_stand_behind_the_message_s_own(before: bytes, after: bytes) -> None:
    assert kept(before) == after
    assert plain_original(after) == before


def test_what_the_person_excluded_stays_excluded_with_their_date() -> None:
    raw = json_bytes(user("never mind", contextClearedAt="2025-01-01T00:00:00.000Z"))
    assert json.loads(kept(raw))["contextClearedAt"] == "2025-01-01T00:00:00.000Z"
    assert json.loads(plain_original(kept(raw)))["contextClearedAt"] == "2025-01-01T00:00:00.000Z"


fields = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=6),
    max_size=4,
)


@given(fields, st.booleans(), st.data())
def test_other_orders_of_keys_and_an_edit_do_not_hide_what_we_added(
    more: dict[str, Any], cleared: bool, draw: st.DataObject
) -> None:
    message = user("Hello.") | more | ({"contextClearedAt": "2025"} if cleared else {})
    assume("memproc" not in more)
    stored: dict[str, Any] = json.loads(kept(json_bytes(message))) | {
        "updatedAt": NOW,
        "content": "Edited.",
    }
    stored["memproc"] = dict(reversed(stored["memproc"].items()))
    order = draw.draw(st.permutations(list(stored)))
    expected = message | {"updatedAt": NOW, "content": "Edited."}
    found = plain_original(json_bytes({key: stored[key] for key in order}))
    assert found == json_bytes({key: expected[key] for key in order if key in expected})


def test_a_message_included_again_by_the_person_is_plain_all_the_same() -> None:
    raw = json_bytes(user("Hello."))
    again = json.loads(kept(raw))
    del again["contextClearedAt"]
    assert plain_original(json_bytes(again)) == raw


def test_keeping_twice_is_keeping_once_under_the_newer_memory() -> None:
    raw = json_bytes(user("Hello.", contextClearedAt=None), indent=1)
    assert kept(kept(raw)) == kept(raw)
    assert kept_original(kept(raw), "later", "m2") == kept_original(raw, "later", "m2")


@pytest.mark.parametrize(
    "field",
    [
        {"v": 1, "kind": "memory", "memory": "m1", "slot": 1, "text": "x"},
        {"v": 2, "kind": "original", "memory": "m1"},
        {"v": 1, "kind": "original", "memory": ""},
        {"v": 1, "kind": "original", "memory": ["m1"]},
        {"v": 1, "kind": "original"},
        {},
        "original",
        None,
    ],
)
def test_a_message_that_we_did_not_keep_is_returned_as_it_is(field: object) -> None:
    raw = json_bytes(user("Hello.", contextClearedAt=NOW, memproc=field), indent=2)
    assert not is_a_kept_message(raw)
    assert plain_original(raw) == raw
    assert plain_original(kept(raw)) == raw


@pytest.mark.parametrize("was", [5, None, [], "x", {}, {"contextClearedAt": 5}])
def test_an_odd_account_of_what_was_there_does_no_harm(was: object) -> None:
    marker = {"v": 1, "kind": "original", "memory": "m1", "was": was}
    found = json.loads(
        plain_original(json_bytes(user("Hello.", contextClearedAt=NOW, memproc=marker)))
    )
    expected = user("Hello.")
    assert found == (expected | was if isinstance(was, dict) else expected)


def test_a_message_that_has_no_such_field_is_no_original() -> None:
    assert not is_original(None)
    assert is_original({"v": "1", "kind": "original", "memory": "m1"})


def test_a_message_with_a_key_that_stands_twice_is_skipped_without_its_words() -> None:
    raw = b'{"uuid":"u-1","secret":"words","secret":"more words"}'
    with pytest.raises(ChatSkipped, match="u-1") as fault:
        kept(raw)
    assert "secret" not in str(fault.value)
    assert "words" not in str(fault.value)
    assert plain_original(raw) == raw
    with pytest.raises(ChatSkipped, match="without a uuid"):
        plain_original(b'{"a":1,"a":2,' + MARKER + b"}")
