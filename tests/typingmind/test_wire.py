"""Import, export and what other programs do to the file, held to the format: sections 1.1, 2.1 to 2.3."""

import json

import pytest

from tests.chats import CHAT_ID, Json, chat, conversation, export_bytes, long_chat, written
from tests.exports.chats import CHATS
from tests.exports.files import chunked_zip
from tests.typingmind import TypingMind, jsonb, strip_markers
from tests.typingmind.wire import NotAnArchive


def through(export: bytes) -> bytes:
    device = TypingMind(1)
    device.bring_in(export)
    return device.export()


def test_a_chat_that_nobody_touched_comes_out_in_the_same_bytes() -> None:
    export = export_bytes(long_chat(5_000, tokenUsage=None, memproc={"v": 1}))
    assert through(export) == export


@pytest.mark.parametrize("name", CHATS)
def test_what_was_exported_once_stays_as_it_is(name: str) -> None:
    once = through(export_bytes(CHATS[name], ascii_only="surrogate" in name))
    assert through(once) == once


def test_an_export_is_on_one_line_with_nothing_escaped_that_need_not_be() -> None:
    export = through(
        export_bytes(chat(chatTitle="Zoë's \u2028 lamp / \x07"), indent=2, ascii_only=True)
    )
    assert b'"chatTitle":"Zo\xc3\xab\'s \xe2\x80\xa8 lamp / \\u0007"' in export
    assert export.startswith(b'{"data":{"chats":[{"id":')


def test_half_a_surrogate_pair_stays_an_escape() -> None:
    assert b'"half \\ud83d"' in through(
        export_bytes(chat(chatTitle="half \ud83d"), ascii_only=True)
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("69.2240", "69.224"),
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1E400", "null"),
        ("9007199254740993", "9007199254740992"),
        ("123456789012345678901", "123456789012345680000"),
        ("1e21", "1e+21"),
        ("0.00003", "0.00003"),
        ("-0.0000015", "-0.0000015"),
        ("0.00000015", "1.5e-7"),
    ],
)
def test_a_number_is_spelled_as_a_browser_spells_it(before: str, after: str) -> None:
    export = through(export_bytes(chat(money=written(before), preview="costs ,1e-05, or so")))
    assert f'"money":{after},'.encode() in export + b"," or f'"money":{after}}}'.encode() in export
    assert b"costs ,1e-05, or so" in export


def test_keys_that_are_whole_numbers_come_first() -> None:
    export = through(export_bytes(chat(odd={"b": 1, "10": 2, "9": 3, "09": 4})))
    assert b'"odd":{"9":3,"10":2,"b":1,"09":4}' in export


def test_an_import_replaces_the_whole_chat_and_leaves_the_others() -> None:
    device = TypingMind(1)
    device.bring_in(export_bytes(chat(*conversation(3, 80), note="mine"), chat(id="b", chatID="b")))
    device.bring_in(export_bytes(chat(*conversation(1, 80))))
    assert set(device.chats) == {CHAT_ID, "b"}
    assert len(device.messages(CHAT_ID)) == 2
    assert "note" not in device.chat(CHAT_ID)


def test_an_imported_chat_is_not_synced() -> None:
    device = TypingMind(1)
    device.bring_in(export_bytes(chat(syncedAt="2026-01-01T00:00:00.000Z")))
    assert device.chat(CHAT_ID)["syncedAt"] is None


def test_of_two_chats_with_one_id_the_last_is_stored_and_a_chat_without_id_is_stored_as_undefined() -> (
    None
):
    nameless = {key: value for key, value in chat().items() if key != "chatID"}
    device = TypingMind(1)
    device.bring_in(export_bytes(chat(chatTitle="One"), chat(chatTitle="Two"), nameless))
    assert device.chat(CHAT_ID)["chatTitle"] == "Two"
    assert set(device.chats) == {CHAT_ID, "undefined"}


@pytest.mark.parametrize(
    "export",
    [
        json.dumps({"chats": [CHATS["plain"]]}).encode(),
        b"\xef\xbb\xbf" + json.dumps({"data": {"chats": [CHATS["plain"]]}}).encode(),
        json.dumps(
            {"checksum": "0", "data": {"chats": [CHATS["plain"]], "chatsInFolder": []}}
        ).encode(),
        chunked_zip([CHATS["plain"]], []),
    ],
)
def test_every_container_can_be_imported(export: bytes) -> None:
    device = TypingMind(1)
    device.bring_in(export)
    assert set(device.chats) == {CHAT_ID}


@pytest.mark.parametrize(
    "export", [b"", b"{", b'{"messages":[]}', b'{"chats":[{"n":NaN}]}', b"[1]"]
)
def test_what_is_no_archive_is_refused(export: bytes) -> None:
    with pytest.raises(NotAnArchive):
        TypingMind(1).bring_in(export)


def test_only_the_chats_asked_for_are_exported() -> None:
    device = TypingMind(1)
    first, second = device.begin("One"), device.begin("Two")
    assert [one["chatID"] for one in exported(device.export(second))] == [second]
    assert [one["chatID"] for one in exported(device.export())] == [first, second]


def test_a_synced_chat_has_its_keys_by_length_and_then_by_bytes() -> None:
    ordered = jsonb(
        export_bytes(chat(*conversation(1, 80), odd={"bb": 1, "é": 2, "a": 3, "aa": 4}))
    )
    assert list(exported(ordered)[0]["odd"]) == ["a", "aa", "bb", "é"]
    assert list(exported(ordered)[0]["messages"][0]) == ["role", "uuid", "content", "createdAt"]


def test_a_tool_that_drops_our_fields_drops_nothing_else() -> None:
    plain = chat(*conversation(1, 80), tokenUsage=None)
    marked = plain | {
        "memproc": {"v": 1},
        "messages": [one | {"memproc": {"v": 1}} for one in plain["messages"]],
    }
    marked["messages"][0] |= {"threads": [{"messages": [marked["messages"][1]]}]}
    plain["messages"][0] |= {"threads": [{"messages": [plain["messages"][1]]}]}
    assert strip_markers(export_bytes(marked)) == export_bytes(plain)


def exported(export: bytes) -> list[Json]:
    found: list[Json] = json.loads(export)["data"]["chats"]
    return found
