"""Each message of the chosen branch comes: role, text, day and order, by another reading."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import pytest

from rules.bring.chatgpt import read_chatgpt
from rules.bring.claude_ai import read_claude
from rules.bring.conversation import Conversation
from rules.bring.placing import write_chat, write_messages
from rules.typingmind import spans
from rules.typingmind.new_chat import Origin
from tests.foreign import trees
from tests.foreign.oracle import (
    Row,
    expected_of_chatgpt,
    expected_of_claude,
    rows_of_chat,
)

FEW, MANY, PARTS = 1_000, 500_000, 20
"""Trees of each program; and the tests into which the many are parted."""


def rows_of(conversation: Conversation) -> list[Row]:
    messages = write_messages(conversation)
    if not messages:
        return []
    return rows_of_chat(write_chat("id", conversation.title, messages, Origin((("source", "id"),))))


def check(
    seed: int,
    make: Callable[[list[trees.Node], Random], dict[str, Any]],
    read: Callable[[Mapping[str, object]], Conversation],
    expected: Callable[[bytes], list[Row]],
) -> None:
    random = Random(seed)
    text = trees.exported(make(trees.made_nodes(random), random), ascii_only=seed % 2 == 0)
    parsed, _ = spans.value(text.decode(), 0)
    assert isinstance(parsed, list)
    assert rows_of(read(parsed[0])) == expected(text), f"seed {seed}"


def check_both(seeds: range) -> None:
    for seed in seeds:
        check(seed, trees.chatgpt, read_chatgpt, expected_of_chatgpt)
        check(seed, trees.claude, read_claude, expected_of_claude)


@pytest.mark.full
def test_each_message_of_two_thousand_trees_comes_as_it_was() -> None:
    check_both(range(FEW))


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_each_message_of_a_million_trees_comes_as_it_was(part: int) -> None:
    share = MANY // PARTS
    check_both(range(part * share, (part + 1) * share))
