"""The person is told what in a chat's settings would spoil its memories."""

import pytest

from daemon.files.read import chats_in
from rules.typingmind.chat import read_messages
from rules.typingmind.warnings import find_warnings, warn_beyond_window
from tests.chats import Json, assistant, chat, export_bytes, long_chat, user
from tests.exports.chats import CHATS, without
from tests.exports.messages import MESSAGES


def warned(fields: Json, indent: int | None = None) -> tuple[str, ...]:
    found = chats_in("x.json", export_bytes(fields, indent=indent))[0]
    return tuple(find_warnings(found, read_messages(found)))


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


def test_typingminds_own_summary_hides_the_memories_before_the_message_that_it_names() -> None:
    named = user("a") | {
        "uuid": MESSAGES["context summary"]["contextSummary"]["contextCutOffAtUUID"]
    }
    (warning,) = warned(chat(named, MESSAGES["context summary"], assistant("b")))
    assert "memories before that message are not sent" in warning
    assert "Internal prompts, and delete the summary" in warning


@pytest.mark.parametrize(
    "said", [MESSAGES["context summary"]["contextSummary"], None, {"contextCutOffAtUUID": None}]
)
def test_a_summary_that_names_no_message_hides_nothing_but_the_next_one_would(said: object) -> None:
    summary = MESSAGES["context summary"] | {"contextSummary": said}
    (warning,) = warned(chat(user("a", uuid="another"), summary, assistant("b")))
    assert "the next summary would stand in the place of the memories" in warning
    assert 'Turn off "Auto summarize long conversations"' in warning
    assert "delete" not in warning


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


def test_a_chat_that_fits_its_window_needs_no_warning() -> None:
    assert warn_beyond_window(1_000, 16_000, 30_000, 49_000) == ""


def test_one_token_more_than_typingmind_sends_is_told_with_its_parts() -> None:
    assert warn_beyond_window(1_000, 16_000, 30_001, 49_000) == (
        "With its memories, the chat has about 47,001 tokens as its model counts them (system message 1,000, memories "
        "16,000, messages 30,001): 1 more than TypingMind sends to a window of 49,000, and the memories are what it "
        "leaves out. Lower tail.tokens or fold.budget in memproc.toml, or choose a model with a larger window."
    )


def test_of_a_small_window_a_fifth_is_kept_free() -> None:
    assert warn_beyond_window(0, 800, 2_400, 4_000) == ""
    assert "1 more" in warn_beyond_window(0, 800, 2_401, 4_000)


def test_the_memories_that_do_not_fit_are_told() -> None:
    warning = warn_beyond_window(135, 1_350, 40_500, 40_000)
    assert "about 41,985 tokens" in warning
    assert "3,985 more" in warning
