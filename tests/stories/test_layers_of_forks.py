"""A fork has the core memory and the facts of the chat it was forked from, as they were, with their history."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.archive.layers import core_events, fact_events
from rules.layers.core import CoreEvent
from rules.layers.facts import FactEvent
from tests.server.scribe import scribe
from tests.stories.facts import known
from tests.stories.rounds import Life, life

Way = Callable[[Life], str]


@pytest.fixture
def lived(tmp_path: Path) -> Iterator[Life]:
    """A chat of which some facts stand in the archive alone."""
    with life(tmp_path / "person", scribe, layers=True, facts="budget = 100") as lived:
        lived.round(6_500)
        assert lived.person.memproc("facts", lived.chat_id, "forget", "2").code == 0
        assert (
            lived.person.memproc("core", lived.chat_id, "set", "persona", "I keep the light.").code
            == 0
        )
        assert lived.person.memproc("core", lived.chat_id, "undo").code == 0
        assert (
            lived.person.memproc("core", lived.chat_id, "set", "persona", "I keep the lamp.").code
            == 0
        )
        lived.round()
        yield lived


def forked(lived: Life) -> str:
    return lived.device.fork(lived.chat_id)


def forked_with_new_uuids(lived: Life) -> str:
    return lived.device.fork(lived.chat_id, new_uuids=True)


def facts_of(lived: Life, chat_id: str) -> list[FactEvent]:
    with Archive.read(lived.person.home / "state") as archive:
        return list(fact_events(archive, chat_id, forgotten=True))


def core_of(lived: Life, chat_id: str) -> list[CoreEvent]:
    """With the numbers of events as their places among those of their chat."""
    with Archive.read(lived.person.home / "state") as archive:
        events = core_events(archive, chat_id)
    places = {event.number: at for at, event in enumerate(events, 1)} | {0: 0}
    return [replace(one, number=places[one.number], undoes=places[one.undoes]) for one in events]


@pytest.mark.variants
@pytest.mark.parametrize("way", [forked, forked_with_new_uuids])
def test_a_fork_has_all_that_was_known_with_its_history(lived: Life, way: Way) -> None:
    old = lived.chat_id
    facts, core = facts_of(lived, old), core_of(lived, old)
    shown = lived.device.messages(old)[0]["content"]
    assert len([event for event in facts if event.event == "ADD"]) > shown.count("\n- ")
    lived.chat_id = way(lived)

    requests = lived.round()

    assert requests == []
    assert facts_of(lived, lived.chat_id) == facts
    assert core_of(lived, lived.chat_id) == core
    assert lived.device.messages(lived.chat_id)[0]["content"] == shown


@pytest.mark.full
def test_the_two_go_their_own_ways_from_then_on(lived: Life) -> None:
    old, before = lived.chat_id, known(lived)
    lived.chat_id = forked(lived)
    lived.round(1_600)
    assert len(known(lived)) > len(before)

    lived.chat_id = old

    assert known(lived) == before


@pytest.mark.full
def test_of_a_fork_with_an_older_opening_nothing_later_is_known(lived: Life) -> None:
    before = facts_of(lived, lived.chat_id)
    older = lived.device.fork(lived.chat_id)
    lived.round(1_600)
    assert len(facts_of(lived, lived.chat_id)) > len(before)

    lived.chat_id = older
    lived.round()

    assert facts_of(lived, older) == before
