"""The history is what the archive holds under memories, and then what the export adds to it."""

import pytest

from rules.errors import ChatSetAside
from rules.export.message import read_message
from rules.history.entries import Entry, Past, history
from rules.history.marker import OPENING, Marker, text_digest, write_marker
from rules.history.recognise import Place, recognise
from tests.chats import Json, json_bytes, user
from tests.exports.messages import MESSAGES

_MARKER = Marker(OPENING, text_digest("ours"))
_OURS = user("ours", 99, memproc=write_marker(_MARKER))


def places(*fields: Json) -> tuple[Place, ...]:
    return recognise([read_message(json_bytes(one)) for one in fields], {_OURS["uuid"]: _MARKER})


def said(*numbers: int) -> list[Json]:
    return [user(f"word {number}", number) for number in numbers]


def past(*numbers: int, memory: int = 1) -> list[Past]:
    return [Past(place.key, place.message, memory) for place in places(*said(*numbers))]


def told(entries: tuple[Entry, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(entry.message.text.removeprefix("word "), entry.memory, entry.at) for entry in entries]


def test_without_a_past_the_export_is_the_history() -> None:
    assert told(history([], places(*said(1, 2)))) == [("1", None, 0), ("2", None, 1)]


def test_what_stands_under_memories_comes_from_the_archive() -> None:
    entries = history([*past(1, 2), *past(3, memory=2)], places(_OURS, *said(4, 5)))
    assert told(entries) == [("1", 1, None), ("2", 1, None), ("3", 2, None), ("4", None, 1), ("5", None, 2)]


def test_an_older_export_with_the_raw_messages_counts_them_once() -> None:
    assert told(history(past(1, 2), places(*said(1, 2, 3)))) == [("1", 1, 0), ("2", 1, 1), ("3", None, 2)]


def test_what_is_ours_or_left_out_is_no_history() -> None:
    found = history([], places(_OURS, MESSAGES["training"], MESSAGES["person, cleared"], *said(1)))
    assert told(found) == [("1", None, 3)]


def test_a_message_that_has_gone_from_the_export_stays_in_the_history() -> None:
    assert told(history(past(1, 2), places(*said(2, 3)))) == [("1", 1, None), ("2", 1, 0), ("3", None, 1)]


def test_new_messages_before_old_ones_set_the_chat_aside() -> None:
    with pytest.raises(ChatSetAside, match="2 messages of this export stand before messages that are already under"):
        history(past(1, 2), places(*said(1, 8, 9, 2, 3)))


def test_an_empty_chat_has_no_history() -> None:
    assert history([], ()) == ()
