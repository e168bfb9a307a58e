"""The finished chat: what we write stands where it belongs, and everything else is as it was."""

import json
from dataclasses import replace

import pytest

from rules.conversation.marker import Draft
from rules.output.assemble import Assembled, Mode
from rules.output.prove import verify
from rules.typingmind.message import read_message
from rules.typingmind.originals import plain_original
from tests.entries import chat_of, entries, fold_of, memory_of, said, with_edition
from tests.rules.output.finishing import CANNED, NOW, TALK, chunk, finish, kinds, spoken

ONE, TWO = memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))


def test_the_order_is_opening_memories_closing_live_tail() -> None:
    messages = finish(chat_of(TALK), [ONE, TWO]).messages
    assert kinds(messages) == ["opening", *["memory"] * 12, "closing", *["raw"] * 4]
    opening = Draft.opening(chat_of(TALK).chat_id, CANNED.opening)
    assert (messages[0]["content"], messages[0]["uuid"]) == (CANNED.opening, opening.uuid)
    assert messages[13]["content"] == CANNED.closing


def test_a_memory_is_three_questions_with_their_answers() -> None:
    messages = finish(chat_of(TALK), [ONE]).messages[1:7]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 3
    assert [message["memproc"]["slot"] for message in messages] == [1, 2, 3, 4, 5, 6]


def test_live_messages_are_the_input_s_own_bytes() -> None:
    odd = replace(
        TALK[7], raw=TALK[7].raw.replace(b'"role"', b' "n" : 69.2240, "big":1E400 ,"role"')
    )
    chat = chat_of([*TALK[:7], odd])
    finished = finish(chat, [memory_of(1, chunk(0, 4))]).assembled.chat
    assert odd.raw in finished
    assert b", ".join(message.raw for message in [*TALK[4:7], odd]) in finished


def test_how_messages_are_spelled_makes_no_other_output_and_what_they_hold_does() -> None:
    def spelled(*changes: tuple[bytes, bytes]) -> Assembled:
        raw = TALK[7].raw
        for old, new in changes:
            assert old in raw
            raw = raw.replace(old, new)
        return finish(chat_of([*TALK[:7], replace(TALK[7], raw=raw)]), [ONE]).assembled

    plain = spelled((b'"role"', b'"n": 69.224, "whole": 7, "word": "\xc3\xa9", "role"'))
    again = spelled((b'"role"', b'\n  "word" :"\\u00e9",\n  "whole": 7.0, "n":69.2240,"role"'))
    other = spelled((b'"role"', b'"n": 69.225, "whole": 7, "word": "\xc3\xa9", "role"'))
    assert plain.messages_sha256 == again.messages_sha256
    assert plain.messages_sha256 != other.messages_sha256


def test_what_is_left_out_stays_where_it_stands() -> None:
    training = said("user", "be kind", 90, type="training-message")
    cleared = said("user", "never mind", 91, contextClearedAt=NOW)
    chat = chat_of([training, *TALK[:2], cleared, *TALK[2:]])
    messages = finish(chat, [memory_of(1, chunk(0, 4)), memory_of(2, chunk(4, 6))]).messages
    assert messages[0] == json.loads(training.raw)
    assert kinds(messages) == [
        "raw",
        "opening",
        *["memory"] * 6,
        "raw",
        *["memory"] * 6,
        "closing",
        "raw",
        "raw",
    ]
    assert messages[8] == json.loads(cleared.raw)


def test_a_generated_answer_has_the_keys_of_the_chat_s_own_answers() -> None:
    ended = {"finish": "length", "stop_reason": "max_tokens", "stop_sequence": None}
    counted = {"usage": {"total_tokens": 9}, "keywords": ["a"], "tool_calls": []}
    template = said(
        "assistant", "hello", 1, id="msg_1", type="message", model="m", **ended, **counted
    )
    chat = chat_of([TALK[0], template, TALK[2]])
    answer = finish(chat, [memory_of(1, entries([TALK[0], template]))]).messages[2]
    assert set(answer) == (set(json.loads(template.raw)) | {"memproc"}) - {"tool_calls"}
    assert answer["usage"] == {"total_tokens": 0}
    assert (answer["finish"], answer["stop_reason"], answer["keywords"]) == ("stop", "end_turn", [])
    assert answer["content"] == [{"type": "text", "text": "message number 0"}]


def test_dates_of_our_messages_lie_inside_what_they_stand_for_and_never_go_back() -> None:
    messages = finish(chat_of(TALK), [ONE, TWO]).messages
    dates = [message["createdAt"] for message in messages]
    assert dates == sorted(dates)
    first, second = (
        [f"2026-03-02T00:0{minute}:00.00{slot}Z" for slot in range(6)] for minute in (0, 2)
    )
    assert dates[:14] == ["2026-03-02T00:00:00.000Z", *first, *second, "2026-03-02T00:03:00.000Z"]


def test_dates_of_other_messages_do_not_move_ours_out_of_what_they_stand_for() -> None:
    later = said(
        "user", "be kind", 90, type="training-message", createdAt="2027-01-01T00:00:00.000Z"
    )
    earlier = said("user", "regenerated", 91, createdAt="2026-01-01T00:00:00.000Z")
    dates = [
        message["createdAt"]
        for message in finish(chat_of([later, *TALK[:4], earlier]), [ONE]).messages
    ]
    assert dates[1:9] == ["2026-03-02T00:00:00.000Z"] * 8


def test_equal_dates_as_a_fork_gives_them_stay_equal() -> None:
    forked = [said(("user", "assistant")[at % 2], f"m {at}", at, createdAt=NOW) for at in range(6)]
    messages = finish(chat_of(forked), [memory_of(1, chunk(0, 4, forked))]).messages
    assert {message["createdAt"] for message in messages} == {NOW}


def test_removed_messages_are_named_for_the_sync_beside_those_named_before() -> None:
    chat = chat_of(
        TALK, syncMetadata={"deletedMessageUUIDs": ["older"], "deletedSyncedBlobIDs": [7.50]}
    )
    sync = finish(chat, [memory_of(1, chunk(0, 4))]).after["syncMetadata"]
    assert sync["deletedMessageUUIDs"] == ["older", *(message.uuid for message in TALK[:4])]
    assert sync["deletedSyncedBlobIDs"] == [7.5]


def test_a_chat_without_sync_metadata_gets_it_and_one_with_null_too() -> None:
    for chat in (chat_of(TALK), chat_of(TALK, syncMetadata=None), chat_of(TALK, syncMetadata={})):
        sync = finish(chat, [memory_of(1, chunk(0, 4))]).after["syncMetadata"]
        assert sync == {"deletedMessageUUIDs": [message.uuid for message in TALK[:4]]}


def test_the_chat_s_time_of_update_moves_and_its_other_fields_do_not() -> None:
    chat = chat_of(
        TALK,
        updatedAt="2026-03-02T09:00:00.000Z",
        tokenUsage={"totalCostUSD": 69.224},
        createdAt="x",
    )
    found = finish(chat, [memory_of(1, chunk(0, 4))]).after
    assert found["updatedAt"] == NOW
    assert (found["tokenUsage"], found["createdAt"]) == ({"totalCostUSD": 69.224}, "x")


def test_our_own_output_is_recognized_and_nothing_changes() -> None:
    first = finish(chat_of(TALK), [ONE, TWO])
    again = first.again()
    second = finish(again, [ONE, TWO]).assembled
    assert first.assembled.changed
    assert (second.changed, second.removed, second.chat) == (False, (), again.slice(again.span))
    assert (second.messages_sha256, second.ours_sha256) == (
        first.assembled.messages_sha256,
        first.assembled.ours_sha256,
    )
    assert all(len(digest) == 64 for digest in (second.messages_sha256, second.ours_sha256))


def test_a_further_memory_goes_behind_those_that_stand_there_which_keep_their_bytes() -> None:
    first = finish(chat_of(TALK), [ONE])
    found = finish(first.again(), [ONE, TWO])
    assert spoken(found.messages) == ["opening", "m1", "m2", "closing", "4", "5", "6", "7"]
    assert found.messages[:7] == first.messages[:7]
    assert first.messages[7]["uuid"] in found.assembled.removed
    assert verify(found.proof) == ()


def test_the_same_memories_give_the_same_bytes() -> None:
    memories = [memory_of(1, chunk(0, 4))]
    assert finish(chat_of(TALK), memories).assembled == finish(chat_of(TALK), memories).assembled


def test_a_memory_in_another_edition_takes_the_place_of_the_one_before_and_names_it_for_the_sync() -> (
    None
):
    first = finish(chat_of(TALK), [ONE, TWO])
    found = finish(first.again(), [with_edition(ONE, 2), TWO])
    assert spoken(found.messages) == spoken(first.messages)
    assert [message["memproc"]["edition"] for message in found.messages[1:13]] == [2] * 6 + [1] * 6
    assert found.messages[7:] == first.messages[7:]
    assert set(found.assembled.removed) == {message["uuid"] for message in first.messages[1:7]}
    assert verify(found.proof) == ()


def test_of_a_fork_no_new_message_of_ours_is_dated_later_than_those_behind_it() -> None:
    """A fork gives every message the same date; a renewed memory in front must not go past those behind it."""
    first = finish(chat_of(TALK), [ONE, TWO])
    forked = [
        read_message(json.dumps(one | {"createdAt": TALK[0].created_at}).encode())
        for one in first.messages
    ]
    ours_alone = [*forked[:14], *TALK[4:]]
    for chat in (chat_of(forked), chat_of(ours_alone)):
        found = finish(chat, [with_edition(ONE, 2), TWO])
        dates = [message["createdAt"] for message in found.messages if "memproc" in message]
        assert dates == sorted(dates)
        assert verify(found.proof) == ()


def test_a_fold_stands_in_the_place_of_its_memories_with_their_quotes_and_its_level() -> None:
    fold = fold_of(1, [ONE, TWO])
    first = finish(chat_of(TALK), [ONE, TWO, memory_of(3, chunk(4, 6))])
    found = finish(
        first.again(),
        [ONE, TWO, memory_of(3, chunk(4, 6)), fold],
        shown=[fold, memory_of(3, chunk(4, 6))],
    )
    assert spoken(found.messages) == ["opening", "f2.1", "m3", "closing", "6", "7"]
    assert {message["memproc"]["level"] for message in found.messages[1:7]} == {2}
    assert found.messages[2]["content"][0]["text"] == "message number 0\n\nmessage number 2"
    assert verify(found.proof) == ()
    back = finish(
        found.again(),
        [ONE, TWO, memory_of(3, chunk(4, 6)), fold],
        shown=[ONE, TWO, *first.proof.section.shown[2:]],
    )
    assert spoken(back.messages) == ["opening", "m1", "m2", "m3", "closing", "6", "7"]
    assert verify(back.proof) == ()


ODD = replace(TALK[1], raw=TALK[1].raw.replace(b'"role"', b' "n" : 69.2240, "big":1E400 ,"role"'))
KEPT = [TALK[0], ODD, *TALK[2:]]


def test_originals_stay_behind_their_memory_shown_and_no_longer_sent() -> None:
    done = finish(chat_of(KEPT), [ONE, TWO], mode="keep-originals", archived=KEPT)
    assert spoken(done.messages) == [
        "opening", "m1", "(0)", "(1)", "m2", "closing", "(2)", "(3)", "4", "5", "6", "7"
    ]  # fmt: skip
    originals = [
        message for message in done.messages if message.get("memproc", {}).get("kind") == "original"
    ]
    assert [one["contextClearedAt"] for one in originals] == [ONE.ended_at] * 2 + [TWO.ended_at] * 2
    assert "syncMetadata" not in done.after
    assert done.assembled.removed == ()
    assert verify(done.proof) == ()


def test_originals_of_a_memory_without_dates_are_excluded_at_their_own_date_or_the_earliest() -> (
    None
):
    undated = replace(ONE, began_at=None, ended_at=None)
    bare = said("assistant", "message number 1", 1, createdAt=None)
    talk = [TALK[0], bare, *TALK[2:]]
    done = finish(chat_of(talk), [undated], mode="keep-originals", archived=talk)
    originals = [
        message for message in done.messages if message.get("memproc", {}).get("kind") == "original"
    ]
    assert [one["contextClearedAt"] for one in originals] == [
        TALK[0].created_at,
        "1970-01-01T00:00:00.000Z",
    ]


def test_devices_that_sort_by_date_keep_every_memory_before_its_originals() -> None:
    """TypingMind does when it merges them, and equal dates keep their order."""
    done = finish(chat_of(TALK), [ONE, TWO], mode="keep-originals")
    assert sorted(done.messages, key=lambda message: str(message["createdAt"])) == done.messages


def test_an_original_without_our_fields_is_the_person_s_own_bytes() -> None:
    done = finish(chat_of(KEPT), [ONE, TWO], mode="keep-originals", archived=KEPT)
    chat = done.again()
    raws = [chat.slice(span) for span in chat.messages]
    assert [plain_original(raws[at]) for at in (7, 8, 16, 17)] == [
        message.raw for message in KEPT[:4]
    ]
    assert raws[-4:] == [message.raw for message in KEPT[4:]]


def test_originals_that_are_kept_once_are_kept_the_same_way_ever_after() -> None:
    first = finish(chat_of(KEPT), [ONE], mode="keep-originals", archived=KEPT)
    same = finish(first.again(), [ONE], mode="keep-originals", archived=KEPT)
    assert (same.assembled.changed, same.assembled.chat) == (False, first.assembled.chat)
    more = finish(first.again(), [ONE, TWO], mode="keep-originals", archived=KEPT)
    at_once = finish(chat_of(KEPT), [ONE, TWO], mode="keep-originals", archived=KEPT)
    assert [spoken(done.messages) for done in (more, at_once)] == [
        ["opening", "m1", "(0)", "(1)", "m2", "closing", "(2)", "(3)", "4", "5", "6", "7"]
    ] * 2
    assert verify(more.proof) == ()


def test_an_original_that_the_person_took_back_into_the_context_is_put_out_of_it_again() -> None:
    first = finish(chat_of(TALK), [ONE], mode="keep-originals")
    sent = [{key: one[key] for key in one if key != "contextClearedAt"} for one in first.messages]
    found = finish(
        chat_of([read_message(json.dumps(one).encode()) for one in sent]),
        [ONE],
        mode="keep-originals",
    )
    assert [one.get("contextClearedAt") for one in found.messages[8:10]] == [ONE.ended_at] * 2
    assert verify(found.proof) == ()


def test_originals_go_when_the_mode_is_replace_again() -> None:
    first = finish(chat_of(TALK), [ONE], mode="keep-originals")
    found = finish(first.again(), [ONE])
    assert spoken(found.messages) == ["opening", "m1", "closing", *"234567"]
    assert found.after["syncMetadata"]["deletedMessageUUIDs"] == [
        message.uuid for message in TALK[:2]
    ]
    assert verify(found.proof) == ()


def test_a_chat_of_its_own_names_nothing_for_the_sync_since_it_never_had_it() -> None:
    replaced, own = finish(chat_of(TALK), [ONE]), finish(chat_of(TALK), [ONE], mode="new-chat")
    assert own.messages == replaced.messages
    assert "syncMetadata" not in own.after
    assert own.assembled.removed == ()
    assert verify(own.proof) == ()


@pytest.mark.parametrize("mode", ["replace", "keep-originals", "new-chat"])
def test_messages_inserted_among_those_under_memories_stay_where_they_stand_in_every_mode(
    mode: Mode,
) -> None:
    stray = said("user", "a stray", 70)
    done = finish(chat_of([TALK[0], stray, *TALK[1:]]), [ONE, TWO], mode=mode)
    assert [name for name in spoken(done.messages) if not name.startswith("(")] == [
        "opening", "m1", "a stray", "m2", "closing", *"4567"
    ]  # fmt: skip
    assert stray.raw in done.assembled.chat
    assert verify(done.proof) == ()
