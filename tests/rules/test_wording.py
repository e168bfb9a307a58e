"""Titles as people are shown them, and sentences that come after them."""

from hypothesis import given
from hypothesis import strategies as st

from daemon.status.printable import columns_of
from rules.wording import about_it, as_sentence, cut_title

LONG = "The lighthouse and " * 50


def test_a_title_is_cut_at_sixty_columns() -> None:
    assert cut_title("Aria") == "Aria"
    assert cut_title("a" * 60) == "a" * 60
    assert cut_title("a" * 61) == "a" * 57 + "..."
    assert len(cut_title(LONG)) <= 60


@given(st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=90))
def test_no_title_is_wider_than_sixty_columns(title: str) -> None:
    assert columns_of(cut_title(title)) <= 60
    assert cut_title(cut_title(title)) == cut_title(title)


def test_a_sentence_after_a_title_does_not_say_it_again_whole_or_cut() -> None:
    for title in ("Aria", LONG):
        for shown in (title, cut_title(title)):
            assert about_it(f'"{shown}": The disk is full.', title) == "The disk is full."
            assert about_it(f"{shown} is away.", title) == "It is away."
    assert about_it("Ariadne is away.", "Aria") == "Ariadne is away."


def test_a_path_that_ends_a_sentence_can_be_copied() -> None:
    one, several = "Import this: /up/Aria.json", "Import these:\n  /up/Aria.json\n  /up/Bea.json"
    assert (as_sentence(one), as_sentence(several)) == (one, several)
    assert as_sentence("nothing was written") == "Nothing was written."
