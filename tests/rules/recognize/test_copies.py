"""Copies that a fork has dated anew get their true dates back, and what was said in the fork keeps its own."""

import json
from collections.abc import Sequence

from rules.conversation.place import Place
from rules.recognize.recognize import recognise
from rules.recognize.true_dates import as_dated, may_be_copies, true_dates
from rules.typingmind.message import Message, read_message
from rules.typingmind.splice import with_date
from tests.entries import said

TEXTS = ("Good evening.", "Good evening, Jonas.", "ok", "The lamp is lit.", "ok", "The tide turns.")
KNOWN = [said(("user", "assistant")[at % 2], text, at) for at, text in enumerate(TEXTS)]
HISTORY = [(message.digest, message.created_at) for message in KNOWN]
FORK = "2026-11-21T09:00:00.000Z"


def copied(messages: Sequence[Message], *more: Message) -> tuple[Place, ...]:
    """A fork of these messages, and what was said in it."""
    copies = [
        json.loads(one.raw) | {"uuid": f"copy {at}", "createdAt": FORK}
        for at, one in enumerate(messages)
    ]
    return recognise([*(read_message(json.dumps(one).encode()) for one in copies), *more], {})


def dated(places: Sequence[Place], *, is_fork: bool = True) -> list[str | None]:
    """The dates that the messages are read with."""
    found = true_dates(may_be_copies(places, {}, is_fork=is_fork), HISTORY, is_fork=is_fork)
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
    assert true_dates(may_be_copies(places, {}, is_fork=True), later, is_fork=True) == {}


def test_the_bytes_of_a_copy_are_changed_in_nothing_but_its_date() -> None:
    raw = b'{ "role":"user", "n":69.2240, "createdAt" : "2026-11-21T09:00:00.000Z","content":"ok"}'
    assert with_date(raw, "2026-03-02T00:00:00.000Z") == raw.replace(
        FORK.encode(), b"2026-03-02T00:00:00.000Z"
    )
    assert with_date(raw, "") == raw
