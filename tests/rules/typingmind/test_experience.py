"""Only what the agent lived through becomes memory; the rest stays where it is, with the reason."""

import pytest

from rules.typingmind.message import read_message, why_left_out
from tests.chats import json_bytes, user
from tests.exports.messages import MESSAGES

LEFT_OUT = {
    "person, cleared": "excluded from the context by the person",
    "system inside": "a system message inside the chat, which stays in force",
    "training": "an agent's hidden training message, which is always sent",
    "welcome": "an agent's welcome message",
    "organisation's welcome": "an organisation's welcome message",
    "context cleared": "a divider where the context was cleared",
    "context summary": "TypingMind's own context summary",
    "later kind": "of a kind that memproc does not know",
    "empty object": "of a kind that memproc does not know",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_each_shape_is_lived_or_left_out_for_a_reason(name: str) -> None:
    assert why_left_out(read_message(json_bytes(MESSAGES[name]))) == LEFT_OUT.get(name)


def test_a_training_message_is_left_out_for_what_it_is_even_when_cleared() -> None:
    cleared = user("a", type="training-message", contextClearedAt="2024-11-07T09:00:00.000Z")
    assert why_left_out(read_message(json_bytes(cleared))) == LEFT_OUT["training"]
