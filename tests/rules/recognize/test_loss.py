"""A history that is suddenly gone is skipped with a reason; what people do to a chat every day is not."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Place
from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, text_digest, write_marker
from rules.recognize.absent import Deletions, sort_absent
from rules.recognize.known import Known, KnownMessage
from rules.recognize.loss import Lost, judge_loss
from rules.recognize.recognize import recognize
from rules.typingmind.message import read_message
from tests.chats import START, Json, assistant, json_bytes, user

SHOWN = {"m1": True}
SECRET = "sesame"


def talk(turns: int, first: int = 1) -> list[Json]:
    """Questions and answers, a turn a day; all of them say a word that no reason may repeat."""
    days = [(number, START + timedelta(days=number - 1)) for number in range(first, first + turns)]
    return [
        one
        for number, at in days
        for one in (
            user(f"{SECRET} {number}?", number, at=at),
            assistant(f"{SECRET} {number}.", number, at=at),
        )
    ]


def ours(kind: str, text: str, number: int, **more: object) -> Json:
    said = assistant if more.get("slot") in (2, 4, 6) else user
    return said(text, number, memproc=write_marker(Marker(kind, text_digest(text))) | more)


def memory(name: str = "m1", number: int = 9_100) -> list[Json]:
    return [
        ours(MEMORY, f"{name} {slot}", number + slot, memory=name, slot=slot)
        for slot in range(1, 7)
    ]


OPEN, CLOSE = ours(OPENING, "They begin.", 9_000), ours(CLOSING, "They end.", 9_001)
FRONT = [OPEN, *memory(), CLOSE]


WRITTEN = {
    one["uuid"]: Marker(one["memproc"]["kind"], one["memproc"]["text"]) for one in (OPEN, CLOSE)
}


def places(messages: Sequence[Json]) -> tuple[Place, ...]:
    return recognize([read_message(json_bytes(one)) for one in messages], WRITTEN)


def known(messages: Sequence[Json]) -> list[KnownMessage]:
    """What stood in the chat the last time."""
    here = [place for place in places(messages) if place.ours is None]
    return [
        KnownMessage(
            place.key,
            place.message.uuid,
            place.message.digest,
            place.message.role,
            place.message.created_at,
        )
        for place in here
    ]


def looked(
    before: Sequence[Json],
    now: Sequence[Json],
    memories: Mapping[str, bool] = SHOWN,
    deleted: Collection[str] = (),
    archived: Sequence[Json] = (),
) -> Lost | None:
    """What is said of the export `now`; `archived` are raw messages that stand under memories."""
    standing = known(before)
    keys = {one.key for one in [*standing, *known(archived)]}
    last = Known("c", live=standing, seen=dict.fromkeys(keys, ""))
    lacks = sort_absent(last, places(now), Deletions(frozenset(deleted)), ())
    return judge_loss(lacks, memories, places(now))


def lost_there(
    standing: Sequence[KnownMessage], here: Sequence[Place], keys: Collection[str]
) -> Lost | None:
    last = Known("c", live=standing, seen=dict.fromkeys(keys, ""))
    return judge_loss(sort_absent(last, here, Deletions(), ()), SHOWN, here)


def reason(found: Lost | None) -> str:
    assert found is not None
    return found.reason


def uuids(messages: Sequence[Json]) -> list[str]:
    return [one["uuid"] for one in messages]


def thread(messages: Sequence[Json]) -> Json:
    return {
        "messages": list(messages),
        "createdAt": "2026-11-07T09:00:00.000Z",
        "userMessageContent": "Again",
    }


def sent_again(messages: Sequence[Json], at: int, *after: Json) -> list[Json]:
    """What TypingMind does when message `at` is regenerated: all behind it goes into a branch."""
    threads = [*messages[at].get("threads", []), thread(messages[at + 1 :])]
    return [*messages[:at], messages[at] | {"threads": threads}, *after]


def renamed(messages: Sequence[Json]) -> list[Json]:
    return [one | {"uuid": f"new-{number}"} for number, one in enumerate(messages)]


OLD = FRONT + talk(30)
NEW = talk(2, first=900)
ANSWER = assistant("Another answer.", 9_900)

ORDINARY: dict[str, tuple[list[Json], Collection[str]]] = {
    "nothing happened": (OLD, ()),
    "it went on": (OLD + talk(30, first=31), ()),
    "it went on without the memories' markers": (renamed(OLD)[8:], ()),
    "the newest answer was regenerated": (sent_again(OLD, len(OLD) - 2, ANSWER), ()),
    "the newest answer was regenerated twice": (
        sent_again(sent_again(OLD, len(OLD) - 2, ANSWER), len(OLD) - 2, assistant("A third.", 9_901)), (),
    ),
    "the newest answer was regenerated in an old build": ([*OLD[:-1], ANSWER], ()),
    "every message was edited": ([one | {"content": f"new {at}"} for at, one in enumerate(OLD)], ()),
    "messages were put in between": (OLD[:20] + NEW + OLD[20:], ()),
    "eight were deleted in the middle in an old build": (OLD[:20] + OLD[28:], ()),
    "the newest two were deleted in an old build": (OLD[:-2], ()),
    "the newest eight were taken back in an old build, and it went on": (OLD[:-8] + NEW, ()),
    "the newest eight were deleted by hand": (OLD[:-8], uuids(OLD[-8:])),
    "every message has a new name": (renamed(OLD), ()),
    "the older copy is whole": (talk(40, first=-9), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDINARY)
def test_what_people_do_every_day_is_no_loss(name: str) -> None:
    now, deleted = ORDINARY[name]
    assert looked(OLD, now, deleted=deleted) is None


def test_a_long_answer_with_its_tools_may_be_regenerated() -> None:
    steps = [assistant(f"step {number}", 700 + number) for number in range(12)]
    steps += [
        {"role": "tool", "uuid": f"t{number}", "content": "x", "tool_call_id": "c"}
        for number in range(12)
    ]
    before = [*FRONT, *talk(1), user("Go.", 800), *steps]
    assert looked(before, sent_again(before, 10, ANSWER)) is None


def test_without_memories_nothing_is_lost() -> None:
    assert looked(OLD, [], memories={}) is None


def test_of_a_chat_never_seen_before_nothing_is_lost() -> None:
    assert looked([], sent_again(OLD, 3, ANSWER)) is None


def test_a_message_of_ours_sent_again_takes_the_chat_with_it() -> None:
    found = looked(OLD, sent_again(OLD, 7, ANSWER))
    assert reason(found) == (
        "Everything after message 8 of the chat, which is one of memproc's own, went into another branch of it "
        "(60 messages, the oldest from 2024-11-07), since that message was regenerated, or edited and sent again."
    )
    assert found is not None
    assert found.next_step == (
        "Use the arrows at that message in TypingMind to go back to the other branch, and export the chat again; "
        "or, to go on from here, fork the chat there and export the fork."
    )


def test_a_branch_with_the_memories_is_told_by_its_messages() -> None:
    found = looked(OLD, sent_again(OLD, 0, ANSWER), memories={"m1": False})
    assert "after message 1 of the chat, which is one of memproc's own, went" in reason(found)
    assert "(60 messages," in reason(found)


UNFINISHED = ANSWER | {"tmMetadata": {"incomplete": True}}
BACK = len(OLD) - 6
"""The question two turns before the newest: five messages follow it."""


@pytest.mark.parametrize(
    "after",
    {
        "an answer": (ANSWER,),
        "an answer that is not finished": (UNFINISHED,),
        "no answer yet": (),
        "a question alone in its place": (ANSWER, user("And?", 9_902)),
    }.values(),
    ids=str,
)
def test_a_branch_of_up_to_eight_messages_is_no_loss(after: Sequence[Json]) -> None:
    assert looked(OLD, sent_again(OLD, BACK, *after)) is None
    assert looked(OLD, sent_again(OLD, len(OLD) - 9, *after)) is None
    assert "went into another branch" in reason(looked(OLD, sent_again(OLD, len(OLD) - 10, *after)))


def test_what_is_gone_is_counted_in_all_whatever_explains_it() -> None:
    now = sent_again(OLD, BACK, ANSWER)
    assert looked(OLD, now[:20] + now[23:], deleted=uuids(OLD[20:23])) is None
    assert looked(OLD, now[:20] + now[22:30] + now[31:], deleted=uuids(OLD[20:22])) is None
    assert "went into another branch" in reason(
        looked(OLD, now[:20] + now[22:30] + now[32:], deleted=uuids(OLD[20:22]))
    )
    deleted = reason(looked(OLD, OLD[:-9], deleted=uuids(OLD[-9:])))
    assert "(9 messages; TypingMind names 9 as deleted)" in deleted


def test_an_answer_regenerated_two_turns_back_is_ordinary_and_so_is_the_way_back() -> None:
    on = [ANSWER, *talk(1, first=900)]
    now = sent_again(OLD, BACK, *on)
    assert looked(OLD, now) is None
    back = [*OLD[:BACK], OLD[BACK] | {"threads": [thread(on)]}, *OLD[BACK + 1 :]]
    assert looked(now, back, archived=OLD[BACK + 1 :]) is None
    assert looked(back, now, archived=on) is None


def test_a_memory_in_a_branch_is_a_loss_where_nothing_else_stood() -> None:
    assert "(1 of 1)" in reason(looked([], sent_again(FRONT, 0, ANSWER), {"m1": False}))


def test_a_branch_within_a_branch_is_found() -> None:
    twice = sent_again(sent_again(OLD, 40, ANSWER, *NEW), 12, *talk(1, first=950))
    assert "after message 13 of the chat went into another branch of it (55 messages" in reason(
        looked(OLD, twice)
    )


def test_a_branch_is_found_where_every_message_has_a_new_name() -> None:
    assert "after message 8 of" in reason(looked(OLD, sent_again(renamed(OLD), 7, ANSWER)))


def test_nameless_messages_are_found_in_a_branch_by_what_they_say() -> None:
    nameless = FRONT + [
        {key: value for key, value in one.items() if key != "uuid"} for one in talk(5)
    ]
    assert "(10 messages" in reason(looked(nameless, sent_again(nameless, 7, ANSWER)))


def test_the_branch_that_was_gone_back_to_leaves_an_ordinary_one_behind() -> None:
    back = [*OLD[:7], OLD[7] | {"threads": [thread([ANSWER, *NEW])]}, *OLD[8:]]
    assert looked(OLD, back) is None
    assert looked(OLD, back[:-1]) is None


def test_a_fork_that_keeps_its_origins_memories_in_a_branch_goes_on() -> None:
    before = [*sent_again(FRONT, 0, ANSWER), *talk(12)]
    assert looked(before, sent_again(before, len(before) - 2, ANSWER)) is None
    assert looked(before, before, memories={"m7": False}) is None


def test_an_old_branch_that_says_the_same_by_chance_is_none_of_it() -> None:
    before = [*FRONT, *talk(5), user("ok", 600), *talk(5, first=601)]
    before[8] |= {"threads": [thread([user("ok", 599)])]}
    assert looked(before, [one for one in before if one["content"] != "ok"]) is None


MANY = {f"m{number}": True for number in range(1, 6)}


def test_more_than_eight_messages_gone_are_a_loss() -> None:
    assert reason(looked(OLD, [*FRONT, *OLD[17:]])) == (
        "Much of what was under no memory the last time is gone (9 messages, the oldest from 2024-11-07)."
    )
    assert looked(OLD, [*FRONT, *OLD[16:]]) is None


def test_another_talk_under_the_same_id_is_a_loss_however_short_the_old_one_was() -> None:
    assert "(1 of 1)" in reason(looked(FRONT + talk(2), NEW, {"m1": False}))
    assert looked(FRONT + talk(2), FRONT + NEW) is None


@pytest.mark.parametrize(("hidden", "lost_some"), [(0, False), (2, False), (3, True), (5, True)])
def test_more_than_half_of_the_memories_gone_is_a_loss(hidden: int, lost_some: bool) -> None:
    shown = MANY | dict.fromkeys(list(MANY)[:hidden], False)
    found = looked(OLD, OLD, shown)
    assert (found is not None) is lost_some
    if found is not None:
        assert found.reason == f"Most of the chat's memories are gone ({hidden} of 5)."


def test_the_only_memory_may_go() -> None:
    assert looked(OLD, OLD[8:], {"m1": False}) is None


def test_an_older_copy_is_a_loss() -> None:
    assert reason(looked(OLD, OLD[:-3])) == (
        "This is an older copy of the chat: the newest messages are missing "
        "(3 messages, the oldest from 2024-12-05), and nothing new came."
    )


def test_an_older_copy_from_before_the_memories_is_one_too() -> None:
    under = talk(4, first=-3)
    assert "older copy" in reason(looked(OLD, under + talk(28), archived=under))
    assert looked(OLD, under + talk(28)) is None, "what the archive does not know is new"


def test_a_talk_that_went_on_from_an_older_copy_is_a_loss() -> None:
    found = looked(OLD, OLD[:-9] + NEW)
    assert reason(found) == (
        "This export goes on from an older state: the newest messages are missing "
        "(9 messages, the oldest from 2024-12-02), and 4 messages came."
    )
    assert found is not None
    assert found.next_step.endswith(
        "fork the chat in TypingMind, so that it has an id of its own, and export the fork."
    )


def test_the_same_words_by_chance_hide_no_loss() -> None:
    before = [*OLD, user("ok", 600), *talk(4, first=601)]
    assert "(16 messages" in reason(looked(before, [*OLD[:-8], user("ok", 777), *NEW]))


def test_the_older_copys_deletions_by_hand_are_no_loss() -> None:
    assert looked(OLD, OLD[:-4], deleted=uuids(OLD[-4:-2])) is None
    assert "(3 messages" in reason(looked(OLD, OLD[:-4], deleted=uuids(OLD[-4:-3])))


def test_a_message_is_known_again_by_its_key_or_by_its_uuid() -> None:
    edited = [*OLD[:-3], *(one | {"content": "new"} for one in OLD[-3:])]
    elsewhere = [
        *OLD[:-3],
        *(one | {"content": "new", "uuid": f"new {one['uuid']}"} for one in OLD[-3:]),
    ]
    standing = known(OLD)
    keys = [one.key for one in standing]
    by_key = [replace(place, key=place.key.removeprefix("new ")) for place in places(elsewhere)]
    assert lost_there(standing, by_key, keys) is None
    by_uuid = [replace(place, key=f"{place.key}#2") for place in places(edited)]
    assert lost_there(standing, by_uuid, [place.key for place in by_uuid]) is None
    assert (
        lost_there(standing, places(elsewhere), [place.key for place in places(elsewhere)])
        is not None
    )


def test_a_message_is_found_again_for_one_that_stood_there_not_for_two() -> None:
    twice = [*OLD, *(one | {"content": f"again {at}"} for at, one in enumerate(OLD[8:11]))]
    assert "older copy" in reason(looked(twice, OLD))


def test_messages_without_dates_are_counted_alone() -> None:
    dateless = [*FRONT, *({**one, "createdAt": "yesterday"} for one in talk(9))]
    assert "(3 messages)" in reason(looked(dateless, dateless[:-3]))


def test_a_branch_takes_the_whole_of_a_long_chat() -> None:
    before = FRONT + talk(1_000)
    assert "(2,000 messages" in reason(looked(before, sent_again(before, 7, ANSWER)))


turns = st.integers(1, 25)


@st.composite
def ordinary_lives(draw: st.DrawFn) -> tuple[list[Json], list[Json], set[str]]:
    """A chat, the same after a few weeks of what people do, and what the chat says was deleted."""
    before = FRONT + talk(draw(turns))
    now, deleted = [dict(one) for one in before], set[str]()
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(len(FRONT), len(now) - 1))
        match draw(st.sampled_from(("edit", "insert", "delete"))):
            case "edit":
                now[at] |= {"content": draw(st.sampled_from(("ok", f"{SECRET} 1?", "")))}
            case "insert":
                now.insert(at, user("ok", draw(st.integers(5_000, 6_000))))
            case "delete" if len(now) - len(FRONT) > 1:
                deleted.add(now.pop(at)["uuid"])
    if draw(st.booleans()) and now[-1]["role"] == "assistant":
        now = sent_again(now, len(now) - 2, ANSWER)
    return before, now + talk(draw(st.integers(0, 9)), first=2_000), deleted


@given(ordinary_lives())
def test_whatever_people_do_every_day_is_no_loss(
    life: tuple[list[Json], list[Json], set[str]],
) -> None:
    before, now, deleted = life
    assert looked(before, now, deleted=deleted) is None


@given(turns, st.data(), st.booleans())
def test_whatever_went_into_a_branch_is_a_loss_until_it_comes_back_unless_it_is_small(
    count: int, data: st.DataObject, new: bool
) -> None:
    before = FRONT + talk(count)
    at = data.draw(st.integers(0, len(before) - 3))
    moved = sent_again(
        renamed(before) if new else before,
        at,
        ANSWER,
        *talk(data.draw(st.integers(0, 20)), first=2_000),
    )
    shown = {"m1": at >= 1}
    found = looked(before, moved, shown)
    if at and len(before) - max(at + 1, len(FRONT)) <= 8:
        assert found is None, "it is small"
        return
    assert f"Everything after message {at + 1} of the chat" in reason(found)
    back = [*before[:at], before[at] | {"threads": [thread(moved[at + 1 :])]}, *before[at + 1 :]]
    assert looked(before, back) is None


@given(turns, st.data(), st.sampled_from((0, 2)))
def test_no_reason_says_what_was_said(count: int, data: st.DataObject, more: int) -> None:
    before = FRONT + talk(count)
    now = before[: data.draw(st.integers(0, len(before)))] + talk(more, first=2_000)
    found = looked(before, now, {"m1": len(now) > 10, "m2": True})
    if found is not None:
        assert SECRET not in found.reason + found.next_step
        assert not re.search(r"[0-9a-f]{8}-", found.reason + found.next_step)
