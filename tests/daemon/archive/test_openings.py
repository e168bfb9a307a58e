"""Openings that stood in a chat's exports: which one an edit began with, and whose the preface is."""

from daemon.archive.layers import KeptOpening, edited_from, reworded
from rules.conversation.marker import text_digest


def written(text: str, preface: str) -> KeptOpening:
    return KeptOpening(text, preface, "memproc")


def edited(before: KeptOpening, text: str, preface: str) -> KeptOpening:
    return KeptOpening(text, preface, "person", before.base or text_digest(before.text))


FIRST = written("first", "Shipped.")
LATER = written("later", "Shipped anew.")


def test_an_edit_began_with_the_newest_of_what_it_goes_back_to() -> None:
    other = edited(FIRST, "edited", "Shipped.")
    assert edited_from([FIRST, LATER], text_digest("first")) == FIRST
    assert edited_from([FIRST, other, LATER], text_digest("first")) == other
    assert edited_from([FIRST, other, LATER], text_digest("edited")) == other
    assert edited_from([FIRST], text_digest("unknown")) is None


def test_a_preface_that_the_person_has_left_alone_is_memproc_s() -> None:
    assert reworded([FIRST, LATER]) is None
    assert reworded([FIRST, edited(FIRST, "a section", "Shipped."), LATER]) is None


def test_a_preface_is_the_person_s_from_the_edit_in_which_they_reworded_it() -> None:
    mine = edited(FIRST, "mine", "My words.")
    again = written("again", "My words.")
    kept = [FIRST, mine, again, edited(again, "a section", "My words.")]
    assert reworded(kept) == "My words."
    assert reworded([*kept, edited(again, "back", "Shipped.")]) == "Shipped."


def test_what_the_person_had_before_the_archive_was_lost_is_theirs() -> None:
    assert reworded([KeptOpening("taken over", "Theirs.", "person", "0" * 16)]) == "Theirs."
