"""The copies of messages in a fork have their true dates, and are under the memories beside them.

What was said in the fork keeps its own date, and is its own.
"""

import json
from collections.abc import Sequence

from rules.conversation.history import Past, Place
from rules.recognize.copies import (
    as_dated,
    find_copies_under,
    find_likely_copies,
    find_true_dates,
)
from rules.recognize.recognize import recognize
from rules.typingmind.message import Message, read_message
from rules.typingmind.originals import kept_original
from rules.typingmind.splice import with_date
from tests.entries import said

TEXTS = ("Good evening.", "Good evening, Jonas.", "ok", "The lamp is lit.", "ok", "The tide turns.")
KNOWN = [said(("user", "assistant")[at % 2], text, at) for at, text in enumerate(TEXTS)]
HISTORY = [(message.digest, message.created_at) for message in KNOWN]
PAST = [
    Past(text, message, 1, message, (message.digest,))
    for text, message in zip("abcdef", KNOWN, strict=True)
]
FORK = "2026-11-21T09:00:00.000Z"


def copied(messages: Sequence[Message], *more: Message) -> tuple[Place, ...]:
    """A fork of these messages, and what was said in it."""
    copies = [
        json.loads(one.raw) | {"uuid": f"copy {at}", "createdAt": FORK}
        for at, one in enumerate(messages)
    ]
    return recognize([*(read_message(json.dumps(one).encode()) for one in copies), *more], {})


def dated(places: Sequence[Place], *, is_fork: bool = True) -> list[str | None]:
    """The dates that the messages are read with."""
    found = find_true_dates(
        find_likely_copies(places, {}, is_fork=is_fork), HISTORY, is_fork=is_fork
    )
    return [as_dated(place, found).message.created_at for place in places]


def test_copies_have_the_dates_of_what_they_copy_in_its_order() -> None:
    assert dated(copied(KNOWN)) == [date for _, date in HISTORY]
    assert dated(copied(KNOWN[1:5])) == [date for _, date in HISTORY[1:5]], (
        "the second ok is not the first"
    )


def test_what_was_said_in_the_fork_keeps_its_own_date_though_it_says_the_same() -> None:
    later = said("user", "ok", 90, createdAt="2026-11-21T09:05:00.000Z")
    assert dated(copied(KNOWN[:3], later))[3] == later.created_at


def test_a_copy_that_was_edited_keeps_the_date_of_the_fork() -> None:
    edited = [*KNOWN[:3], said("assistant", "The lamp is out.", 3), *KNOWN[4:]]
    assert dated(copied(edited)) == [
        *(date for _, date in HISTORY[:3]),
        FORK,
        *(date for _, date in HISTORY[4:]),
    ]


def test_another_conversation_that_begins_alike_is_no_fork() -> None:
    assert dated(copied(KNOWN[:3]), is_fork=False) == [FORK] * 3
    assert (
        dated(
            copied([*KNOWN[:2], said("user", "No.", 7), said("assistant", "Yes.", 8)]),
            is_fork=False,
        )
        == [FORK] * 4
    )
    assert dated(copied(KNOWN[:4]), is_fork=False) == [date for _, date in HISTORY[:4]]


def test_a_copy_is_never_dated_later_than_it_was_made() -> None:
    later = [(digest, "2026-12-01T00:00:00.000Z") for digest, _ in HISTORY]
    places = copied(KNOWN)
    assert find_true_dates(find_likely_copies(places, {}, is_fork=True), later, is_fork=True) == {}


def test_the_bytes_of_a_copy_are_changed_in_nothing_but_its_date() -> None:
    raw = b'{ "role":"user", "n":69.2240, "createdAt" : "2026-11-21T09:00:00.000Z","content":"ok"}'
    assert with_date(raw, "2026-03-02T00:00:00.000Z") == raw.replace(
        FORK.encode(), b"2026-03-02T00:00:00.000Z"
    )
    assert with_date(raw, "") == raw


def keys(places: Sequence[Place]) -> dict[str, str]:
    return find_copies_under(PAST, places)


def test_copies_of_messages_under_memories_are_known_by_what_they_say_in_order() -> None:
    assert keys(copied(KNOWN)) == {key: f"copy {at}" for at, key in enumerate("abcdef")}


def test_what_was_said_in_the_fork_is_under_no_memory_though_it_says_the_same() -> None:
    later = said("user", "The lamp is lit.", 90), said("user", "ok", 91)
    places = copied(KNOWN, *later)
    assert keys(places).keys() == set("abcdef")
    assert not {place.key for place in places[6:]} & set(keys(places).values())


def test_a_few_words_that_a_fork_says_again_are_no_copies() -> None:
    assert keys(copied([*KNOWN[:3], KNOWN[4]])) == {}


def test_an_ok_is_a_copy_next_to_one_and_not_after_other_words() -> None:
    others = said("user", "No.", 7), said("assistant", "Yes.", 8)
    places = copied([KNOWN[0], KNOWN[1], KNOWN[3], *others, KNOWN[4], *others, KNOWN[5]])
    assert keys(places) == {"a": "copy 0", "b": "copy 1", "d": "copy 2", "f": "copy 8"}


def test_a_copy_of_what_a_message_said_before_an_edit_is_one() -> None:
    edited = said("user", "Good evening!", 0)
    past = [Past("a", edited, 1, edited, (edited.digest, KNOWN[0].digest)), *PAST[1:]]
    assert find_copies_under(past, copied(KNOWN))["a"] == "copy 0"


def test_an_original_kept_with_a_memory_is_no_copy_beside_it() -> None:
    kept = [
        read_message(kept_original(message.raw, FORK, "a memory of the other chat"))
        for message in KNOWN
    ]
    assert keys(copied(kept)) == {}
