"""What a person does on one device, held to the format: sections 2.3, 3 and 12."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from tests.chats import Json, texts
from tests.typingmind import TypingMind
from tests.typingmind.clock import moment
from tests.typingmind.shapes import Build


def talked(
    build: Build = "2026", turns: int = 3, **fields: object
) -> tuple[TypingMind, str, list[Json]]:
    device = TypingMind(1, build)
    chat_id = device.begin("The lighthouse", "You are Ada.", **fields)
    device.talk(chat_id, turns)
    return device, chat_id, device.messages(chat_id)


def test_the_same_seed_and_the_same_acts_give_the_same_bytes() -> None:
    first, second = talked()[0].export(), talked()[0].export()
    assert first == second


def test_another_seed_says_other_things() -> None:
    said: list[str] = []
    for seed in (1, 2):
        device = TypingMind(seed)
        chat_id = device.begin("Tides")
        device.talk(chat_id, 5)
        said += texts(device.messages(chat_id))
    assert len(set(said)) == 20


def test_no_text_and_no_uuid_comes_twice() -> None:
    _, _, messages = talked(turns=300)
    assert len(set(texts(messages))) == len({message["uuid"] for message in messages}) == 600


@pytest.mark.parametrize("words", [12, 40, 200])
def test_a_message_has_about_as_many_words_as_asked_for(words: int) -> None:
    device = TypingMind(1)
    chat_id = device.begin("Tides")
    device.talk(chat_id, 5, words)
    assert all(words <= len(text.split()) < words + 40 for text in texts(device.messages(chat_id)))


def test_question_and_answer_take_turns_at_rising_dates() -> None:
    _, _, messages = talked(turns=5)
    dates = [message["createdAt"] for message in messages]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 5
    assert dates == sorted(set(dates))


def test_the_newer_client_writes_a_person_s_words_as_a_list() -> None:
    question = talked()[2][0]
    assert list(question) == ["role", "content", "uuid", "createdAt"]
    assert [part["type"] for part in question["content"]] == ["text"]


def test_the_older_client_writes_a_person_s_words_as_a_string() -> None:
    assert isinstance(talked("2024")[2][0]["content"], str)


def test_an_answer_on_the_claude_path_has_the_newer_client_s_keys_in_their_order() -> None:
    answer = talked()[2][1]
    assert (
        " ".join(answer)
        == "content id type role model stop_reason stop_sequence usage finish createdAt uuid"
    )
    assert "extended_cache_creation_input_tokens" in answer["usage"]


def test_an_answer_on_another_path_is_a_string_with_its_own_keys() -> None:
    answer = talked(model="gpt-4o")[2][1]
    assert " ".join(answer) == "content role usage finish citations metaBlobs model createdAt uuid"
    assert isinstance(answer["content"], str)


def test_an_answer_of_the_older_client_begins_with_its_id() -> None:
    assert list(talked("2024")[2][1])[:5] == ["id", "type", "role", "model", "content"]


def test_a_chat_that_is_used_gains_the_newer_client_s_fields_and_costs_more() -> None:
    device, chat_id, _ = talked()
    chat = device.chat(chat_id)
    cost = chat["tokenUsage"]["totalCostUSD"]
    device.talk(chat_id, 1)
    assert {"character", "selectedMultimodelIDs"} <= set(chat)
    assert "reasoningEffort" in chat["chatParams"]
    assert chat["tokenUsage"]["totalCostUSD"] > cost


def test_no_act_moves_the_chat_s_updated_at_and_each_makes_it_unsynced() -> None:
    device, chat_id, _ = talked()
    chat = device.chat(chat_id)
    before = chat["updatedAt"]
    acts: list[Callable[[], None]] = [
        lambda: device.talk(chat_id, 1),
        lambda: device.edit(chat_id, 0, "Other words."),
        lambda: device.delete(chat_id, 1),
        lambda: device.pin(chat_id, 0),
        lambda: device.exclude(chat_id, 0),
        lambda: device.insert(chat_id, 1, "user", "In between."),
        lambda: device.regenerate(chat_id, -1),
        lambda: device.arrow_back(chat_id, -1),
    ]
    for act in acts:
        chat["syncedAt"] = "2026-01-14T09:00:00.000Z"
        act()
        assert (chat["updatedAt"], chat["syncedAt"]) == (before, None)


@pytest.mark.parametrize(("build", "kind"), [("2024", str), ("2026", list)])
def test_an_edit_keeps_uuid_date_marker_and_kind_of_content(build: Build, kind: type) -> None:
    device, chat_id, messages = talked(build)
    before = messages[2] | {"memproc": {"v": 1}}
    messages[2] = dict(before)
    device.edit(chat_id, 2, "It was a Tuesday.")
    after = messages[2]
    assert texts([after]) == ["It was a Tuesday."]
    assert isinstance(after["content"], kind)
    assert after["updatedAt"] > before["createdAt"]
    assert {key: value for key, value in after.items() if key not in ("content", "updatedAt")} == {
        key: value for key, value in before.items() if key != "content"
    }


def test_an_edit_keeps_the_images_beside_the_words_where_they_stand() -> None:
    device, chat_id, messages = talked()
    image = {"type": "tm_image_file", "metadata": {"name": "sea.png"}}
    messages[0]["content"] = [image, {"type": "text", "text": "Look!"}, image]
    device.edit(chat_id, 0, "See!")
    assert messages[0]["content"] == [image, {"type": "text", "text": "See!"}, image]


def test_a_deletion_notes_the_uuid_and_keeps_nothing_else_of_the_sync_data() -> None:
    device, chat_id, messages = talked()
    device.chat(chat_id)["syncMetadata"] = {
        "deletedMessageUUIDs": ["old"],
        "deletedResponseIDs": ["r"],
    }
    gone = messages[1]["uuid"]
    device.delete(chat_id, 1)
    assert len(messages) == 5
    assert device.chat(chat_id)["syncMetadata"] == {
        "deletedMessageUUIDs": ["old", gone],
        "deletedSyncedBlobIDs": [],
    }


def test_a_deletion_cuts_a_longer_list_to_its_last_hundred() -> None:
    device, chat_id, messages = talked()
    ours = [f"removed-{number}" for number in range(250)]
    device.chat(chat_id)["syncMetadata"] = {"deletedMessageUUIDs": ours}
    gone = messages[0]["uuid"]
    device.delete(chat_id, 0)
    assert device.chat(chat_id)["syncMetadata"]["deletedMessageUUIDs"] == [*ours[-99:], gone]


def test_the_older_client_notes_no_deletion() -> None:
    device, chat_id, _ = talked("2024")
    device.delete(chat_id, 0)
    assert "syncMetadata" not in device.chat(chat_id)


def test_pin_and_exclude_mark_one_message() -> None:
    device, chat_id, messages = talked()
    device.pin(chat_id, 1)
    device.exclude(chat_id, 2)
    assert [
        number for number, message in enumerate(messages) if message.get("isPinned") is True
    ] == [1]
    assert [
        number for number, message in enumerate(messages) if message.get("contextClearedAt")
    ] == [2]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("at", [0, 3, 6])
def test_what_is_inserted_stays_there_when_a_merge_sorts_by_date(role: str, at: int) -> None:
    device, chat_id, messages = talked()
    device.insert(chat_id, at, role, "From the telephone.")
    assert (messages[at]["role"], texts(messages)[at]) == (role, "From the telephone.")
    assert sorted(messages, key=lambda message: str(message["createdAt"])) == messages


def test_what_is_said_after_an_import_is_dated_after_what_was_imported() -> None:
    device = TypingMind(1)
    other, chat_id, _ = talked()
    other.chat(chat_id)["messages"][-1]["createdAt"] = "2031-05-01T12:00:00.000Z"
    device.bring_in(other.export())
    device.talk(chat_id, 1)
    assert device.now == moment(device.messages(chat_id)[-1]["createdAt"])
    assert device.messages(chat_id)[-2]["createdAt"] > "2031-05-01T12"


def test_after_any_life_the_export_comes_back_as_it_was() -> None:
    dice = Random(5)
    device, chat_id, _ = talked()
    for _ in range(150):
        at = dice.randrange(2, len(device.messages(chat_id)))
        acts: list[Callable[[], object]] = [
            lambda: device.talk(chat_id, 3, words=10),
            partial(device.edit, chat_id, at, "Other words."),
            partial(device.delete, chat_id, max(at, 5)),
            partial(device.exclude, chat_id, at),
            partial(device.insert, chat_id, at, "user", "In between."),
            lambda: device.regenerate(chat_id, -1),
            lambda: device.fork(chat_id, new_uuids=dice.random() < 0.5),
        ]
        dice.choice(acts)()
    export = device.export()
    other = TypingMind(6)
    other.bring_in(export)
    assert other.export() == export
