"""Every event goes over a line of JSON and comes back as it was."""

from typing import Any

import pytest

from daemon.events import KINDS, ChatIs, NoEvent, Note, Planned, format_event, parse_event


@pytest.mark.parametrize("name", KINDS)
def test_an_event_comes_back_as_it_was(name: str) -> None:
    kind: Any = KINDS[name]
    event = kind(*(f"{number} Ünïcode\ud800\n" for number in range(len(KINDS[name].__slots__))))
    line = format_event(event, at="now")
    assert line.isascii() and line.endswith("\n") and line.count("\n") == 1
    assert parse_event(line) == (event, {"at": "now"})


def test_lists_come_back_as_tuples() -> None:
    event = Planned("abc", "T", 1, 4, warnings=("one", "two"))
    assert parse_event(format_event(event)) == (event, {})


def test_what_another_version_has_added_or_left_out_does_no_harm() -> None:
    assert parse_event(
        '{"is": "ChatIs", "chat_id": "a", "title": "T", "kind": "written", "new": 1}'
    ) == (
        ChatIs("a", "T", "written"),
        {"new": 1},
    )


@pytest.mark.parametrize(
    "line",
    ["", "{", "[]", "1", "{}", '{"is": "Unheard"}', '{"is": "Note"}', '{"is": []}', "[" * 99999],
)
def test_a_line_that_is_no_event_is_told_apart(line: str) -> None:
    with pytest.raises(NoEvent):
        parse_event(line)
    assert parse_event(format_event(Note("x"))) == (Note("x"), {})
