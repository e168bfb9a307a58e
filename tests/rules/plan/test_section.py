"""What stands for the first memories of a chat, in prompts and in the export, within the budget."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Memory, fold_id
from rules.plan.fold_budget import Bounds
from rules.plan.folds import (
    MissingFold,
    SectionItem,
    View,
    describe_over_budget,
    version_in_export,
    version_in_prompts,
    view_section,
)
from rules.plan.foresight import Coming, Foresight
from tests.entries import entries, fold_of, memory_of, said, sized, with_edition
from tests.groups import groups_of

TALK = entries([said("user", f"m{at}", at) for at in range(40)])
CHAT = "k3v9xq2m7p"
LARGE = Bounds(1000)
pytestmark = pytest.mark.usefixtures("groups_of_three")


def made(count: int, tokens: int = 10) -> list[Memory]:
    return [
        sized(memory_of(number, TALK[number - 1 : number]), tokens)
        for number in range(1, count + 1)
    ]


def folded(number: int, members: Sequence[Memory], tokens: int = 10) -> Memory:
    """A fold under the name that it would have."""
    return replace(sized(fold_of(number, members), tokens), memory_id=fold_id(CHAT, members))


def names(view: View) -> list[str]:
    return [item.name for item in view.items]


def test_within_the_budget_the_memories_stand_as_they_are() -> None:
    assert names(view_section(CHAT, made(3), 3, Bounds(30), version_in_prompts)) == [
        "m1",
        "m2",
        "m3",
    ]


def test_only_the_memories_before_a_point_are_in_the_section_of_that_point() -> None:
    assert names(view_section(CHAT, made(5), 2, LARGE, version_in_prompts)) == ["m1", "m2"]
    assert names(view_section(CHAT, made(5), 0, LARGE, version_in_prompts)) == []


def test_above_the_budget_the_oldest_group_is_one_fold() -> None:
    memories = made(4)
    fold = folded(1, memories[:3])
    view = view_section(CHAT, [*memories, fold], 4, Bounds(30), version_in_prompts)
    assert names(view) == [fold.memory_id, "m4"]
    assert view.items[0].covers == ("m1", "m2", "m3")
    assert names(view_section(CHAT, [*memories, fold], 3, Bounds(30), version_in_prompts)) == [
        "m1",
        "m2",
        "m3",
    ]


def test_a_fold_that_is_not_made_is_wanted() -> None:
    view = view_section(CHAT, made(4), 4, Bounds(30), version_in_prompts)
    assert view.missing is not None
    assert [member.name for member in view.missing.members] == ["m1", "m2", "m3"]


def test_a_fold_of_other_editions_is_another_fold() -> None:
    """The person has edited a member since: what was folded is not what it says now."""
    memories = made(4)
    fold = folded(1, memories[:3])
    edited = with_edition(memories[0], 2, "person").edition
    now = [replace(memories[0], edition=edited, in_prompts=edited), *memories[1:], fold]
    assert view_section(CHAT, now, 4, Bounds(30), version_in_prompts).missing is not None


def test_hindsight_does_not_change_which_fold_stands_there() -> None:
    """Later prompts see as-of editions, so a fold is made of them and stays."""
    memories = made(4)
    fold = folded(1, memories[:3])
    now = [sized(memories[0], 10), *memories[1:], fold]
    now[0] = replace(now[0], edition=with_edition(now[0], 2).edition)
    assert names(view_section(CHAT, now, 4, Bounds(30), version_in_prompts)) == [
        fold.memory_id,
        "m4",
    ]


def test_what_is_told_and_what_is_shown_can_differ_in_size() -> None:
    """An edition with hindsight may be longer, so that the export folds earlier than the prompts."""
    one, two = made(2)
    longer = replace(one, edition=replace(with_edition(one, 2).edition, tokens=25))
    assert view_section(CHAT, [longer, two], 2, Bounds(30), version_in_prompts).tokens == 20
    assert view_section(CHAT, [longer, two], 2, Bounds(30), version_in_export).missing is not None


def test_what_is_forgotten_stands_nowhere_and_takes_no_room() -> None:
    one, two, three = made(3)
    for size in (version_in_prompts, version_in_export):
        view = view_section(CHAT, [one, replace(two, forgotten=True), three], 3, Bounds(20), size)
        assert names(view) == ["m1", "m3"]


def test_memories_that_are_still_to_come_count_with_a_guess_and_so_may_a_fold() -> None:
    guessed: list[MissingFold] = []

    def guess(wanted: MissingFold) -> SectionItem:
        guessed.append(wanted)
        return SectionItem("guess", wanted.level, 5, wanted.covers)

    coming = [SectionItem(name, 1, 10, (name,)) for name in ("m3", "m4")]
    view = view_section(CHAT, made(2), 4, Bounds(30), version_in_prompts, guess, coming)
    assert names(view) == ["guess", "m4"]
    assert [wanted.covers for wanted in guessed] == [("m1", "m2", "m3")]


@given(
    st.lists(st.integers(1, 20), max_size=30),
    st.integers(10, 60),
    st.integers(2, 5),
    st.sets(st.integers(0, 29)),
)
def test_the_section_covers_all_that_is_not_forgotten_once_and_in_order(
    tokens: list[int], budget: int, group: int, forgotten: set[int]
) -> None:
    memories = [
        replace(sized(memory, size), forgotten=at in forgotten)
        for at, (memory, size) in enumerate(zip(made(len(tokens)), tokens, strict=True))
    ]
    every = list(memories)
    bounds = Bounds(budget)
    with groups_of(group):
        while wanted := view_section(
            CHAT, every, len(memories), bounds, version_in_prompts
        ).missing:
            by_id = {memory.memory_id: memory for memory in every}
            members = [by_id[member.name] for member in wanted.members]
            every.append(replace(folded(1, members, 3), level=wanted.level))
        view = view_section(CHAT, every, len(memories), bounds, version_in_prompts)
        known = {memory.memory_id for memory in every}
        assert {item.name for item in view.items} <= known
        covered = [name for item in view.items for name in item.covers]
        assert covered == [memory.memory_id for memory in memories if not memory.forgotten]
        assert view.tokens <= budget or len(view.items) == 1
        for upto in range(len(memories) + 1):
            assert view_section(CHAT, every, upto, bounds, version_in_prompts).missing is None, (
                "each earlier section had its folds too"
            )


def pinned(memory: Memory) -> Memory:
    return replace(memory, pinned=True)


def test_an_edited_or_pinned_memory_is_in_no_fold() -> None:
    one, two, three, four = made(4)
    view = view_section(CHAT, [one, two, pinned(three), four], 4, Bounds(30), version_in_prompts)
    assert view.missing is not None
    assert [member.name for member in view.missing.members] == ["m1", "m2"]


def test_a_fold_whose_members_are_lost_is_folded_further_unless_the_person_has_pinned_it() -> None:
    def members_of_next_fold(first: Memory) -> list[str]:
        missing = view_section(CHAT, [first, *lone[1:]], 4, Bounds(30), version_in_prompts).missing
        return [member.name for member in missing.members] if missing else []

    lone = [replace(memory, level=2) for memory in made(4)]
    edited = replace(lone[0], in_prompts=replace(lone[0].in_prompts, kind="person"))
    assert members_of_next_fold(lone[0]) == ["m1", "m2", "m3"]
    assert members_of_next_fold(pinned(lone[0])) == ["m2", "m3"]
    assert members_of_next_fold(edited) == ["m2", "m3"]


def test_a_memory_that_is_pinned_after_it_was_folded_comes_out_of_the_fold() -> None:
    memories = made(4)
    fold = folded(1, memories[:3])
    rest = folded(2, memories[:2])
    view = view_section(
        CHAT,
        [*memories[:2], pinned(memories[2]), memories[3], fold, rest],
        4,
        Bounds(30),
        version_in_prompts,
    )
    assert names(view) == [rest.memory_id, "m3", "m4"]


def test_a_forgotten_memory_is_not_kept() -> None:
    memories = [replace(one, pinned=True, forgotten=True) for one in made(1)] + made(4)[1:]
    view = view_section(CHAT, memories, 4, Bounds(20), version_in_prompts)
    assert view.missing is not None
    assert [member.name for member in view.missing.members] == ["m2", "m3"]


def test_an_edited_fold_stays_and_is_not_folded_further() -> None:
    memories = made(12)
    folds = [folded(at, memories[at * 3 : at * 3 + 3]) for at in range(3)]
    above = folded(9, folds)
    assert (
        names(view_section(CHAT, [*memories, *folds, above], 10, Bounds(10), version_in_prompts))[0]
        != folds[0].memory_id
    )
    mine = pinned(folds[0])
    view = view_section(
        CHAT, [*memories, mine, *folds[1:], above], 10, Bounds(30), version_in_prompts
    )
    assert names(view)[0] == mine.memory_id
    assert view.missing is not None
    assert mine.memory_id not in [member.name for member in view.missing.members]


def test_an_edited_fold_stays_where_its_memories_get_new_editions() -> None:
    memories = made(4)
    mine = pinned(folded(1, memories[:3]))
    again = [replace(one, in_prompts=replace(one.in_prompts, number=2)) for one in memories]
    assert names(view_section(CHAT, [*again, mine], 4, Bounds(30), version_in_prompts)) == [
        mine.memory_id,
        "m4",
    ]


def test_where_only_kept_ones_are_left_the_section_is_over_its_budget_and_says_so() -> None:
    memories = [pinned(one) for one in made(4)]
    view = view_section(CHAT, memories, 4, Bounds(30), version_in_prompts)
    assert view.missing is None
    assert names(view) == ["m1", "m2", "m3", "m4"]
    told = describe_over_budget(view.items, 30)
    assert (
        "take 40 tokens without their quotes, 10 more than fold.budget, and 4 of them are edited or pinned"
        in told
    )
    assert describe_over_budget(view.items, 40) == ""


def test_the_plan_counts_the_folds_that_the_memories_under_them_would_be_too_much_for() -> None:
    coming = [Coming(100, 400)] * 60
    with groups_of(2):
        assert Foresight(CHAT, (), coming, Bounds(100)).folds_beyond() > 0
    with groups_of(6):
        assert Foresight(CHAT, (), coming, Bounds(4_000)).folds_beyond() == 0


def test_a_fold_of_folds_is_planned_with_the_last_answers_of_the_memories_under_it() -> None:
    coming = [Coming(600, 4_000)] * 24
    sizes = Foresight(CHAT, (), coming, Bounds(1_500)).folds_to_make()
    assert max(sizes) > 3 * 600, "more than a fold of memories reads"
