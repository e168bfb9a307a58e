"""What it means that a file looks different from the last time."""

import pytest

from rules.arrival import FINISHED, IN_HAND, UNTAKEN, Sighting, State, compare

LAST = Sighting(1, 2, 100, 1_000)
GROWN = Sighting(1, 2, 120, 2_000)
OTHER = Sighting(1, 3, 100, 1_000)


def test_a_path_that_was_never_seen_is_new() -> None:
    assert compare(None, None, LAST) == "new"


@pytest.mark.parametrize(
    "state", [state for state in (*UNTAKEN, *IN_HAND, *FINISHED, "skipped") if state != "gone"]
)
def test_what_looks_the_same_is_unchanged(state: State) -> None:
    assert compare(state, LAST, LAST) == "unchanged"


@pytest.mark.parametrize("state", UNTAKEN)
def test_a_file_that_is_not_taken_yet_is_the_same_as_long_as_it_is_one_file(state: State) -> None:
    assert compare(state, LAST, GROWN) == "changed"
    assert compare(state, LAST, OTHER) == "replaced"


@pytest.mark.parametrize("state", [*IN_HAND, "written", "done", "skipped"])
def test_another_content_in_the_place_of_a_file_that_was_taken_is_new(state: State) -> None:
    assert compare(state, LAST, GROWN) == "new"
    assert compare(state, LAST, OTHER) == "new"


def test_what_was_gone_and_is_there_again_is_new() -> None:
    assert compare("gone", LAST, LAST) == "new"


@pytest.mark.parametrize("state", UNTAKEN)
def test_a_file_of_which_no_sighting_is_known_is_new(state: State) -> None:
    assert compare(state, None, LAST) == "new"
