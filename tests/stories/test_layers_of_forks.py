"""A fork has the core memory and the facts of the chat it was forked from, as they were, with their history."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.server.scribe import scribe
from tests.stories.facts import events, known
from tests.stories.reports import report
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


def facts_of(lived: Life, chat_id: str) -> list[dict[str, Any]]:
    return events(lived.person, chat_id)


def core_of(lived: Life, chat_id: str) -> list[dict[str, Any]]:
    """With the numbers of events as their places among those of their chat."""
    history: list[dict[str, Any]] = report(lived.person, "core", chat_id, "history")["events"]
    places = {event["number"]: at for at, event in enumerate(history, 1)} | {0: 0}
    return [
        event | {"number": places[event["number"]], "undoes": places[event["undoes"]]}
        for event in history
    ]


@pytest.mark.full
@pytest.mark.variants
@pytest.mark.parametrize("way", [forked, forked_with_new_uuids])
def test_a_fork_has_all_that_was_known_with_its_history(lived: Life, way: Way) -> None:
    old = lived.chat_id
    facts, core = facts_of(lived, old), core_of(lived, old)
    shown = lived.device.messages(old)[0]["content"]
    assert len([event for event in facts if event["event"] == "ADD"]) > shown.count("\n- ")
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


@pytest.mark.full
def test_facts_of_messages_that_a_copy_shows_beside_their_memories_name_the_copies(
    lived: Life,
) -> None:
    before = deepcopy(lived.device.messages(lived.chat_id))
    lived.round(1_600)
    messages = lived.device.messages(lived.chat_id)
    here = {message["uuid"] for message in messages}
    closing = next(
        at for at, one in enumerate(messages) if one.get("memproc", {}).get("kind") == "closing"
    )
    put_back = [one for one in before if "memproc" not in one and one["uuid"] not in here]
    messages[closing + 1 : closing + 1] = put_back
    facts = facts_of(lived, lived.chat_id)
    lived.chat_id = forked_with_new_uuids(lived)
    copies = lived.device.messages(lived.chat_id)[closing + 1 :][: len(put_back)]

    lived.round()

    names = {old["uuid"]: copy["uuid"] for old, copy in zip(put_back, copies, strict=True)}
    assert any(event["source"] in names for event in facts)
    assert facts_of(lived, lived.chat_id) == [
        event | {"source": names.get(event["source"], event["source"])} for event in facts
    ]
