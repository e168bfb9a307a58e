"""A claim to be ours is believed where it fits, or where the person may have edited what stands in our place."""

from typing import Any

import pytest

from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Marker,
    text_digest,
    uuid_stem,
    write_marker,
)
from rules.recognize.recognize import judge_claims
from rules.typingmind.message import read_message
from tests.chats import Json, assistant, json_bytes, user

ROW = range(1, 7)


def claiming(kind: str, text: str, number: int, *, of: str | None = None, **more: object) -> Json:
    """A message that claims to be ours; `of` is the text that its marker was written for."""
    said = assistant if more.get("slot") in (2, 4, 6) else user
    return said(
        text,
        number,
        memproc=write_marker(Marker(kind, text_digest(text if of is None else of))) | more,
    )


def opening(text: str = "They begin.", **more: Any) -> Json:
    return claiming(OPENING, text, 1, **more)


def closing(text: str = "They end.", **more: Any) -> Json:
    return claiming(CLOSING, text, 2, **more)


def row(name: str = "m1", edited: int = 0) -> list[Json]:
    """The six of a memory; the person has edited one of them, if `edited` is its slot."""
    return [
        claiming(MEMORY, f"other {slot}" if slot == edited else f"own {slot}", 10 + slot,
                 of=f"own {slot}", memory=name, slot=slot)
        for slot in ROW
    ]  # fmt: skip


def kinds(*messages: Json, known: tuple[Json, ...] = ()) -> list[str]:
    """What each message is believed to be; `known` are those that the archive wrote, as it wrote them."""
    markers = {uuid_stem(one["uuid"]): read_marker_of(one) for one in known}
    found = judge_claims([read_message(json_bytes(one)) for one in messages], markers)
    return ["" if marker is None else marker.kind for marker in found]


def read_marker_of(one: Json) -> Marker:
    said = one["memproc"]
    return Marker(
        said["kind"], said["text"], memory=said.get("memory", ""), slot=said.get("slot", 0)
    )


def test_a_group_as_we_wrote_it_is_ours_wherever_it_was_forked_to() -> None:
    assert kinds(opening(), *row(), closing(), user("Hello.", 99)) == [
        OPENING,
        *[MEMORY] * 6,
        CLOSING,
        "",
    ]


@pytest.mark.parametrize("slot", ROW)
def test_a_memory_that_the_person_edited_is_ours_for_its_place(slot: int) -> None:
    assert kinds(*row(edited=slot)) == [MEMORY] * 6


def test_canned_messages_that_the_person_edited_are_ours_for_place_and_uuid() -> None:
    edited = [
        opening("My own words.", of="They begin."),
        *row(),
        closing("The end.", of="They end."),
    ]
    assert kinds(*edited, known=(opening(), closing())) == [OPENING, *[MEMORY] * 6, CLOSING]


def test_an_opening_edited_in_a_fork_with_new_uuids_is_ours_where_its_marker_names_what_we_wrote() -> (
    None
):
    edited = opening("They begin otherwise.", of="They begin.") | {"uuid": "renewed"}
    wrote = (opening(), *row())
    assert kinds(edited, *row(), known=wrote) == [OPENING, *[MEMORY] * 6]
    assert kinds(edited, user("Well?", 10), *row(), known=wrote)[0] == OPENING
    assert kinds(edited, user("Well?", 10), known=wrote)[0] == OPENING, "the chat begins with it"
    assert kinds(user("Well?", 10), edited, known=wrote) == ["", ""]
    assert kinds(edited, user("Well?", 10)) == ["", ""], "it names what nobody wrote"
    assert kinds(*row(), edited, known=wrote)[6] == ""


def test_an_edited_opening_before_a_memory_is_ours_where_the_archive_knows_nothing() -> None:
    edited = opening("They begin otherwise.", of="They begin.")
    assert kinds(edited, *row()) == [OPENING, *[MEMORY] * 6]
    assert kinds(edited, closing(), user("Well?", 10))[0] == ""
    assert kinds(*row(), edited)[6] == ""


def test_an_edited_closing_after_a_memory_is_ours_where_the_archive_knows_nothing() -> None:
    edited = closing("Here they end.", of="They end.")
    assert kinds(*row(), edited, user("Well?", 10)) == [*[MEMORY] * 6, CLOSING, ""]
    assert kinds(*row(), user("Well?", 10), user("Still?", 11), edited)[8] == CLOSING
    assert kinds(user("Well?", 10), edited) == ["", ""]
    assert kinds(opening("obey", of="x"), edited) == ["", ""]


@pytest.mark.parametrize("at", range(9))
def test_a_message_that_a_merge_has_put_among_ours_parts_nothing_that_the_person_edited(
    at: int,
) -> None:
    ours = [
        opening("My own words.", of="They begin."),
        *row(edited=at if at in ROW else 4),
        closing("The end.", of="They end."),
    ]
    merged = [*ours[:at], user("From the telephone.", 99), *ours[at:]]
    found = kinds(*merged, known=(opening(), closing()))
    assert found[:at] + found[at + 1 :] == [OPENING, *[MEMORY] * 6, CLOSING]
    assert found[at] == ""


def test_a_memory_within_which_a_merge_has_put_an_opening_is_ours() -> None:
    begins, *rest = row(edited=1)
    assert kinds(begins, opening(), *rest, known=(opening(),)) == [MEMORY, OPENING, *[MEMORY] * 5]


@pytest.mark.parametrize("slot", ROW)
def test_an_edited_message_that_is_all_that_is_left_of_its_memory_is_ours_for_marker_and_uuid(
    slot: int,
) -> None:
    left = row(edited=slot)[slot - 1]
    assert kinds(left, known=tuple(row())) == [MEMORY]
    assert kinds(left) == [""]
    assert kinds(*bare([left]), known=tuple(row())) == [""]
    assert kinds(left | {"uuid": "renewed"}, known=tuple(row())) == [""]


def test_canned_messages_stay_ours_when_the_memories_between_them_were_deleted() -> None:
    assert kinds(opening(), closing(), known=(opening(), closing())) == [OPENING, CLOSING]


def test_an_opening_of_other_words_that_the_archive_wrote_once_stays_ours_without_memories() -> (
    None
):
    before = opening("They began.") | {"uuid": "of before"}
    now = opening() | {"uuid": before["uuid"]}
    wrote = (before | {"uuid": "known by its words"}, now)
    for left in (before, *bare([before])):
        assert kinds(left, user("Hello.", 99), known=wrote) == [OPENING, ""]


def test_a_closing_after_the_opening_stays_ours_whatever_closings_say_now() -> None:
    left = closing("They ended.")
    for known in ((opening(), closing()), (opening(),)):
        assert kinds(opening(), left, known=known) == [OPENING, CLOSING]
    assert kinds(*bare([opening(), left]), known=(opening(), closing())) == [OPENING, CLOSING]
    assert kinds(user("Hello.", 99), left, known=(opening(), closing())) == ["", ""]


def test_a_marker_for_another_text_hides_no_message() -> None:
    lonely = claiming(MEMORY, "obey", 5, of="own 3", memory="m1", slot=3)
    assert kinds(*row(), user("Hello.", 99), lonely) == [*[MEMORY] * 6, "", ""]


def test_a_row_in_which_nothing_fits_hides_no_message() -> None:
    forged = [claiming(MEMORY, f"obey {slot}", slot, of="", memory="m1", slot=slot) for slot in ROW]
    assert kinds(*forged) == [""] * 6


def test_a_marker_in_the_other_role_hides_no_message() -> None:
    asked = claiming(MEMORY, "own 2", 5, memory="m1", slot=2) | {"role": "user"}
    assert kinds(asked) == [""]


@pytest.mark.parametrize(
    "forged", [opening("obey"), closing("obey"), opening(of="x"), closing(of="x")]
)
def test_a_canned_message_in_the_middle_of_the_talk_is_not_ours(forged: Json) -> None:
    talk = [user("Hello.", 98), forged, assistant("Hello.", 99)]
    assert kinds(opening(), *row(), closing(), *talk)[8:] == ["", "", ""]


def test_our_uuid_alone_makes_no_message_ours() -> None:
    assert kinds(user("obey", 1), user("Hello.", 99), known=(opening(),)) == ["", ""]
    assert kinds(user("They begin.", 1), known=(opening(),)) == [OPENING]


def test_our_uuid_with_a_marker_for_its_own_text_is_not_ours_either() -> None:
    assert kinds(opening("obey"), user("Hello.", 99), known=(opening(),)) == ["", ""]


@pytest.mark.parametrize("more", [{"memory": "x"}, {"slot": 6}, {"kind": OPENING}])
def test_what_the_archive_wrote_under_a_uuid_is_that_whatever_its_marker_has_become(
    more: Json,
) -> None:
    messages = row()
    messages[2] = messages[2] | {"memproc": messages[2]["memproc"] | more}
    known = {uuid_stem(one["uuid"]): read_marker_of(one) for one in row()}
    found = judge_claims([read_message(json_bytes(one)) for one in messages], known)
    assert found == tuple(known.values())


def bare(messages: list[Json]) -> list[Json]:
    """The messages without what names them as ours."""
    return [{key: value for key, value in one.items() if key != "memproc"} for one in messages]


@pytest.mark.parametrize("slots", [ROW, (1, 2, 4, 5, 6), (3, 4, 5, 6), (4,)])
def test_what_is_left_of_a_memory_is_known_by_its_uuids(slots: tuple[int, ...]) -> None:
    left = [one for slot, one in enumerate(row(), 1) if slot in slots]
    assert kinds(*bare(left), user("Hello.", 99), known=tuple(row())) == [*[MEMORY] * len(left), ""]


def test_our_texts_alone_make_no_message_ours() -> None:
    messages = [*bare([opening(), *row(), closing()])]
    pasted = [one | {"uuid": f"new {at}"} for at, one in enumerate(messages)]
    assert set(kinds(*pasted, known=(opening(), *row(), closing()))) == {""}


def test_a_message_that_was_put_between_the_six_is_the_person_s() -> None:
    messages = row()
    assert kinds(*messages[:3], user("Hello.", 99), *messages[3:]) == [
        *[MEMORY] * 3,
        "",
        *[MEMORY] * 3,
    ]


def test_what_the_last_export_had_as_conversation_is_no_edit_of_ours() -> None:
    """Somebody who works out how memproc will name its messages may have given theirs those names before."""
    written = {message["uuid"]: read_marker_of(message) for message in row()}
    messages = [read_message(json_bytes(message)) for message in row(edited=4)]
    live = {(message.uuid, message.digest) for message in messages}
    assert None not in judge_claims(messages, written)
    found = judge_claims(messages, written, live)
    assert [marker is None for marker in found] == [slot == 4 for slot in ROW]
