"""What a memory is called in its first question: its numbers, its days and its subject."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer import prompt
from primer.wording import wrap
from rules.conversation.memory import Memory
from rules.conversation.memory_title import (
    count_lead,
    numbers_of,
    read_numbers,
    subject_of,
    title_pair,
    with_shown_title,
    without_subject,
    write_title,
)
from tests.entries import fold_of, memory_of, talk

TALK = talk(*(f"words {number}" for number in range(9)))

DAYS = ["2023-11-28", "2024-12-13"]


def called(number: int, title: str, *, frozen: bool = False) -> Memory:
    """A memory whose first question bears this title; with `frozen`, nobody knows its raw messages any more."""
    memory = memory_of(number, TALK[number - 1 : number])
    asked = wrap("context_manager", f"{title} A direct quote?")
    told = replace(memory.in_prompts, texts=(asked, *memory.in_prompts.texts[1:]))
    return replace(memory, in_prompts=told, edition=told, keys=() if frozen else memory.keys)


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (["2024-03-15T10:00:00.000Z", "2024-04-05T10:00:00.000Z"], "15 March to 5 April 2024"),
        (["2024-03-20T10:00:00.000Z", "2024-03-15T10:00:00.000Z"], "15 to 20 March 2024"),
        (["2024-03-15T10:00:00.000Z", "2024-03-15T23:00:00.000Z"], "15 March 2024"),
        (
            ["2023-12-28T10:00:00.000Z", "2024-01-03T10:00:00.000Z"],
            "28 December 2023 to 3 January 2024",
        ),
        ([None, "soon", "2024-03-15"], "15 March 2024"),
    ],
)
def test_a_memory_bears_its_number_and_the_days_on_which_it_was(
    dates: list[str | None], days: str
) -> None:
    assert write_title(7, 7, dates) == f"Memory 7, {days}."
    assert write_title(7, 7, dates, extracted=True) == f"Memory 7, {days}, extracted."
    assert write_title(1, 6, dates) == f"Memories 1 to 6, {days}."


def test_a_memory_without_any_date_bears_its_number_alone() -> None:
    assert write_title(7, 7, [None, "", "yesterday"]) == "Memory 7."


@given(st.integers(1, 999_999), st.integers(0, 400), st.booleans())
def test_the_numbers_of_a_title_are_read_back(first: int, more: int, extracted: bool) -> None:
    last = min(first + more, 999_999)
    title = write_title(first, last, ["2024-03-15"], extracted=extracted)
    assert read_numbers(wrap("context_manager", f"{title} A direct quote?")) == (first, last)


@pytest.mark.parametrize(
    "text", ["Memory 7, 15 March 2024.", "<context_manager>\nPlease choose one direct quote", ""]
)
def test_what_stands_elsewhere_or_in_the_older_form_is_no_title(text: str) -> None:
    assert read_numbers(text) is None


def test_numbers_are_those_of_the_archive_as_long_as_it_has_the_raw_messages() -> None:
    memories = [called(1, "Memory 1."), called(2, "Memory 700.")]
    assert count_lead(memories) == 0, "what somebody has written into a title changes nothing"
    assert count_lead([]) == 0


def test_where_the_archive_was_lost_no_number_is_given_to_another_memory() -> None:
    """An export with a fold of six, and two memories behind it, is all that is left: they are 1, 2 and 3 now."""
    left = [
        called(1, "Memories 1 to 6.", frozen=True),
        called(2, "Memory 7.", frozen=True),
        called(3, "Memory 8."),
    ]
    left[2] = replace(left[2], keys=())
    ahead = count_lead(left)
    assert ahead == 5
    new = memory_of(4, TALK[3:4])
    assert numbers_of(new, {}, ahead) == (9, 9)


def test_a_fold_stands_for_the_numbers_of_all_its_members() -> None:
    memories = [memory_of(number, TALK[number - 1 : number]) for number in (1, 2, 3)]
    inner = replace(fold_of(1, memories[:2]), memory_id="inner", members=("m1", "m2"))
    outer = replace(fold_of(2, [inner, memories[2]]), members=("inner", "m3"))
    by_id = {memory.memory_id: memory for memory in [*memories, inner]}
    assert numbers_of(outer, by_id, 0) == (1, 3)
    assert numbers_of(outer, by_id, 5) == (6, 8)


@given(st.integers(1, 999_999), st.booleans(), st.booleans())
def test_the_subject_of_a_title_is_read_back_and_left_out(
    number: int, extracted: bool, is_dated: bool
) -> None:
    days = DAYS if is_dated else []
    plain = write_title(number, number, days, extracted=extracted)
    titled = write_title(number, number, days, extracted=extracted, subject="sneakers, festival")
    assert titled == f"{plain[:-1]}: sneakers, festival."
    assert subject_of(called(1, titled)) == "sneakers, festival"
    assert without_subject(f"{titled} ") == f"{plain} "
    assert subject_of(called(1, plain)) == ""
    assert without_subject(f"{plain} Note: this.") == f"{plain} Note: this."


def test_a_title_tells_the_persons_days_and_is_known_by_those_of_utc() -> None:
    dates = ["2025-12-30T05:30:00.000Z", "2026-01-01T05:30:00.000Z"]
    title = title_pair(3, 3, dates, ["2025-12-29", "2025-12-31"])
    assert title == (
        "Memory 3, 30 December 2025 to 1 January 2026",
        "Memory 3, 29 to 31 December 2025",
    )
    known = prompt.question(f"{title[0]}, extracted: shelf, light. A direct quote?").content
    told = prompt.question(f"{title[1]}, extracted: shelf, light. A direct quote?").content
    assert with_shown_title(known, title) == told
    assert with_shown_title(told, title) == told
    assert with_shown_title(f"You wrote: {known}", title) == f"You wrote: {known}"


def test_a_memory_that_is_written_again_keeps_the_days_in_its_title() -> None:
    before = prompt.question("Memory 3, 29 December 2025, extracted: shelf. A quote?").content
    _, told = title_pair(4, 4, ["2025-12-30T05:30:00.000Z"], ["2025-12-30"], before)
    assert told == "Memory 4, 29 December 2025"
    undated = prompt.question("Memory 3: shelf. A direct quote?").content
    assert title_pair(3, 3, ["2025-12-30"], ["2025-12-30"], undated)[1] == "Memory 3"
    own = "My own words about it."
    assert title_pair(3, 3, ["2025-12-30"], ["2025-12-30"], own)[1] == "Memory 3, 30 December 2025"
