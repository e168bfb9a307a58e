"""Fork and Restore, held to the format: sections 2.4 and 12."""

import pytest

from tests.chats import Json, texts
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build

_OWN_FIELDS = ("id", "chatID", "createdAt", "updatedAt", "tokenUsage")


def talked(build: Build) -> tuple[TypingMind, str]:
    device = TypingMind(1, build)
    chat_id = device.begin("The lighthouse", syncMetadata={"deletedMessageUUIDs": ["x"]})
    device.talk(chat_id, 4)
    device.messages(chat_id)[0]["memproc"] = {"v": 1}
    device.edit(chat_id, 2, "Other words.")
    return device, chat_id


def without_own_fields(chat: Json) -> Json:
    return {key: value for key, value in chat.items() if key not in _OWN_FIELDS}


def test_a_fork_of_the_newer_client_keeps_uuids_and_dates_and_costs_nothing() -> None:
    device, chat_id = talked("2026")
    fork_id = device.fork(chat_id)
    fork, chat = device.chat(fork_id), device.chat(chat_id)
    assert fork["messages"] == chat["messages"]
    assert without_own_fields(fork) == without_own_fields(chat)
    assert fork["id"] == fork["chatID"] == fork_id != chat_id
    assert fork["tokenUsage"] is None
    assert fork["createdAt"] == fork["updatedAt"] > chat["messages"][-1]["createdAt"]


def test_a_fork_of_the_older_client_has_new_uuids_one_date_and_the_cost_so_far() -> None:
    device, chat_id = talked("2024")
    fork, chat = device.chat(device.fork(chat_id)), device.chat(chat_id)
    assert not {m["uuid"] for m in fork["messages"]} & {m["uuid"] for m in chat["messages"]}
    assert {m["createdAt"] for m in fork["messages"]} == {fork["createdAt"]}
    assert "updatedAt" not in fork["messages"][2]
    assert fork["tokenUsage"] == chat["tokenUsage"]
    assert texts(fork["messages"]) == texts(chat["messages"])
    assert fork["messages"][0]["memproc"] == {"v": 1}


def test_a_fork_of_the_builds_in_between_renews_the_branches_too() -> None:
    device, chat_id = talked("2026")
    device.regenerate(chat_id, 5)
    old = {m["uuid"] for m in device.messages(chat_id)[4]["threads"][0]["messages"]}
    fork = device.chat(device.fork(chat_id, new_uuids=True))
    new = {m["uuid"] for m in fork["messages"][4]["threads"][0]["messages"]}
    assert len(new) == len(old) == 3
    assert not new & old
    assert fork["tokenUsage"] is None
    dates = [m["createdAt"] for m in fork["messages"]]
    assert dates == sorted(dates)


def test_a_divider_stays_nothing_but_its_type() -> None:
    device, chat_id = talked("2024")
    device.messages(chat_id).append({"type": "clear-context"})
    assert device.messages(device.fork(chat_id))[-1] == {"type": "clear-context"}


@pytest.mark.parametrize("upto", [3, -5])
def test_a_fork_ends_with_the_message_at_which_it_was_made(upto: int) -> None:
    device, chat_id = talked("2026")
    assert device.messages(device.fork(chat_id, upto)) == device.messages(chat_id)[:4]


def test_a_fork_shares_nothing_with_its_chat() -> None:
    device, chat_id = talked("2026")
    fork_id = device.fork(chat_id)
    device.edit(fork_id, 0, "Only here.")
    device.talk(fork_id, 1)
    assert len(device.messages(chat_id)) == 8
    assert texts(device.messages(chat_id))[0] != "Only here."


@pytest.mark.parametrize("build", ["2024", "2026"])
def test_a_restored_chat_is_a_copy_with_new_uuids_under_a_title_that_says_so(build: Build) -> None:
    device, chat_id = talked(build)
    before = device.chat(chat_id)
    back = device.chat(device.restore(chat_id))
    assert chat_id not in device.chats
    assert back["chatTitle"] == "(Restored) The lighthouse"
    assert texts(back["messages"]) == texts(before["messages"])
    assert not {m["uuid"] for m in back["messages"]} & {m["uuid"] for m in before["messages"]}
