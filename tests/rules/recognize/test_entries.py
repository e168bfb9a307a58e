"""The history is what the archive holds under memories, and then what the export adds to it."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import (
    INSERTED,
    Entry,
    Past,
    Place,
    build_history,
    mark_strays,
    update_past,
)
from rules.conversation.marker import MEMORY, OPENING, Marker, text_digest, write_marker
from rules.recognize.recognize import recognize
from rules.typingmind.message import read_message
from tests.chats import Json, assistant, json_bytes, user
from tests.exports.messages import MESSAGES

_MARKER = Marker(OPENING, text_digest("ours"))
_OURS = user("ours", 99, memproc=write_marker(_MARKER))


def places(*fields: Json) -> tuple[Place, ...]:
    return recognize([read_message(json_bytes(one)) for one in fields], {_OURS["uuid"]: _MARKER})


def said(*numbers: int) -> list[Json]:
    return [user(f"word {number}", number) for number in numbers]


def past(*numbers: int, memory: int = 1) -> list[Past]:
    return [
        Past(place.key, place.message, memory, place.message, (place.message.digest,))
        for place in places(*said(*numbers))
    ]


def memory() -> list[Json]:
    texts = [f"slot {slot}" for slot in range(1, 7)]
    markers = [
        Marker(MEMORY, text_digest(text), "m1", slot=slot) for slot, text in enumerate(texts, 1)
    ]
    both = zip(texts, markers, strict=True)
    return [
        (user, assistant)[slot % 2](text, 200 + slot, memproc=write_marker(marker))
        for slot, (text, marker) in enumerate(both)
    ]


def strays(old: list[Past], *fields: Json) -> list[str]:
    """What is left out, since it was inserted among messages that stand under memories."""
    return [
        place.message.text
        for place in mark_strays(old, places(*fields))
        if place.left_out == INSERTED
    ]


def told(entries: tuple[Entry, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(entry.message.text.removeprefix("word "), entry.memory, entry.at) for entry in entries]


def test_without_a_past_the_export_is_the_history() -> None:
    assert told(build_history([], places(*said(1, 2)))) == [("1", None, 0), ("2", None, 1)]


def test_what_stands_under_memories_comes_from_the_archive() -> None:
    entries = build_history([*past(1, 2), *past(3, memory=2)], places(_OURS, *said(4, 5)))
    assert told(entries) == [
        ("1", 1, None),
        ("2", 1, None),
        ("3", 2, None),
        ("4", None, 1),
        ("5", None, 2),
    ]


def test_an_older_export_with_the_raw_messages_counts_them_once() -> None:
    assert told(build_history(past(1, 2), places(*said(1, 2, 3)))) == [
        ("1", 1, 0),
        ("2", 1, 1),
        ("3", None, 2),
    ]


def test_what_is_ours_or_left_out_is_no_history() -> None:
    found = build_history(
        [], places(_OURS, MESSAGES["training"], MESSAGES["person, cleared"], *said(1))
    )
    assert told(found) == [("1", None, 3)]


def test_a_message_that_has_gone_from_the_export_stays_in_the_history() -> None:
    assert told(build_history(past(1, 2), places(*said(2, 3)))) == [
        ("1", 1, None),
        ("2", 1, 0),
        ("3", None, 1),
    ]


def test_what_was_edited_since_stands_beside_what_it_was_when_its_memory_was_made() -> None:
    first, second = past(1, 2)
    (now,) = places(user("word one", 1))
    edited, same = build_history([replace(first, newest=now.message), second], ())
    assert (edited.message.text, edited.newest) == ("word 1", now.message)
    assert (same.newest, same.gone) == (None, False)


def test_what_the_person_deleted_of_a_memory_stays_in_the_history_as_gone() -> None:
    first, second = past(1, 2)
    assert [entry.gone for entry in build_history([replace(first, newest=None), second], ())] == [
        True,
        False,
    ]


def test_the_past_is_as_the_person_has_left_it_where_they_changed_something() -> None:
    before = [*past(1, 2, 3), *past(4, memory=2)]
    now = places(user("word one", 1), *said(2), user("word four", 4))
    after = update_past(before, now, {1}, {before[2].key})
    texts = [None if old.newest is None else old.newest.text for old in after]
    assert texts == ["word one", "word 2", None, "word 4"], (
        "the second memory was not changed, as far as anybody knows"
    )
    assert [old.message for old in after] == [old.message for old in before]


def test_what_an_export_does_not_show_of_a_changed_memory_is_as_it_was() -> None:
    before = past(1, 2)
    assert update_past(before, places(*said(2)), {1}, ()) == tuple(before)


def test_messages_inserted_among_those_under_memories_are_left_out_with_that_reason() -> None:
    fields = said(1, 8, 9, 2, 3)
    assert strays(past(1, 2), *fields) == ["word 8", "word 9"]
    assert told(build_history(past(1, 2), mark_strays(past(1, 2), places(*fields)))) == [
        ("1", 1, 0), ("2", 1, 3), ("3", None, 4)
    ]  # fmt: skip


def test_messages_inserted_before_or_among_the_six_of_a_memory_are_left_out_too() -> None:
    one, *others = memory()
    assert strays(past(1, 2), *said(7), one, *said(8), *others, *said(3)) == ["word 7", "word 8"]


def test_what_stands_behind_all_that_is_under_memories_goes_on_as_history() -> None:
    assert strays(past(1, 2), *said(1, 2, 3, 4)) == []
    assert strays(past(1, 2), *memory(), *said(3, 4)) == []
    assert strays([], *said(3, 4)) == []


def test_what_was_left_out_for_another_reason_keeps_it() -> None:
    (place, *_) = mark_strays(past(1), places(MESSAGES["training"], *said(1)))
    assert place.left_out not in (None, INSERTED)


@given(st.lists(st.integers(1, 9), unique=True), st.integers(0, 9))
def test_every_message_of_an_export_is_history_or_left_out_and_the_archive_s_come_first(
    numbers: list[int], under: int
) -> None:
    old = past(*range(1, under + 1))
    standing = mark_strays(old, places(*said(*numbers)))
    found = build_history(old, standing)
    assert [entry.key for entry in found[:under]] == [one.key for one in old]
    in_history = {entry.at for entry in found if entry.at is not None}
    left_out = {place.at for place in standing if place.left_out}
    assert in_history | left_out == set(range(len(numbers)))
    assert not in_history & left_out
    live = [entry.at or 0 for entry in found if entry.memory is None]
    assert live == sorted(live)


def test_an_empty_chat_has_no_history() -> None:
    assert build_history([], ()) == ()
