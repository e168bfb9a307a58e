"""The protocol: what is said on one end is heard on the other, and nothing else is."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.inbox.events import KINDS as EVENTS
from daemon.inbox.events import Event, OutcomeOf, read_event
from daemon.inbox.lines import Garbled, to_line
from daemon.inbox.orders import KINDS as ORDERS
from daemon.inbox.orders import Order, Stop, Use, Work, in_words, read_order

PLAIN = st.dictionaries(st.text(), st.text() | st.integers() | st.booleans() | st.none(), max_size=3)
NUMBERS = st.floats(allow_nan=False)
SPECIAL = {"plan": PLAIN, "facts": PLAIN, "silence": NUMBERS, "usd": NUMBERS | st.none()}


def any_of(kinds: Mapping[str, type[Any]]) -> st.SearchStrategy[Any]:
    def made(name: str) -> st.SearchStrategy[Any]:
        special = {field.name: SPECIAL[field.name] for field in fields(kinds[name]) if field.name in SPECIAL}
        return st.builds(kinds[name], **special)

    return st.sampled_from(sorted(kinds)).flatmap(made)


@given(any_of(ORDERS))
def test_an_order_arrives_as_it_was_given(order: Order) -> None:
    line = to_line(order)
    assert line.count(b"\n") == 1
    assert read_order(line) == order
    assert in_words(order)


@given(any_of(EVENTS))
def test_an_event_arrives_as_it_was_told(event: Event) -> None:
    assert read_event(to_line(event)) == event


def test_half_a_character_in_a_title_survives_the_way() -> None:
    event = OutcomeOf(1, "abc", "half \ud83d\n an emoji", "left alone", "", "", "")
    line = to_line(event)
    assert line.isascii()
    assert read_event(line) == event


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"null",
        b"[]",
        b'"Stop"',
        b"{}",
        b'{"is": "Stop", "more": 1}',
        b'{"is": "Work"}',
        b'{"is": ["Stop"]}',
        b'{"is": "__import__"}',
        b"\xff\xfe",
        b'{"is": "Stop"',
        b"[" * 200_000,
        b"1" * 5000,
    ],
)
def test_what_is_no_order_is_garbled(line: bytes) -> None:
    with pytest.raises(Garbled):
        read_order(line)


def test_an_event_is_no_order() -> None:
    with pytest.raises(Garbled):
        read_order(b'{"is": "Ready", "pid": 1}')


def test_nothing_but_plain_values_is_in_a_line() -> None:
    assert json.loads(to_line(Work(3, "/state/a.json", "a.json"))) == {
        "is": "Work", "arrival": 3, "path": "/state/a.json", "name": "a.json",
    }  # fmt: skip
    assert json.loads(to_line(Stop())) == {"is": "Stop"}
    assert json.loads(to_line(Use("", ""))) == {"is": "Use", "path": "", "text": "", "found_here": False}
