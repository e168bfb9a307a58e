"""Several devices with cloud sync: what memproc has taken out stays out, and nothing is shown twice."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chats import Json
from tests.server.setup import KEY
from tests.stories.cycle import ENGINE, Cycle, models, quiet
from tests.stories.test_modes import (
    LARGE,
    SMALL,
    Witness,
    begin,
    goes_round,
    is_well,
    originals,
)
from tests.typingmind import TypingMind, jsonb, sync
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

pytestmark = [pytest.mark.timeout(120), pytest.mark.variants]


def second_device(cycle: Cycle) -> Cycle:
    """Another device of the person's, which has pulled the chat as it is now, and has a clean copy of it."""
    other = TypingMind(2, cycle.device.build)
    sync(cycle.device, other, cycle.chat_id)
    return Cycle(cycle.person, other, cycle.chat_id, cycle.words)


def meet(*cycles: Cycle) -> None:
    """Everything that one of the devices has to say has reached the others."""
    for _ in range(2):
        for one in cycles:
            for other in cycles:
                if one is not other and one.chat_id in one.device.chats:
                    sync(one.device, other.device, one.chat_id)


def shown(cycle: Cycle) -> list[Json]:
    """The messages on a device, whatever the order of their keys."""
    found: list[Json] = json.loads(json.dumps(cycle.messages, sort_keys=True))
    return found


def uuids(cycle: Cycle) -> list[str]:
    return [message["uuid"] for message in cycle.messages]


def removed(cycle: Cycle) -> list[str]:
    """What the chat names for the other devices as deleted."""
    found: list[str] = cycle.device.chat(cycle.chat_id)["syncMetadata"]["deletedMessageUUIDs"]
    return found


@pytest.mark.full
@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize(
    ("mode", "budget"), [("replace", LARGE), ("replace", SMALL), ("keep-originals", SMALL)]
)
def test_what_was_taken_out_never_comes_back_from_another_device(
    tmp_path: Path, mode: str, budget: int, build: Build
) -> None:
    cycle, witness = begin(tmp_path, mode, budget, build), Witness()
    other = second_device(cycle)
    for turn in range(4):
        cycle = goes_round(witness.looks(cycle))
        before = shown(cycle)
        meet(cycle, other)
        assert shown(other) == shown(cycle) == before
        is_well(other)
        quiet(cycle)
        speaking = (cycle, other)[turn % 2]
        witness.looks(speaking.talk())
        meet(cycle, other)
        assert shown(other) == shown(cycle)
    cycle = goes_round(cycle)
    assert cycle.expanded() == [json.loads(message) for message in witness.seen.values()]


@pytest.mark.full
def test_a_memory_that_was_written_anew_with_hindsight_takes_the_old_edition_s_place_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with models(tmp_path / "server") as (_, asking):
        cycle = Cycle.begin(tmp_path / "ada", settings=asking, size=800)
        cycle = goes_round(cycle)
        other = second_device(cycle)
        before = uuids(other)
        cycle = goes_round(cycle.talk())
        renewed = {uuid for uuid in before if uuid not in uuids(cycle)}
        memories = {
            message["uuid"]
            for message in other.messages
            if message.get("memproc", {}).get("kind") == "memory"
        }
        assert len(renewed & memories) >= 6, "a memory has its hindsight edition"
        assert renewed <= set(removed(cycle))
        meet(cycle, other)
        assert shown(other) == shown(cycle)
        assert not renewed & set(uuids(other))
        is_well(other)
        quiet(cycle)


@pytest.mark.full
def test_what_comes_back_since_typingmind_cut_the_list_is_taken_out_again(tmp_path: Path) -> None:
    witness = Witness()
    cycle = begin(tmp_path, "replace").talk(60)
    other = second_device(witness.looks(cycle))
    cycle = goes_round(cycle)
    out = removed(cycle)
    assert len(out) > 100
    gone = cycle.messages[-3]["uuid"]
    cycle.device.delete(cycle.chat_id, -3)
    del witness.seen[gone]
    assert len(removed(cycle)) == 100
    meet(cycle, other)
    back = set(uuids(cycle)) & set(out)
    assert len(back) == len(out) - 99, "these had no place on the list any more"
    assert shown(cycle) == shown(other)
    calls = cycle.calls()
    cycle = goes_round(cycle)
    assert cycle.calls() == calls
    assert not set(uuids(cycle)) & {*out, gone}
    meet(cycle, other)
    assert shown(cycle) == shown(other)
    assert not set(uuids(cycle)) & {*out, gone}
    is_well(cycle)
    quiet(cycle)
    assert cycle.expanded() == [json.loads(message) for message in witness.seen.values()]


@pytest.mark.full
@pytest.mark.parametrize("build", ["2024", "2026"])
@pytest.mark.parametrize("mode", ["replace", "keep-originals"])
def test_somebody_talked_on_in_the_old_copy_of_another_device(
    tmp_path: Path, mode: str, build: Build
) -> None:
    """Its copy has changes of its own, so it wins: every raw message is back, and what was said there is new."""
    witness = Witness()
    cycle = begin(tmp_path, mode, build=build)
    other = second_device(witness.looks(cycle))
    cycle = goes_round(cycle)
    texts, calls, live = cycle.texts(), cycle.calls(), len(cycle.live())
    witness.looks(other.talk(1))
    meet(cycle, other)
    assert len(cycle.live()) > live + 2
    cycle = goes_round(cycle)
    assert (cycle.texts(), cycle.calls()) == (texts, calls), "the memories are those that were made"
    meet(cycle, other)
    assert shown(cycle) == shown(other)
    assert len(set(uuids(cycle))) == len(cycle.messages)
    is_well(cycle)
    quiet(cycle)
    assert cycle.expanded() == [json.loads(message) for message in witness.seen.values()]


@pytest.mark.parametrize("mode", ["keep-originals", "replace"])
def test_edits_and_a_deletion_under_memories_outlast_the_old_copy_of_another_device(
    tmp_path: Path, mode: str
) -> None:
    """Its copy wins, and has every raw message as it was said; the memories have what became of them."""
    cycle, witness = begin(tmp_path, mode), Witness()
    assert cycle.hand_in().code == 0
    other = second_device(cycle)
    witness.looks(other.talk(1))
    live = len(cycle.bounds())
    changed = [uuids(cycle)[at] for at in (4, 6, live)]
    cycle.device.edit(cycle.chat_id, live, "In other words, before there was a memory of it.")
    cycle.device.edit(cycle.chat_id, 4, "In other words, after it.")
    cycle.device.delete(cycle.chat_id, 6)
    witness.looks(cycle.talk())
    del witness.seen[changed[1]]
    cycle = goes_round(cycle)
    meet(cycle, other)
    assert set(changed) <= set(uuids(cycle))
    cycle = goes_round(cycle)
    assert set(changed).isdisjoint(cycle.messages[at]["uuid"] for at in cycle.live())
    there = {message["uuid"]: message for message in cycle.expanded()}
    assert there == {uuid: json.loads(message) for uuid, message in witness.seen.items()}


@pytest.mark.full
def test_of_one_message_that_is_back_next_to_a_fold_no_other_counts_as_missing(
    tmp_path: Path,
) -> None:
    """TypingMind has cut from its list what left with the memories of the fold."""
    cycle = begin(tmp_path, "replace", budget=500)
    back = dict(cycle.messages[4])
    cycle = goes_round(cycle)
    assert back["uuid"] in removed(cycle)
    removed(cycle).clear()
    cycle.messages.insert(-10, back)
    ended = cycle.hand_in()
    assert (ended.code, "missing" in ended.out) == (0, False), ended.out


@pytest.mark.full
@pytest.mark.parametrize("mode", ["keep-originals", "replace"])
def test_what_a_sync_brings_back_out_of_a_branch_goes_under_memories_and_stays_in_the_branch(
    tmp_path: Path, mode: str
) -> None:
    """The question with the branch got the date of the second try, so what was said after it comes before it."""
    witness = Witness()
    cycle = begin(tmp_path, mode)
    asked = len(cycle.messages) - 26
    cycle.device.attach(cycle.chat_id, asked + 1)
    other = second_device(cycle)
    moved = uuids(cycle)[asked + 1 :]
    cycle.device.regenerate(cycle.chat_id, asked)
    meet(cycle, other)
    assert uuids(cycle)[asked : asked + len(moved)] == moved, "back, before the question"
    cycle = goes_round(witness.looks(cycle.talk(10)))
    kept = [message["uuid"] for message in originals(cycle)]
    assert moved[0] in kept
    assert uuids(cycle).index(moved[-1]) in cycle.live()
    is_well(cycle)
    quiet(cycle)
    witness.confirms(cycle)


@pytest.mark.full
def test_a_new_chat_reaches_the_other_device_and_the_old_one_stays(tmp_path: Path) -> None:
    old = begin(tmp_path, "new-chat")
    other = second_device(old)
    before = shown(other)
    new = goes_round(old)
    there = other.of(new.chat_id)
    for _ in range(2):
        meet(new, there)
        meet(old, other)
        assert shown(there) == shown(new)
        assert shown(other) == shown(old) == before
        there.talk()
        meet(there, new)
        new = goes_round(new)
        is_well(new)
        quiet(new)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["replace", "keep-originals"])
def test_the_cloud_s_order_of_keys_changes_nothing(tmp_path: Path, mode: str) -> None:
    cycle = goes_round(begin(tmp_path, mode))
    cycle = goes_round(cycle.talk())
    calls = cycle.calls()
    ended = cycle.hand_in(jsonb(cycle.export()))
    assert (ended.code, ended.err) == (0, "")
    assert "0 written, 1 unchanged" in ended.out
    cycle.device.bring_in(jsonb(cycle.export()))
    quiet(cycle)
    assert cycle.calls() == calls
    cycle = goes_round(cycle.talk())
    is_well(cycle)
    quiet(cycle)


@pytest.mark.full
def test_without_our_fields_the_memories_are_known_by_their_texts_after_a_merge(
    tmp_path: Path,
) -> None:
    """A cloud of another make keeps only the fields that it knows; the device that pulls it has an old copy."""
    cycle = begin(tmp_path, "replace")
    other = second_device(cycle)
    cycle = goes_round(cycle)
    meet(cycle, other)
    for message in other.messages:
        message.pop("memproc", None)
    texts = [text for six in cycle.texts().values() for text in six]
    other = goes_round(other.talk())
    assert [text_of(message["content"]) for message in other.messages[1 : len(texts) + 1]] == texts
    quiet(other)


@pytest.mark.full
def test_of_two_openings_that_were_edited_on_two_devices_all_words_are_kept(tmp_path: Path) -> None:
    """The old one comes back with a sync, since the other device has changed it."""
    cycle = Cycle.lived(tmp_path)
    cycle = replace(cycle, person=replace(cycle.person, layers=True))
    cycle.person.settings(ENGINE)
    other = second_device(cycle)
    writes(cycle, "The person likes pears.")
    writes(other, "Ben sails.")
    cycle.hand_in()
    assert cycle.person.memproc("facts", cycle.chat_id, "add", "Dora sings.").code == 0
    writes(cycle.talk().goes_round(), "Cleo paints.")
    meet(cycle, other)
    assert len(cycle.ours("opening")) == 2
    cycle.goes_round()
    (at,) = cycle.ours("opening")
    for fact in ("The person likes pears.", "Ben sails.", "Cleo paints.", "Dora sings."):
        assert cycle.said(at).count(fact) == 1, fact
    quiet(cycle)


def writes(cycle: Cycle, fact: str) -> None:
    """The person adds a fact at the end of the opening."""
    at = cycle.ours("opening")[0]
    said = cycle.said(at).removesuffix("\n</system>")
    heading = "" if "\n## facts\n" in said else "\n\n## facts"
    cycle.device.edit(cycle.chat_id, at, f"{said}{heading}\n- {fact}\n</system>")
