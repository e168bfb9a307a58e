"""What a person chooses at the command line is kept, changes no edition, and can be said twice."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.choices import bring_back, choose_edition, pin, unpin
from daemon.archive.memories import (
    editions,
    find_memory,
    keep_edition,
    keep_fold,
    keep_memory,
    memories,
)
from rules.conversation.memory import Memory
from rules.errors import NotFound
from tests.daemon.archive.test_messages import CHAT, TALK, see
from tests.entries import entries, fold_of, memory_of, with_edition

WHEN = "2026-05-01T00:00:00.000Z"


@pytest.fixture
def archive() -> Iterator[Archive]:
    """Three memories of two messages each; the first two in a fold, and that with the third in another."""
    with Archive.memory() as archive:
        see(archive, TALK)
        made = [
            memory_of(number, entries(TALK)[number * 2 - 2 : number * 2]) for number in (1, 2, 3)
        ]
        for memory in made:
            keep_memory(archive, CHAT, memory)
        inner = keep_fold(archive, CHAT, fold_of(1, made[:2]))
        keep_fold(archive, CHAT, fold_of(1, [inner, made[2]]))
        yield archive


def the(archive: Archive, name: str) -> Memory:
    return find_memory(archive, name)[1]


def another(archive: Archive, name: str, number: int, kind: str) -> None:
    """One more edition; the person's own is chosen and pinned, as an edit in TypingMind is."""
    edition = with_edition(
        the(archive, name), number, "person" if kind == "person" else "hindsight"
    ).edition
    keep_edition(archive, name, edition, chosen=kind == "person")
    if kind == "person":
        pin(archive, the(archive, name))


def forget(archive: Archive, *names: str) -> None:
    archive.run_many(
        "UPDATE memory SET forgotten_at = ? WHERE id = ?", [(WHEN, name) for name in names]
    )


def forgotten(archive: Archive) -> list[str]:
    return [memory.memory_id for memory in memories(archive, CHAT) if memory.forgotten]


def test_the_chosen_edition_is_shown_and_all_editions_stay(archive: Archive) -> None:
    another(archive, "m1", 2, "hindsight")
    every = editions(archive, "m1")
    assert the(archive, "m1").edition.number == 2
    assert choose_edition(archive, the(archive, "m1"), 1)
    assert (the(archive, "m1").edition.number, the(archive, "m1").in_prompts.number) == (1, 1)
    assert not choose_edition(archive, the(archive, "m1"), 1), "it is chosen already"
    assert editions(archive, "m1") == every


def test_auto_lets_go_of_the_choice(archive: Archive) -> None:
    another(archive, "m1", 2, "hindsight")
    choose_edition(archive, the(archive, "m1"), 1)
    assert choose_edition(archive, the(archive, "m1"), None)
    assert the(archive, "m1").edition.number == 2
    assert not choose_edition(archive, the(archive, "m1"), None)


def test_an_unknown_edition_is_not_found_and_those_there_are_are_named(archive: Archive) -> None:
    another(archive, "m1", 2, "hindsight")
    for number in (0, 3):
        with pytest.raises(
            NotFound, match=rf"no edition {number}; it has 1 \(as-of\), 2 \(hindsight\)"
        ):
            choose_edition(archive, the(archive, "m1"), number)
    assert the(archive, "m1").chosen is None


def test_a_memory_is_pinned_until_it_is_unpinned(archive: Archive) -> None:
    assert pin(archive, the(archive, "m2"))
    assert [memory.pinned for memory in memories(archive, CHAT)] == [
        False,
        True,
        False,
        False,
        False,
    ]
    assert not pin(archive, the(archive, "m2"))
    assert unpin(archive, the(archive, "m2"))
    assert not the(archive, "m2").pinned
    assert not unpin(archive, the(archive, "m2"))


def test_unpinning_lets_go_of_the_person_s_edition_which_stays_among_the_others(
    archive: Archive,
) -> None:
    another(archive, "m1", 2, "person")
    assert (the(archive, "m1").edition.number, the(archive, "m1").in_prompts.number) == (2, 2)
    assert unpin(archive, the(archive, "m1"))
    assert (the(archive, "m1").edition.number, the(archive, "m1").in_prompts.number) == (1, 1)
    assert [edition.kind for edition in editions(archive, "m1")] == ["as-of", "person"]
    assert choose_edition(archive, the(archive, "m1"), 2)
    assert the(archive, "m1").in_prompts.number == 2


def test_unpinning_keeps_an_edition_that_was_chosen_by_hand(archive: Archive) -> None:
    another(archive, "m1", 2, "hindsight")
    choose_edition(archive, the(archive, "m1"), 1)
    pin(archive, the(archive, "m1"))
    assert unpin(archive, the(archive, "m1"))
    assert the(archive, "m1").chosen == 1


def test_a_recalled_memory_is_forgotten_no_more_and_awaited(archive: Archive) -> None:
    forget(archive, "m3")
    before = the(archive, "m3")
    assert bring_back(archive, before) == ("m3",)
    assert the(archive, "m3") == replace(before, forgotten=False, recalled=True)
    assert bring_back(archive, the(archive, "m3")) == ()


def test_a_recalled_fold_comes_with_all_that_it_stands_for(archive: Archive) -> None:
    forget(archive, "m1", "m2", "f2.1", "m3", "f3.1")
    assert bring_back(archive, the(archive, "f2.1")) == ("m1", "m2", "f2.1")
    assert forgotten(archive) == ["m3", "f3.1"]


def test_a_fold_comes_back_with_the_last_of_its_members(archive: Archive) -> None:
    forget(archive, "m1", "m2", "f2.1", "m3", "f3.1")
    assert bring_back(archive, the(archive, "m1")) == ("m1",)
    assert bring_back(archive, the(archive, "m2")) == ("m2", "f2.1")
    assert bring_back(archive, the(archive, "m3")) == ("m3", "f3.1")
    assert forgotten(archive) == []
