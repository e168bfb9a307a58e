"""Our own messages are known by marker or uuid, never by a tag in somebody's text."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Place, group_by_memory
from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Marker,
    text_digest,
    uuid_stem,
    write_marker,
)
from rules.recognize.recognize import count_unnamed_memories, recognize
from rules.typingmind.message import Message, read_message
from rules.typingmind.originals import kept_original
from tests.chats import Json, assistant, json_bytes, user
from tests.exports.chats import without
from tests.exports.messages import MESSAGES


def read(*fields: Json) -> list[Message]:
    return [read_message(json_bytes(one)) for one in fields]


def ours(kind: str, number: int = 1, **more: object) -> Json:
    said = assistant if more.get("slot") in (2, 4, 6) else user
    text = f"ours {number}"
    return said(text, number, memproc=write_marker(Marker(kind, text_digest(text))) | more)


def memory(name: str, slots: Sequence[int] = (1, 2, 3, 4, 5, 6)) -> list[Json]:
    return [ours(MEMORY, 100 + slot, memory=name, slot=slot) for slot in slots]


def places(*fields: Json) -> tuple[Place, ...]:
    return recognize(read(*fields), {})


def present(found: Sequence[Place]) -> dict[str, list[int]]:
    """The memories that an export shows, with the slots that are left of each."""
    return {name: sorted(group) for name, group in group_by_memory(found).items()}


ALL = [1, 2, 3, 4, 5, 6]


def test_our_messages_are_known_by_their_marker() -> None:
    found = places(ours(OPENING), *memory("m1"), ours(CLOSING, 2), user("Hello."))

    assert [place.ours.kind if place.ours else None for place in found] == [
        OPENING,
        *[MEMORY] * 6,
        CLOSING,
        None,
    ]
    assert [place.lived for place in found] == [False] * 8 + [True]
    assert present(found) == {"m1": ALL}


def test_an_opening_that_was_read_as_conversation_stays_under_its_memory() -> None:
    """Its text may come to be known for ours later: the memory would be written and paid again."""
    messages = read(ours(OPENING), *memory("m2"), user("Hello.", 90))
    (opening, *_), said = messages, str(messages[0].uuid)
    under = {"m1": {said: (opening.digest,)}}
    assert recognize(messages, {})[0].ours is not None
    assert recognize(messages, {}, under)[0].ours is None
    assert recognize(messages, {}, {"m1": {said: ("another digest",)}})[0].ours is not None


def test_a_marker_that_was_stripped_is_made_up_for_by_the_uuid() -> None:
    text = "<system>Memories follow.</system>"
    known = {uuid_stem(user("", 1)["uuid"]): Marker(OPENING, text_digest(text))}
    stripped, other = recognize(read(user(text, 1), user("Hi", 2)), known)
    assert stripped.ours == Marker(OPENING, text_digest(text))
    assert other.lived


@pytest.mark.parametrize(
    "text",
    ["<system>\nThe following are memories.\n</system>", "<context_manager>Hm?</context_manager>"],
)
def test_tags_in_a_persons_text_make_no_memory(text: str) -> None:
    (place,) = places(user(text))
    assert place.ours is None
    assert place.lived


OPENS = "<system>\nWhat follows is a set of memories.\n</system>"
QUESTION = "<context_manager>\nWhat was it to you?\n</context_manager>"


def asked_and_answered(times: int, question: str = QUESTION) -> list[Json]:
    return [
        one
        for at in range(times)
        for one in (user(question, at), assistant(f"It was the sea, {at}.", at))
    ]


@pytest.mark.parametrize(("questions", "memories"), [(2, 0), (3, 1), (5, 1), (6, 2)])
def test_the_shape_of_a_memory_tells_one_that_has_lost_its_names(
    questions: int, memories: int
) -> None:
    assert (
        count_unnamed_memories(
            places(user("Hi", 98), user(OPENS, 99), *asked_and_answered(questions)), ()
        )
        == memories
    )


@pytest.mark.parametrize(
    "messages",
    [
        [user(QUESTION, at) for at in range(9)],
        asked_and_answered(9),
        asked_and_answered(9, f"I quote: {QUESTION}"),
        [
            one
            for pair in zip(asked_and_answered(6), asked_and_answered(6, "Hm?"), strict=True)
            for one in pair
        ],
    ],
)
def test_questions_of_ours_in_another_shape_or_place_are_the_person_s(messages: list[Json]) -> None:
    assert count_unnamed_memories(places(*messages), ()) == 0


def test_a_persona_that_quotes_our_tags_and_a_question_that_is_not_closed_are_no_memory() -> None:
    others = [
        [assistant(OPENS, 99), *asked_and_answered(3)],
        [user("Hello.", 99), *asked_and_answered(3)],
        [user(OPENS, 99), *asked_and_answered(3, QUESTION.removesuffix("</context_manager>"))],
        [user(OPENS, 99), *asked_and_answered(3, QUESTION.removeprefix("<context_manager>"))],
    ]
    assert [count_unnamed_memories(places(*messages), ()) for messages in others] == [0, 0, 0, 0]


def test_memories_that_begin_the_chat_are_counted() -> None:
    assert count_unnamed_memories(places(user(OPENS, 99), *asked_and_answered(3)), ()) == 1


def test_what_the_archive_has_as_part_of_the_conversation_is_no_memory_without_a_name() -> None:
    found = places(user(OPENS, 99), *asked_and_answered(3))
    assert count_unnamed_memories(found, {place.key for place in found}) == 0


def test_a_fork_of_ours_is_still_ours() -> None:
    fork = [
        one | {"uuid": f"new {n}", "createdAt": "2026-01-01T00:00:00.000Z"}
        for n, one in enumerate(memory("m1"))
    ]
    assert present(places(*fork)) == {"m1": ALL}


def test_what_we_could_not_have_written_is_not_ours() -> None:
    (place,) = places(MESSAGES["our marker, of another"])
    assert place.lived


def test_our_message_that_the_person_excluded_is_still_ours() -> None:
    excluded = {"contextClearedAt": "2026-01-01T00:00:00.000Z"}
    found = places(*(one | excluded for one in [ours(OPENING), *memory("m1"), ours(CLOSING, 2)]))
    assert all(place.ours is not None and place.left_out is None for place in found)


def test_memories_stand_in_the_order_of_the_export() -> None:
    assert list(present(places(*memory("b"), *memory("a")))) == ["b", "a"]
    assert present(places(user("Hello."))) == {}


@pytest.mark.parametrize("slots", [(1, 2, 3, 4, 5), (2, 3, 4, 5, 6), (1, 2, 5, 6), (4,)])
def test_a_memory_that_lost_messages_is_still_one(slots: Sequence[int]) -> None:
    assert present(places(*memory("m1"), *memory("m2", slots))) == {"m1": ALL, "m2": list(slots)}


def test_of_a_memory_that_a_merge_brought_twice_the_first_edit_counts_and_the_next_one_is_said() -> (
    None
):
    twice = [*memory("m1"), *memory("origin"), *memory("m1")]
    for at, words in ((9, "my own words"), (15, "yet other words")):
        twice[at] |= {"content": words, "uuid": f"edited {at}"}
    found = recognize(read(*twice), {}, {}, {"origin": "m1"})
    assert present(found) == {"m1": ALL}
    assert [place.at for place in group_by_memory(found)["m1"].values()] == [0, 1, 2, 9, 4, 5]
    assert [place.at for place in found if place.lived] == [15]


def test_an_edited_memory_that_a_sync_left_twice_is_no_conversation() -> None:
    edited = memory("m1")
    edited[3] |= {"content": "my own words"}
    found = recognize(read(*edited, *edited), {})
    assert present(found) == {"m1": ALL}
    assert not any(place.lived for place in found)


def test_a_memory_of_the_chat_that_this_one_was_forked_from_has_its_own_name_here() -> None:
    found = recognize(read(*memory("m1"), *memory("m2")), {}, {}, {"m1": "own"})
    assert list(present(found)) == ["own", "m2"]


RAW = user("hello", 1)


def kept(raw: Json, name: str = "m1", **fields: object) -> Json:
    """The original as it stands beside its memory."""
    found: Json = json.loads(kept_original(json_bytes(raw), "2026-01-01T00:00:00.000Z", name))
    return found | fields


def test_an_original_beside_its_memory_is_the_message_that_the_person_wrote() -> None:
    (raw,) = places(RAW)
    under = {"m1": {raw.key: (raw.message.digest,)}}
    *_, original = recognize(read(*memory("m1"), kept(RAW)), {}, under)
    assert (original.key, original.original, original.left_out) == (raw.key, "m1", None)
    assert original.message.raw == json_bytes(RAW)
    assert original.written == json_bytes(kept(RAW))


def test_originals_of_a_fork_are_found_by_what_they_say_in_their_order() -> None:
    """Each has a new uuid, and the memory is still called as in the other chat."""
    two = [user("ok", 1), user("ok", 2)]
    keys = [place.key for place in places(*two)]
    under = {
        "own": {key: (place.message.digest,) for key, place in zip(keys, places(*two), strict=True)}
    }
    forked = [kept(one, uuid=f"new {at}") for at, one in enumerate(two)]
    found = recognize(read(*memory("m1"), *forked), {}, under, {"m1": "own"})
    assert [(place.key, place.original) for place in found[6:]] == [(key, "own") for key in keys]


def test_an_original_of_a_fork_that_was_edited_is_known_by_its_place_where_all_are_there() -> None:
    three = [user("hello", 1), user("ok", 2), user("good night", 3)]
    known = places(*three)
    under = {"own": {place.key: (place.message.digest,) for place in known}}
    forked = [kept(one, uuid=f"new {at}") for at, one in enumerate(three)]
    forked[1] |= {"content": "other words"}
    found = recognize(read(*memory("m1"), *forked), {}, under, {"m1": "own"})
    assert [place.key for place in found[6:]] == [place.key for place in known]
    found = recognize(read(*memory("m1"), *forked[1:]), {}, under, {"m1": "own"})
    assert [bool(place.original) for place in found[6:]] == [False, True]


def test_an_original_that_no_memory_of_the_chat_has_is_a_message_that_the_person_excluded() -> None:
    found = recognize(read(kept(RAW)), {}, {"m1": {}})
    assert [(place.original, place.lived) for place in found] == [("", False)]


def test_an_original_that_the_person_sends_again_is_read_as_an_original_still() -> None:
    """They took it back into the context: it is put out of it again, where its memory stands."""
    (raw,) = places(RAW)
    back = {key: value for key, value in kept(RAW).items() if key != "contextClearedAt"}
    *_, found = recognize(read(*memory("m1"), back), {}, {"m1": {raw.key: (raw.message.digest,)}})
    assert (found.original, found.message.raw) == ("m1", json_bytes(RAW))


def test_a_message_is_named_by_its_uuid_or_by_what_it_says() -> None:
    named, nameless = places(user("a", 1), without(user("a", 1), "uuid"))
    assert named.key == user("", 1)["uuid"]
    assert nameless.key == f"digest:{nameless.message.digest}"


def test_doubles_are_numbered() -> None:
    found = places(
        user("a", uuid="u"), user("b", uuid="u"), user("c", uuid="u#2"), user("d", uuid="u")
    )
    assert [place.key for place in found] == ["u", "u#2", "u#2#2", "u#3"]


def test_the_same_words_said_again_are_another_message_than_those_under_a_memory() -> None:
    """Without uuids, in an export from elsewhere: the first ok is in a memory, the second is still live."""
    ok = without(user("ok"), "uuid")
    first, second, third = places(ok, ok, ok)
    under = {
        "m1": {first.key: (first.message.digest,)},
        "not shown": {second.key: (second.message.digest,)},
    }

    *_, live, later = recognize(read(*memory("m1"), ok, ok), {}, under)
    assert (live.key, later.key) == (second.key, third.key)

    again = recognize(read(ok, ok, ok), {}, under)
    assert [place.key for place in again] == [first.key, second.key, third.key]


def test_a_message_that_came_back_beside_its_memory_is_the_same_message() -> None:
    """Another device's sync brings it back, with its uuid, as it was before an edit."""
    (raw,) = places(user("hello", 1))
    under = {"m1": {raw.key: ("what it was edited to", raw.message.digest)}}
    unknown, back = user("good night", 1), user("hello", 1)
    *_, other, found = recognize(read(*memory("m1"), unknown, back), {}, under)
    assert (other.key, found.key) == (f"{raw.key}#2", raw.key)


def test_a_uuid_that_says_something_else_is_another_message_than_the_one_under_a_memory() -> None:
    """One uuid stood twice in the chat; the first is under a memory now, and the second is still live."""
    first, second = places(user("hello", uuid="u"), user("good night", uuid="u"))
    under = {"m1": {first.key: (first.message.digest,)}}
    *_, live = recognize(read(*memory("m1"), user("good night", uuid="u")), {}, under)
    assert live.key == second.key


@given(st.lists(st.sampled_from(["u", "u#2", "u#2#2", "u#3", None]), max_size=12))
def test_no_two_messages_have_one_key_and_later_ones_change_no_key(uuids: list[str | None]) -> None:
    messages = read(*(user(f"number {at}", uuid=uuid) for at, uuid in enumerate(uuids)))
    keys = [place.key for place in recognize(messages, {})]
    assert len(set(keys)) == len(keys)
    assert [place.key for place in recognize(messages[:-1], {})] == keys[:-1]


@given(st.lists(st.sampled_from(["u", "u#2", "u#2#2", "u#3", None]), max_size=12))
def test_what_says_the_same_under_one_uuid_is_one_message(uuids: list[str | None]) -> None:
    found = recognize(read(*(user("same", uuid=uuid) for uuid in uuids)), {})
    counted = [place for place in found if not place.is_copy]
    assert len({place.key for place in counted}) == len(counted)
    for at, uuid in enumerate(uuids):
        assert found[at].is_copy == (uuid is not None and uuid in uuids[:at])
        assert found[at].key in {place.key for place in counted}


def test_a_message_that_stands_twice_has_the_fields_of_the_later_one_and_the_place_of_the_first() -> (
    None
):
    first, other, copy = places(
        user("hello", uuid="u", createdAt="2024-11-07T09:00:00.000Z"),
        user("good night", uuid="v"),
        user("hello", uuid="u", createdAt="2024-11-07T09:00:00.000Z", pinned=True),
    )
    assert (first.is_copy, other.is_copy, copy.is_copy) == (False, False, True)
    assert (first.at, first.message.raw, first.written == first.message.raw) == (
        0,
        copy.written,
        False,
    )
    assert (copy.key, copy.lived) == (first.key, False)


def test_ten_thousand_doubles_take_no_longer_than_others() -> None:
    (message,) = read(assistant("ok", uuid=None))
    assert len({place.key for place in recognize([message] * 10_000, {})}) == 10_000


def test_every_shape_has_its_place() -> None:
    found = places(*MESSAGES.values())
    assert [place.at for place in found] == list(range(len(MESSAGES)))
