"""Which chats are processed: those in the bin never, the others as memproc.toml says."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.files.read import chats_in
from rules.plan.selection import matches, why_excluded
from rules.typingmind.chat import Chat
from tests.chats import chat, export_bytes


def found(**fields: object) -> Chat:
    return chats_in("x.json", export_bytes(chat(**fields)))[0]


LIGHTHOUSE = found(chatTitle="The lighthouse [2]", id="c1", chatID="c1", folderID="f1")


def test_every_chat_is_processed_unless_something_else_is_said() -> None:
    assert why_excluded(LIGHTHOUSE, [], []) is None


@pytest.mark.parametrize(
    "pattern", ["c1", "f1", "*lighthouse*", "the LIGHT*", "The lighthouse ?2?", "*"]
)
def test_a_pattern_is_a_title_with_wildcards_an_id_or_a_folder(pattern: str) -> None:
    assert why_excluded(LIGHTHOUSE, [pattern], []) is None
    assert (
        why_excluded(LIGHTHOUSE, [], [pattern]) == "it is excluded in memproc.toml (chats.exclude)"
    )


@pytest.mark.parametrize("pattern", ["c", "c1*", "f", "lighthouse", "The lighthouse 2", ""])
def test_a_pattern_fits_as_a_whole(pattern: str) -> None:
    assert (
        why_excluded(LIGHTHOUSE, [pattern], [])
        == "it is not included in memproc.toml (chats.include)"
    )
    assert why_excluded(LIGHTHOUSE, [], [pattern]) is None


@given(st.text() | st.sampled_from(["c1", "f1"]) | st.text("*?[2]Lighthouse !-", max_size=12))
@example("*")
def test_a_chat_that_fits_a_pattern_is_included_by_it_and_excluded_by_it(pattern: str) -> None:
    found = matches(LIGHTHOUSE, pattern)

    assert (why_excluded(LIGHTHOUSE, [pattern], []) is None) == found
    assert (why_excluded(LIGHTHOUSE, [], [pattern]) is not None) == found


def test_one_of_several_is_enough() -> None:
    assert why_excluded(LIGHTHOUSE, ["a", "c1"], ["b", "c"]) is None


def test_exclusion_wins() -> None:
    assert (
        why_excluded(LIGHTHOUSE, ["c1"], ["f1"]) == "it is excluded in memproc.toml (chats.exclude)"
    )


def test_what_lies_in_the_bin_is_never_processed() -> None:
    assert (
        why_excluded(found(deletedAt="2024-11-07T09:00:00.000Z"), ["*"], [])
        == "it lies in TypingMind's bin"
    )


def test_a_chat_in_no_folder_fits_no_folder() -> None:
    assert why_excluded(found(folderID=None), ["None"], []) is not None
