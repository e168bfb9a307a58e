"""Pictures and files in a conversation: TypingMind deletes each that no message of any chat names any more."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.cycle import ENGINE, Cycle, quiet
from tests.stories.test_modes import (
    LARGE,
    MODES,
    SMALL,
    Witness,
    begin,
    goes_round,
    is_well,
    originals,
    settings,
)

pytestmark = [pytest.mark.timeout(120), pytest.mark.variants]
FILES = {"a picture", "a drawing of a tool", "thoughts"}


def with_files(cycle: Cycle) -> Cycle:
    """A picture that the person showed, thoughts of the persona, and what a tool has drawn; all in the first turns."""
    picture = {"type": "tm_image_file", "metadata": {"name": "sea.png", "localBlobID": "a picture"}}
    shown, answer, *_, drawn = cycle.messages[2:8]
    shown["content"] = [{"type": "text", "text": "This is the sea today."}, picture]
    answer["reasoning_details"] = {"metaBlobID": "thoughts"}
    call = {
        "id": "c1",
        "type": "function",
        "index": 0,
        "function": {"name": "draw", "arguments": "{}"},
    }
    called = drawn | {
        "content": None,
        "tool_calls": [call],
        "uuid": "0c0c0c0c-0000-4000-8000-00000000000c",
    }
    result = {
        "role": "tool", "type": "tool-response", "name": "draw", "tool_call_id": "c1", "content": "It is drawn.",
        "pluginResponse": {"data": {"cards": [{"metadata": {"localBlobID": "a drawing of a tool"}}]}},
        "uuid": "0d0d0d0d-0000-4000-8000-00000000000d", "createdAt": drawn["createdAt"],
    }  # fmt: skip
    cycle.messages[7:7] = [called, result]
    return cycle


def files(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (
            str(name) for key, name in value.items() if key in ("localBlobID", "metaBlobID")
        )
        for inner in value.values():
            yield from files(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from files(inner)


def are_there(cycle: Cycle) -> None:
    assert sorted(files(cycle.messages)) == sorted(FILES)
    assert not {message["uuid"] for message in cycle.messages} & set(deleted(cycle))


def deleted(cycle: Cycle) -> list[str]:
    sync = cycle.device.chat(cycle.chat_id).get("syncMetadata") or {}
    return sync.get("deletedMessageUUIDs") or []


@pytest.mark.parametrize("mode", sorted(MODES))
def test_pictures_and_files_stay_whatever_becomes_of_their_memories(
    tmp_path: Path, mode: str
) -> None:
    cycle, witness = with_files(begin(tmp_path, mode)), Witness()
    path = cycle.person.drop(cycle.export(), "before.json")
    assert (
        "4 messages with attachments stay in the chat, shown and no longer sent"
        in cycle.person.memproc("plan", path).out.replace("\n", " ")
    )
    cycle = goes_round(witness.looks(cycle))
    are_there(cycle)
    is_well(cycle)
    if mode != "keep-originals":
        assert [message["role"] for message in originals(cycle)] == [
            "user",
            "assistant",
            "assistant",
            "tool",
        ]
    quiet(cycle)
    assert "attachments" not in cycle.person.memproc("plan", cycle.updated()).out

    cycle.person.settings(settings(mode, SMALL))
    cycle = goes_round(witness.looks(cycle.talk()))
    are_there(cycle)
    is_well(cycle)

    cycle.person.settings(settings(mode, LARGE))
    first, first_texts = next(iter(goes_round(cycle.talk()).texts().items()))
    witness.looks(cycle.forget(first).talk())
    cycle = goes_round(cycle)
    assert first_texts not in cycle.texts().values()
    are_there(cycle)
    assert "Recalled memory 1" in cycle.person.memproc("recall", cycle.chat_id, "1").out
    cycle = goes_round(cycle)
    assert first_texts in cycle.texts().values()
    are_there(cycle)
    is_well(cycle)
    quiet(cycle)
    witness.confirms(cycle)
    assert not [memory for memory in cycle.memories() if memory.get("due")]


@pytest.mark.full
@pytest.mark.parametrize("new_uuids", [False, True])
def test_in_a_fork_they_are_known_again_even_where_the_client_has_copied_them(
    tmp_path: Path, new_uuids: bool
) -> None:
    cycle = goes_round(with_files(begin(tmp_path, "replace")))
    calls = cycle.calls()
    fork = cycle.of(cycle.device.fork(cycle.chat_id, new_uuids=new_uuids))
    (picture,) = (message for message in fork.messages if "a picture" in files(message))
    picture["content"][1]["metadata"]["localBlobID"] = "a copy of the picture"
    fork.hand_in()
    assert fork.calls() == calls, "no memory is written once more"
    fork = goes_round(fork.talk())
    is_well(fork)
    assert sorted(files(fork.messages)) == sorted(FILES - {"a picture"} | {"a copy of the picture"})
    raw = fork.expanded()
    assert [message["role"] for message in raw if list(files(message))] == [
        "user",
        "assistant",
        "tool",
    ]
    assert "a copy of the picture" in set(files(raw))


@pytest.mark.full
def test_a_picture_that_the_person_deletes_is_gone_and_nothing_else(tmp_path: Path) -> None:
    cycle = goes_round(with_files(begin(tmp_path, "replace")))
    raw = [message["uuid"] for message in cycle.expanded()]
    at = next(at for at, message in enumerate(cycle.messages) if "a picture" in files(message))
    gone = cycle.messages[at]["uuid"]
    cycle.device.delete(cycle.chat_id, at)
    assert cycle.hand_in().code == 0
    assert sorted(files(cycle.messages)) == sorted(FILES - {"a picture"})
    assert [message["uuid"] for message in cycle.expanded()] == [
        uuid for uuid in raw if uuid != gone
    ]


@pytest.mark.full
def test_a_picture_that_the_person_puts_into_a_memory_stays_in_it_and_its_name_is_no_words_of_it(
    tmp_path: Path,
) -> None:
    cycle = Cycle.lived(tmp_path)
    first = cycle.shown()[0]
    asked, answered = cycle.at(first, 1), cycle.at(first, 2)
    words = cycle.said(answered)
    for at in (asked, answered):
        cycle.device.attach(cycle.chat_id, at)
    shown = cycle.messages[asked : answered + 1]
    assert "1 memory stays as you wrote it" in cycle.hand_in().out
    cycle.talk().goes_round()
    assert cycle.messages[asked : answered + 1] == shown
    quiet(cycle)

    cycle.device.delete(cycle.chat_id, asked)
    cycle.messages[cycle.at(first, 2)]["content"] = words  # its picture is taken out
    texts = cycle.goes_round().texts()[first]
    assert texts[1] == words
    assert "sea.png" not in texts[0]
    (memory,) = (memory for memory in cycle.memories() if memory["memory_id"] == first)
    assert memory["pinned"]
    quiet(cycle)


@pytest.mark.full
def test_a_picture_that_the_person_puts_into_the_opening_is_no_preface_of_theirs(
    tmp_path: Path,
) -> None:
    lived = Cycle.lived(tmp_path)
    cycle = replace(lived, person=replace(lived.person, layers=True))
    cycle.person.settings(ENGINE)
    cycle.person.memproc("facts", "add", cycle.chat_id, "Mira has a boat.")
    (at,) = cycle.goes_round().ours("opening")
    cycle.device.attach(cycle.chat_id, at)
    shown = cycle.messages[at]
    cycle.talk().goes_round()
    assert cycle.messages[at] == shown

    cycle.person.memproc("facts", "add", cycle.chat_id, "Tomas has a dog.")
    said = cycle.goes_round().said(at)
    assert "Tomas has a dog." in said
    assert "sea.png" not in said
    assert set(files(shown)) <= set(files(cycle.messages))
    quiet(cycle)
