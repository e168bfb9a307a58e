"""A model that looks facts up is told them as they held on the day that it asks for."""

from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.layers import keep_fact_events
from rules.layers.facts import FactEvent
from tests.chats import CHAT_ID, chat, conversation, export_bytes
from tests.stories.person import Person
from tests.stories.recalling import call, data_of, text_of

NOW = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def grace(tmp_path: Path) -> Person:
    """Somebody with a fact that has become another one."""
    person = Person(tmp_path / "grace", layers=True)
    person.drop(export_bytes(chat(*conversation(22, 400))))
    assert person.memproc("run").code == 0
    first, second = "The tide table lies on the shelf.", "The tide table hangs at the door."
    keep(person, [FactEvent(1, "ADD", first, "2024-11-08T10:00:00.000Z", "k1")])
    keep(person, [FactEvent(1, "UPDATE", second, "2024-11-20T10:00:00.000Z", "k2")])
    return person


def keep(person: Person, events: list[FactEvent]) -> None:
    with Archive.open(person.home / "state") as archive:
        keep_fact_events(archive, CHAT_ID, events, NOW)


@pytest.mark.full
def test_a_fact_is_told_as_it_held_on_the_day_that_is_asked_for(grace: Person) -> None:
    then, now = (
        call(grace, "recall_facts", words="tide", date="2024-11-10"),
        call(grace, "recall_facts", words="tide table"),
    )
    assert "on the shelf" in text_of(then)
    assert [(fact["number"], fact["date"]) for fact in data_of(then)["facts"]] == [
        (1, "2024-11-08")
    ]
    assert "at the door" in text_of(now)
    before = call(grace, "recall_facts", words="tide", date="2024-11-01")
    assert data_of(before)["facts"] == []
    assert "That is all there is" in text_of(before)
    assert "at the door" in text_of(call(grace, "recall_search", query="tide table", among="facts"))
