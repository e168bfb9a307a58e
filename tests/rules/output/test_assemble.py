"""The finished chat: what we write stands where it belongs, and everything else is as it was."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rules.export.chat import Chat, read_messages
from rules.export.message import Message
from rules.history.entries import Entry, history
from rules.history.recognise import recognise
from rules.memory.memory import Memory
from rules.output.assemble import Assembled, Canned, assemble
from tests.entries import chat_of, entries, memory_of, said

CANNED = Canned("<system>\nMemories follow.\n</system>", "<system>\nThe live conversation follows.\n</system>")
NOW = "2026-04-01T12:00:00.000Z"
TALK = [said(("user", "assistant")[at % 2], f"message number {at}", at) for at in range(8)]


def put_together(chat: Chat, memories: Sequence[Memory]) -> Assembled:
    places = recognise(read_messages(chat), {})
    under = {key: memory.number for memory in memories for key in memory.keys}
    found = tuple(replace(entry, memory=under.get(entry.key)) for entry in history((), places))
    return assemble(chat, places, found, memories, CANNED, NOW)


def after(chat: Chat, memories: Sequence[Memory]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(put_together(chat, memories).chat)
    return read


def kinds(messages: Sequence[dict[str, Any]]) -> list[str]:
    return [message.get("memproc", {}).get("kind", "raw") for message in messages]


def chunk(start: int, stop: int, messages: Sequence[Message] = TALK) -> tuple[Entry, ...]:
    return entries(messages)[start:stop]


def test_the_order_is_opening_memories_closing_live_tail() -> None:
    messages = after(chat_of(TALK), [memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))])["messages"]
    assert kinds(messages) == ["opening", *["memory"] * 12, "closing", *["raw"] * 4]
    assert [message["content"] for message in messages[:1]] == [CANNED.opening]
    assert messages[13]["content"] == CANNED.closing


def test_a_memory_is_three_questions_with_their_answers() -> None:
    messages = after(chat_of(TALK), [memory_of(1, chunk(0, 2))])["messages"][1:7]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 3
    assert [message["memproc"]["slot"] for message in messages] == [1, 2, 3, 4, 5, 6]


def test_live_messages_are_the_input_s_own_bytes() -> None:
    odd = replace(TALK[7], raw=TALK[7].raw.replace(b'"role"', b' "n" : 69.2240, "big":1E400 ,"role"'))
    chat = chat_of([*TALK[:7], odd])
    finished = put_together(chat, [memory_of(1, chunk(0, 4))]).chat
    assert odd.raw in finished
    assert b", ".join(message.raw for message in [*TALK[4:7], odd]) in finished


def test_what_is_left_out_stays_where_it_stands() -> None:
    training = said("user", "be kind", 90, type="training-message")
    cleared = said("user", "never mind", 91, contextClearedAt=NOW)
    chat = chat_of([training, *TALK[:2], cleared, *TALK[2:]])
    messages = after(chat, [memory_of(1, chunk(0, 4)), memory_of(2, chunk(4, 6))])["messages"]
    assert messages[0] == json.loads(training.raw)
    assert kinds(messages) == ["raw", "opening", *["memory"] * 6, "raw", *["memory"] * 6, "closing", "raw", "raw"]
    assert messages[8] == json.loads(cleared.raw)


def test_a_generated_answer_has_the_keys_of_the_chat_s_own_answers() -> None:
    ended = {"finish": "length", "stop_reason": "max_tokens", "stop_sequence": None}
    counted = {"usage": {"total_tokens": 9}, "keywords": ["a"], "tool_calls": []}
    template = said("assistant", "hello", 1, id="msg_1", type="message", model="m", **ended, **counted)
    chat = chat_of([TALK[0], template, TALK[2]])
    answer = after(chat, [memory_of(1, entries([TALK[0], template]))])["messages"][2]
    assert set(answer) == (set(json.loads(template.raw)) | {"memproc"}) - {"tool_calls"}
    assert answer["usage"] == {"total_tokens": 0}
    assert (answer["finish"], answer["stop_reason"], answer["keywords"]) == ("stop", "end_turn", [])
    assert answer["content"] == [{"type": "text", "text": "message number 0"}]


def test_dates_of_our_messages_lie_inside_what_they_stand_for_and_never_go_back() -> None:
    messages = after(chat_of(TALK), [memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))])["messages"]
    dates = [message["createdAt"] for message in messages]
    assert dates == sorted(dates)
    assert dates[1:7][-1] <= "2026-03-02T00:01:00.000Z"
    assert dates[7] >= "2026-03-02T00:02:00.000Z"


def test_equal_dates_as_a_fork_gives_them_stay_equal() -> None:
    forked = [said(("user", "assistant")[at % 2], f"m {at}", at, createdAt=NOW) for at in range(6)]
    messages = after(chat_of(forked), [memory_of(1, chunk(0, 4, forked))])["messages"]
    assert {message["createdAt"] for message in messages} == {NOW}


def test_removed_messages_are_named_for_the_sync_beside_those_named_before() -> None:
    chat = chat_of(TALK, syncMetadata={"deletedMessageUUIDs": ["older"], "deletedSyncedBlobIDs": [7.50]})
    sync = after(chat, [memory_of(1, chunk(0, 4))])["syncMetadata"]
    assert sync["deletedMessageUUIDs"] == ["older", *(message.uuid for message in TALK[:4])]
    assert sync["deletedSyncedBlobIDs"] == [7.5]


def test_a_chat_without_sync_metadata_gets_it_and_one_with_null_too() -> None:
    for chat in (chat_of(TALK), chat_of(TALK, syncMetadata=None), chat_of(TALK, syncMetadata={})):
        sync = after(chat, [memory_of(1, chunk(0, 4))])["syncMetadata"]
        assert sync == {"deletedMessageUUIDs": [message.uuid for message in TALK[:4]]}


def test_the_chat_s_time_of_update_moves_and_its_other_fields_do_not() -> None:
    chat = chat_of(TALK, updatedAt="2026-03-02T09:00:00.000Z", tokenUsage={"totalCostUSD": 69.224}, createdAt="x")
    found = after(chat, [memory_of(1, chunk(0, 4))])
    assert found["updatedAt"] == NOW
    assert (found["tokenUsage"], found["createdAt"]) == ({"totalCostUSD": 69.224}, "x")


def test_our_own_output_is_recognised_and_nothing_changes() -> None:
    memories = [memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))]
    first = put_together(chat_of(TALK), memories)
    again = chat_of([], note="again")
    raws = json.loads(first.chat)["messages"]
    again = chat_of(tuple(_message(raw) for raw in raws))
    second = put_together(again, memories)
    assert not second.changed
    assert second.chat == again.slice(again.span)


def test_a_further_memory_goes_behind_those_that_stand_there_which_keep_their_bytes() -> None:
    memories = [memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))]
    one = json.loads(put_together(chat_of(TALK), memories[:1]).chat)["messages"]
    found = put_together(chat_of(tuple(_message(raw) for raw in one)), memories)
    messages = json.loads(found.chat)["messages"]
    assert kinds(messages) == ["opening", *["memory"] * 12, "closing", *["raw"] * 4]
    assert messages[:7] == one[:7]
    assert one[7]["uuid"] in found.removed


def test_the_same_memories_give_the_same_bytes() -> None:
    memories = [memory_of(1, chunk(0, 4))]
    assert put_together(chat_of(TALK), memories).chat == put_together(chat_of(TALK), memories).chat


def _message(raw: dict[str, Any]) -> Message:
    from rules.export.message import read_message

    return read_message(json.dumps(raw).encode())
