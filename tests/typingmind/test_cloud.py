"""Cloud sync, held to the format: section 3."""

import pytest

from tests.chats import texts
from tests.typingmind import TypingMind, sync
from tests.typingmind.shapes import Build


def two_devices(build: Build = "2026") -> tuple[TypingMind, TypingMind, str]:
    """Both hold the same chat, and neither has changes of its own."""
    a, b = TypingMind(1, build), TypingMind(2, build)
    chat_id = a.begin("The lighthouse")
    a.talk(chat_id, 4)
    sync(a, b, chat_id)
    return a, b, chat_id


def test_a_pushed_chat_stands_on_the_other_device_with_the_cloud_s_key_order() -> None:
    a, b, chat_id = two_devices()
    assert b.chat(chat_id) == a.chat(chat_id)
    assert b.chat(chat_id)["syncedAt"]
    keys = list(b.chat(chat_id))
    assert keys == sorted(keys, key=lambda key: (len(key), key))


def test_the_devices_share_nothing() -> None:
    a, b, chat_id = two_devices()
    b.edit(chat_id, 0, "Only there.")
    assert texts(a.messages(chat_id))[0] != "Only there."


def test_what_was_said_on_one_device_reaches_the_other_and_both_are_at_rest() -> None:
    a, b, chat_id = two_devices()
    a.talk(chat_id, 2)
    sync(a, b, chat_id)
    assert b.chat(chat_id) == a.chat(chat_id)
    assert b.chat(chat_id)["syncedAt"]


def test_a_copy_with_changes_of_its_own_is_kept_and_pushed_back() -> None:
    a, b, chat_id = two_devices()
    a.talk(chat_id, 1)
    b.talk(chat_id, 1)
    here = list(b.messages(chat_id))
    sync(a, b, chat_id)
    assert b.messages(chat_id) == here
    assert b.chat(chat_id)["syncedAt"] is None
    sync(b, a, chat_id)
    assert len(a.messages(chat_id)) == 12
    dates = [message["createdAt"] for message in a.messages(chat_id)]
    assert dates == sorted(dates)
    sync(a, b, chat_id)
    assert b.chat(chat_id) == a.chat(chat_id)


def test_a_copy_that_is_equal_by_chance_only_learns_that_it_is_synced() -> None:
    a, b, chat_id = two_devices()
    export = a.export()
    a.bring_in(export)
    b.bring_in(export)
    sync(a, b, chat_id)
    assert b.chat(chat_id)["syncedAt"] == a.chat(chat_id)["syncedAt"]


def test_a_removed_message_comes_back_from_a_clean_old_copy() -> None:
    a, b, chat_id = two_devices()
    gone = a.messages(chat_id).pop(2)
    a.pin(chat_id, 0)
    sync(a, b, chat_id)
    assert b.messages(chat_id)[2]["uuid"] == gone["uuid"]
    assert b.chat(chat_id)["syncedAt"] is None
    sync(b, a, chat_id)
    assert a.messages(chat_id)[2]["uuid"] == gone["uuid"]


def test_a_removed_message_that_is_noted_as_deleted_stays_away() -> None:
    a, b, chat_id = two_devices()
    a.delete(chat_id, 2)
    sync(a, b, chat_id)
    assert len(b.messages(chat_id)) == 7
    assert b.chat(chat_id) == a.chat(chat_id)


def test_the_list_of_deleted_messages_may_be_read_at_any_length() -> None:
    a, b = TypingMind(1), TypingMind(2)
    chat_id = a.begin("Long")
    a.talk(chat_id, 150)
    sync(a, b, chat_id)
    chat = a.chat(chat_id)
    chat["syncMetadata"] = {
        "deletedMessageUUIDs": [message["uuid"] for message in chat["messages"][:280]]
    }
    del chat["messages"][:280]
    a.talk(chat_id, 1)
    sync(a, b, chat_id)
    assert len(b.messages(chat_id)) == 22


def test_one_deletion_by_hand_cuts_that_list_and_a_clean_old_copy_brings_the_rest_back() -> None:
    a, b = TypingMind(1), TypingMind(2)
    chat_id = a.begin("Long")
    a.talk(chat_id, 150)
    sync(a, b, chat_id)
    chat = a.chat(chat_id)
    chat["syncMetadata"] = {
        "deletedMessageUUIDs": [message["uuid"] for message in chat["messages"][:280]]
    }
    del chat["messages"][:280]
    a.delete(chat_id, 0)
    sync(a, b, chat_id)
    assert len(b.messages(chat_id)) == 19 + (280 + 1 - 100)


def test_the_older_client_overwrites_a_clean_copy() -> None:
    a, b, chat_id = two_devices("2024")
    a.delete(chat_id, 2)
    sync(a, b, chat_id)
    assert b.chat(chat_id) == a.chat(chat_id)
    assert len(b.messages(chat_id)) == 7


def test_an_older_push_does_not_overwrite_a_newer_one() -> None:
    a, b, chat_id = two_devices("2024")
    c = TypingMind(3, "2024")
    a.talk(chat_id, 1)
    sync(a, c, chat_id)
    sync(b, c, chat_id)
    assert c.chat(chat_id) == a.chat(chat_id)


def test_a_deleted_chat_is_deleted_on_the_other_device() -> None:
    a, b, chat_id = two_devices()
    a.chat(chat_id)["deletedAt"] = a.chat(chat_id)["updatedAt"]
    a.pin(chat_id, 0)
    sync(a, b, chat_id)
    assert chat_id not in b.chats


@pytest.mark.parametrize(("build", "size"), [("2024", 2_400_000), ("2026", 3_145_728)])
def test_a_chat_that_is_too_large_is_never_pushed(build: Build, size: int) -> None:
    a, b, chat_id = two_devices(build)
    a.edit(chat_id, 0, "x" * size)
    sync(a, b, chat_id)
    assert len(texts(b.messages(chat_id))[0]) < 1_000
    assert a.chat(chat_id)["syncedAt"] is None


def test_a_message_without_a_date_stays_behind_the_one_before_it() -> None:
    a, b, chat_id = two_devices()
    a.messages(chat_id).insert(3, {"type": "clear-context"})
    del a.messages(chat_id)[5]
    a.pin(chat_id, 0)
    sync(a, b, chat_id)
    assert b.messages(chat_id)[3] == {"type": "clear-context"}
    assert len(b.messages(chat_id)) == 9
