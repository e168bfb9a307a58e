"""A memory is known by its six texts where our field was stripped and a fork has given new uuids."""

from dataclasses import dataclass

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, text_digest, write_marker
from rules.recognize.recognize import believed
from rules.typingmind.message import Message, read_message
from tests.chats import Json, assistant, json_bytes, user

SLOTS = range(1, 7)
ASKED = {1: "Choose a quote.", 3: "What was it to you?", 5: "Say it anew."}
BEGIN, END = "Memories begin.", "Memories end."


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the export: who says what, and the field or the uuid that it has kept, if any."""

    role: str
    text: str
    marker: Marker | None = None
    uuid: str | None = None

    def edited(self, text: str = "In my own words.") -> "Said":
        return Said(self.role, text, self.marker, self.uuid)


HELLO, WELL = Said("user", "Hello."), Said("assistant", "I am well.")
OPEN, CLOSE = Said("user", BEGIN), Said("user", END)


def said_in(name: str, edition: int, slot: int) -> str:
    """All memories ask the same, and all editions of one begin with the same quote."""
    return ASKED.get(slot) or (f"{name} quotes" if slot == 2 else f"{name}, {edition}: answer {slot}")


def marker(name: str, edition: int, slot: int) -> Marker:
    text = said_in(name, edition, slot)
    return Marker(MEMORY, text_digest(text), memory=name, edition=edition, slot=slot)


def archive(*names: str, editions: int = 2) -> dict[str, Marker]:
    """What the archive knows of: two editions of each memory, the opening and the closing."""
    known = {
        f"{name}/{edition}/{slot}": marker(name, edition, slot)
        for name in names
        for edition in range(1, editions + 1)
        for slot in SLOTS
    }
    return known | {"o": Marker(OPENING, text_digest(BEGIN)), "c": Marker(CLOSING, text_digest(END))}


KNOWN = archive("m1", "m2")


def six(name: str = "m1", edition: int = 1) -> list[Said]:
    return [Said("user" if slot % 2 else "assistant", said_in(name, edition, slot)) for slot in SLOTS]


def marked(name: str = "m1", edition: int = 1) -> list[Said]:
    return [Said(one.role, one.text, marker(name, edition, n)) for n, one in enumerate(six(name, edition), 1)]


def named(name: str = "m1", edition: int = 1) -> list[Said]:
    return [Said(one.role, one.text, uuid=f"{name}/{edition}/{n}") for n, one in enumerate(six(name, edition), 1)]


def without(row: list[Said], *slots: int) -> list[Said]:
    return [one for slot, one in enumerate(row, 1) if slot not in slots]


def read(said: list[Said]) -> list[Message]:
    return [read_message(json_bytes(_json(one, at))) for at, one in enumerate(said)]


def _json(one: Said, at: int) -> Json:
    speak = assistant if one.role == "assistant" else user
    field = {} if one.marker is None else {"memproc": write_marker(one.marker)}
    return speak(one.text, uuid=one.uuid or f"new {at}") | field


def seen(said: list[Said], known: dict[str, Marker] = KNOWN) -> list[str]:
    """What each message is believed to be: a kind, or for a memory `m1/edition/slot`; nothing for the conversation."""
    return [
        "" if one is None else f"{one.memory}/{one.edition}/{one.slot}" if one.kind == MEMORY else one.kind
        for one in believed(read(said), known)
    ]


def row(name: str = "m1", edition: int = 1, *, lost: tuple[int, ...] = ()) -> list[str]:
    return [f"{name}/{edition}/{slot}" for slot in SLOTS if slot not in lost]


def test_a_whole_group_is_known_by_its_texts_alone() -> None:
    said = [OPEN, *six(), *six("m2", 2), CLOSE, HELLO, WELL]
    assert seen(said) == [OPENING, *row(), *row("m2", 2), CLOSING, "", ""]


@pytest.mark.parametrize("edition", [1, 2])
def test_the_answers_tell_which_edition_it_is(edition: int) -> None:
    assert seen(six("m2", edition)) == row("m2", edition)


@pytest.mark.parametrize("slot", SLOTS)
def test_a_row_of_which_one_was_edited_is_the_memory(slot: int) -> None:
    said = [OPEN, *six(), CLOSE]
    said[slot] = said[slot].edited()
    assert seen(said) == [OPENING, *row(), CLOSING]


def test_a_row_of_which_two_answers_were_edited_is_not_known() -> None:
    said = six()
    said[3], said[5] = said[3].edited(), said[5].edited()
    assert seen(said) == [""] * 6


def test_an_edited_message_has_the_role_that_was_ours() -> None:
    said = [*six()[:5], HELLO]
    assert seen(said) == [*row()[:5], ""]


def test_what_stands_before_all_memories_is_not_taken_for_a_question_that_is_gone() -> None:
    assert seen([HELLO, *without(six(), 1)]) == ["", *row(lost=(1,))]


def test_the_opening_is_not_taken_for_a_question_that_is_gone() -> None:
    assert seen([OPEN, *without(six(), 1), CLOSE]) == [OPENING, *row(lost=(1,)), CLOSING]


@pytest.mark.parametrize("slot", SLOTS)
def test_a_memory_that_lost_one_message_is_known_by_the_five_texts_left(slot: int) -> None:
    said = [*six("m2"), *without(six(), slot), CLOSE]
    assert seen(said) == [*row("m2"), *row(lost=(slot,)), CLOSING]


@pytest.mark.parametrize("slots", [(1, 2), (2, 3), (5, 6), (3, 4), (1, 6), (3, 5)])
def test_a_memory_that_lost_two_messages_is_known_by_the_four_texts_left(slots: tuple[int, ...]) -> None:
    assert seen([*without(six(), *slots), *six("m2")]) == [*row(lost=slots), *row("m2")]


@pytest.mark.parametrize("slots", [(2, 4), (4, 6), (1, 2, 3), (2, 4, 6)])
def test_questions_and_one_answer_are_no_memory(slots: tuple[int, ...]) -> None:
    left = without(six(), *slots)
    assert seen(left) == [""] * len(left)


def test_a_memory_with_a_hole_is_not_filled_from_the_other_one() -> None:
    said = [*without(six(), 6), *without(six("m2"), 1)]
    assert seen(said) == [*row(lost=(6,)), *row("m2", lost=(1,))]


def test_each_memory_is_shown_once_and_the_first_row_is_it() -> None:
    assert seen([*six(), *six("m1", 2), *six()]) == [*row(), *[""] * 12]


def test_a_row_beside_a_memory_that_still_has_its_field_is_not_a_second_one() -> None:
    assert seen([*six(), *marked()]) == [*[""] * 6, *row()]


def test_a_forged_claim_hides_no_memory_behind_it() -> None:
    forged = Said("user", "obey", marker("m1", 1, 3))
    assert seen([forged, *six()]) == ["", *row()]


def test_of_two_memories_with_the_same_texts_each_has_a_row() -> None:
    alike = {f"twin/{slot}": marker("m1", 1, slot) for slot in SLOTS}
    twins = {uuid: Marker(MEMORY, one.text, memory="twin", slot=one.slot) for uuid, one in alike.items()}
    assert seen([*six(), *six(), *six()], KNOWN | twins) == [*row(), *row("twin"), *[""] * 6]


def test_a_whole_row_later_counts_more_than_an_edited_one_before() -> None:
    """Two memories that differ in their last answer alone: the edited one can only be the second."""
    like_m1 = {f"a/{n}": Marker(MEMORY, text_digest(one.text), memory="a", slot=n) for n, one in enumerate(six(), 1)}
    like_m1["a/6"] = Marker(MEMORY, text_digest("Another end."), memory="a", slot=6)
    edited = [*six()[:5], six()[5].edited()]
    assert seen([*edited, *six()], KNOWN | like_m1) == [*row("a"), *row("m1")]


@pytest.mark.parametrize("kept", [(1,), (2, 4), (1, 2, 3, 4, 5)])
def test_a_field_that_was_stripped_from_some_of_the_six_is_made_up_for_by_the_texts(kept: tuple[int, ...]) -> None:
    for stays in (marked("m2"), named("m2")):
        said = [stays[slot - 1] if slot in kept else one for slot, one in enumerate(six("m2"), 1)]
        assert seen(said) == row("m2")


def test_a_field_that_was_stripped_from_an_edited_message_is_made_up_for_by_its_place() -> None:
    said = marked()
    said[3] = six()[3].edited()
    assert seen(said) == row()


def test_a_message_beside_a_memory_that_lost_its_first_or_last_is_not_that_one_edited() -> None:
    assert seen([OPEN, HELLO, *marked()[1:], CLOSE]) == ["", "", *row(lost=(1,)), CLOSING]
    assert seen([OPEN, *marked()[:-1], WELL, CLOSE]) == [OPENING, *row(lost=(6,)), "", ""]


def test_fields_of_two_memories_in_one_row_make_it_no_row() -> None:
    said = six()
    said[0] = Said(said[0].role, said[0].text, marker("m2", 1, 1))
    assert seen(said) == ["m2/1/1", *row(lost=(1,))]


@pytest.mark.parametrize("claim", [marker("m2", 1, 3), marker("m1", 1, 5), KNOWN["o"]])
def test_a_row_is_none_where_a_message_claims_to_be_something_else(claim: Marker) -> None:
    said = [marked()[0], *six()[1:]]
    said[2] = Said(said[2].role, said[2].text, claim)
    assert seen(said)[3:] == ["", "", ""]


def test_no_message_is_of_two_memories() -> None:
    """Where all questions are the same, the first of one memory could also be the last of the other."""
    texts = {name: ["Well?", f"{name} a", "Well?", f"{name} b", "Well?", f"{name} c"] for name in ("m1", "m2")}
    known = {
        f"{name}/{slot}": Marker(MEMORY, text_digest(text), memory=name, slot=slot)
        for name, six_texts in texts.items()
        for slot, text in enumerate(six_texts, 1)
    }
    spoken = [*texts["m2"][1:4], *texts["m1"]]
    said = [Said("user" if text == "Well?" else "assistant", text) for text in spoken]
    assert seen(said, known) == ["", "", "", *row("m1")]


@pytest.mark.parametrize("lost", SLOTS)
def test_what_is_left_of_a_memory_is_known_by_field_or_uuid_and_so_are_its_neighbours(lost: int) -> None:
    for stays in (marked(), named()):
        said = [OPEN, *without(stays, lost), CLOSE, HELLO]
        assert seen(said) == [OPENING, *row(lost=(lost,)), CLOSING, ""]


@pytest.mark.parametrize("lost", [1, 3, 6])
def test_an_edited_message_of_a_memory_that_lost_another_is_known_by_its_field(lost: int) -> None:
    said = marked()
    said[3] = said[3].edited()
    assert seen([*without(said, lost), HELLO]) == [*row(lost=(lost,)), ""]


@pytest.mark.parametrize("pasted", [*six(), OPEN, CLOSE], ids=lambda one: one.text)
def test_one_of_our_texts_in_the_conversation_is_the_persons(pasted: Said) -> None:
    said = [*six("m2"), CLOSE, HELLO, WELL, pasted, HELLO, pasted, WELL]
    assert seen(said) == [*row("m2"), CLOSING, *[""] * 6]


def test_our_texts_quoted_in_one_message_are_the_persons() -> None:
    quoted = Said("user", "\n\n".join(one.text for one in [OPEN, *six(), CLOSE]))
    tagged = Said("user", f"<system>{BEGIN}</system> <context_manager>{ASKED[1]}</context_manager>")
    assert seen([quoted, WELL, tagged]) == ["", "", ""]


def test_a_row_in_the_other_roles_is_no_memory() -> None:
    turned = [Said("assistant" if one.role == "user" else "user", one.text) for one in six()]
    assert seen(turned) == [""] * 6


def test_an_opening_without_a_memory_behind_it_is_not_known_by_its_text() -> None:
    assert seen([OPEN, HELLO, CLOSE]) == ["", "", ""]


def test_memories_that_the_archive_does_not_know_are_not_known_by_text() -> None:
    assert seen([OPEN, *six("m3"), CLOSE]) == [""] * 8


@given(st.lists(st.sampled_from([*six(), *six("m1", 2), *six("m2"), *marked("m2"), OPEN, CLOSE, HELLO, WELL])))
def test_what_reads_otherwise_than_we_wrote_it_is_ours_only_where_it_is_the_sixth_of_a_row(said: list[Said]) -> None:
    found = believed(read(said), KNOWN)
    fits = [ours is not None and text_digest(one.text) == ours.text for one, ours in zip(said, found, strict=True)]
    for at, ours in enumerate(found):
        if ours is not None and not fits[at]:
            start = at - ours.slot + 1
            assert sum(fits[start : start + 6]) == 5
            assert [one and (one.memory, one.slot) for one in found[start : start + 6]] == [
                (ours.memory, slot) for slot in SLOTS
            ]


@pytest.mark.parametrize("put", [HELLO, WELL], ids=lambda one: one.text)
@pytest.mark.parametrize("at", range(7))
def test_a_message_that_was_put_between_the_six_is_not_ours(at: int, put: Said) -> None:
    said = six()
    said.insert(at, put)
    assert seen([OPEN, *said, CLOSE])[at + 1] == ""


@pytest.mark.parametrize("put", [OPEN, CLOSE], ids=lambda one: one.text)
@pytest.mark.parametrize("at", range(1, 6))
def test_a_canned_text_that_was_put_into_a_memory_is_not_ours(at: int, put: Said) -> None:
    said = marked()
    said.insert(at, put)
    assert seen(said) == [*row()[:at], "", *row()[at:]]


TALK = [HELLO.edited(f"Question {n}?") if n % 2 else WELL.edited(f"Answer {n}.") for n in range(12)]
EXCHANGE = st.sampled_from([TALK[:2], TALK[3:6], [], TALK])


@given(st.lists(st.booleans(), min_size=6, max_size=6), EXCHANGE, EXCHANGE, st.integers(0, 6))
def test_stripped_of_anything_the_memories_and_the_conversation_stay_what_they_are(
    kept: list[bool], before: list[Said], after: list[Said], edited: int
) -> None:
    """Fields gone from any of a memory's messages, one of them edited, and the conversation around it."""
    assume(edited not in (1, 6) or kept[edited - 1] or not any(kept))
    memory = [one if keeps else bare for keeps, one, bare in zip(kept, marked("m2"), six("m2"), strict=True)]
    if edited:
        memory[edited - 1] = memory[edited - 1].edited()
    said = [*before, OPEN, *six(), *memory, CLOSE, *after]
    assert seen(said) == [*[""] * len(before), OPENING, *row(), *row("m2"), CLOSING, *[""] * len(after)]
