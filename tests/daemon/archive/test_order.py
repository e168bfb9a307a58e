"""The order of a chat in the archive: each message once, and new ones between their neighbours."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.message_versions import order
from rules.conversation.history import Entry, Place
from rules.conversation.marker import MEMORY, OPENING, Marker
from tests.entries import said

_MEMORY = Marker(MEMORY, "", "m1", slot=1)
_OPENING = Marker(OPENING, "")


def export(line: str) -> list[Place]:
    """An export in letters: small ones were lived, capitals are left out, `<` is our opening, `#` our memory."""
    ours = {"<": _OPENING, "#": _MEMORY}
    return [
        Place(at, said("user", key), key, ours.get(key), "a reason" if key.isupper() else None)
        for at, key in enumerate(line)
    ]


def history(line: str, under: str = "") -> list[Entry]:
    return [Entry(key, said("user", key), 1 if key in under else None, None) for key in line]


def placed(known: str, places: str, lived: str, under: str = "") -> str:
    return "".join(order(known, export(places), history(lived, under)))


def test_a_first_export_gives_its_own_order() -> None:
    assert placed("", "AbCd", "bd") == "AbCd"


def test_new_messages_follow_those_that_are_known() -> None:
    assert placed("abc", "abcde", "abcde") == "abcde"


def test_what_is_left_out_for_the_first_time_stands_between_its_neighbours() -> None:
    assert placed("abc", "abXc", "abc") == "abXc"


def test_two_that_are_left_out_keep_their_order_with_a_third_between_them() -> None:
    assert placed("aXYb", "aXNYb", "ab") == "aXNYb"


def test_a_new_divider_after_the_memories_stands_behind_what_is_under_them() -> None:
    assert placed("abcd", "<#Xcd", "abcd", under="ab") == "abXcd"


def test_a_new_training_message_before_our_opening_stays_in_front() -> None:
    assert placed("abcd", "T<#cd", "abcd", under="ab") == "Tabcd"


def test_what_was_left_out_inside_a_memory_stays_there_when_the_export_no_longer_tells_where() -> (
    None
):
    assert placed("aXbcd", "X<#cd", "abcd", under="ab") == "aXbcd"


def test_what_is_gone_keeps_its_place() -> None:
    assert placed("abXcd", "ad", "ad") == "abXcd"


def test_an_answer_that_was_made_again_stands_behind_the_one_that_is_gone() -> None:
    assert placed("abc", "abn", "abn") == "abcn"


def test_a_message_that_the_person_has_excluded_does_not_move() -> None:
    places = [*export("ab"), Place(2, said("user", "c"), "c", None, "excluded"), *export("d")]
    assert order("abcd", places, history("abd")) == list("abcd")


letters = st.lists(st.sampled_from("abcdefgHIJK"), unique=True)


@given(letters, letters)
def test_every_message_stands_once_and_a_second_look_moves_nothing(
    known: Sequence[str], present: Sequence[str]
) -> None:
    places, lived = (
        export("".join(present)),
        history("".join(key for key in present if key.islower())),
    )
    first = order(known, places, lived)
    assert sorted(first) == sorted({*known, *present})
    assert [key for key in first if key in present and key.islower()] == [
        entry.key for entry in lived
    ]
    assert order(first, places, lived) == first


@given(letters)
def test_a_chat_that_is_seen_for_the_first_time_keeps_the_order_of_its_export(
    present: Sequence[str],
) -> None:
    lived = history("".join(key for key in present if key.islower()))
    assert order([], export("".join(present)), lived) == list(present)
