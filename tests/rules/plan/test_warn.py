"""The person is told what in a chat's settings would spoil its memories."""

import pytest

from rules.export.chat import read_messages
from rules.export.document import read_document
from rules.history.recognise import recognise
from rules.plan.warn import warnings
from tests.chats import Json, assistant, chat, export_bytes, long_chat, user
from tests.exports.chats import CHATS, without
from tests.exports.messages import MESSAGES


def warned(fields: Json, indent: int | None = None) -> tuple[str, ...]:
    found = read_document("x.json", export_bytes(fields, indent=indent)).chats[0]
    return warnings(found, recognise(read_messages(found), {}))


def test_a_plain_chat_needs_no_warning() -> None:
    assert warned(CHATS["plain"]) == ()


@pytest.mark.parametrize("limit", [20, "20"])
def test_a_context_limit_would_cut_the_memories_off(limit: object) -> None:
    (warning,) = warned(chat(user("a"), chatParams={"contextLimit": limit}))
    assert warning == (
        "The chat's context limit is 20 messages, so memories at its beginning are never sent. "
        "Set the limit to 0 in the chat's model settings."
    )


@pytest.mark.parametrize(
    "parameters", [None, {}, [], {"contextLimit": None}, {"contextLimit": 0}, {"contextLimit": ""}]
)
def test_without_a_context_limit_there_is_nothing_to_warn_of(parameters: object) -> None:
    assert warned(chat(user("a"), chatParams=parameters)) == ()
    assert warned(without(chat(user("a")), "chatParams")) == ()


def test_typingminds_own_summary_would_hide_the_memories() -> None:
    (warning,) = warned(chat(user("a"), MESSAGES["context summary"], assistant("b")))
    assert "Context Summary" in warning
    assert "Turn it off" in warning


@pytest.mark.parametrize("indent", [None, 2])
def test_an_answer_that_was_still_being_written_is_told(indent: int | None) -> None:
    (warning,) = warned(chat(user("a"), MESSAGES["Claude, incomplete"]), indent)
    assert "while an answer was being written" in warning


def test_an_answer_that_is_on_its_way_is_told() -> None:
    (warning,) = warned(CHATS["still answering"])
    assert "Export it again when the answer is complete." in warning


@pytest.mark.parametrize("noted", [None, {}, [], {"incomplete": False}, {"incomplete": None}])
def test_an_answer_that_is_complete_is_not_told(noted: object) -> None:
    assert warned(chat(assistant("a", tmMetadata=noted))) == ()


def test_an_answer_that_was_broken_off_long_ago_is_not_told() -> None:
    assert warned(chat(MESSAGES["Claude, incomplete"], user("Go on."))) == ()


def test_a_chat_that_sync_would_skip_is_told() -> None:
    (warning,) = warned(long_chat(700_000, tokens_each=2000))
    assert warning.startswith("The chat has 3.")
    assert "sync" in warning


def test_an_empty_chat_needs_no_warning() -> None:
    assert warned(chat()) == ()
