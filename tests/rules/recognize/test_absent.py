"""Of what an export lacks, it is told what the person deleted, what was answered anew, and what is missing."""

from collections.abc import Collection, Sequence

import pytest

from rules.recognize.absent import Absent, Deletions, sort_absent
from rules.recognize.known import Known, KnownMessage
from tests.chats import Json, assistant, user
from tests.rules.recognize.test_loss import (
    ANSWER,
    FRONT,
    known,
    places,
    sent_again,
    talk,
    thread,
    uuids,
)

FIRST, LATER = talk(4), talk(3, first=10)
SEEN = "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"
NAMED = Deletions(is_there=True, are_noted=True)
OURS_ALONE = Deletions(is_there=True)
FULL = Deletions(is_there=True, are_noted=True, new=100)


def stood() -> list[KnownMessage]:
    """Four turns that were there first, and three that came later."""
    return [
        KnownMessage(
            one.key, one.uuid, one.digest, one.role, one.created_at, SEEN[number >= len(FIRST)]
        )
        for number, one in enumerate(known(FRONT + FIRST + LATER))
    ]


def lacks(
    now: Sequence[Json], deletions: Deletions = NAMED, deleted: Collection[str] = ()
) -> Absent:
    """What is absent in an export with these messages behind the memories."""
    standing = stood()
    named = Deletions(frozenset(deleted), deletions.new, deletions.is_there, deletions.are_noted)
    last = Known("c", live=standing, seen={one.key: one.seen_at for one in standing})
    return sort_absent(last, places([*FRONT, *now]), named, ())


def missing(found: Absent) -> list[str | None]:
    return [one.uuid for one in found.missing]


def test_each_message_that_is_absent_is_counted_under_its_reason() -> None:
    """The example that the module begins with."""
    q1, a1, q2, a2, q3, a3, q4 = before = talk(4)[:7]
    x1, n1 = ANSWER, user("Something new.", 9_901)
    now = [q1, x1, q2 | {"threads": [thread([q3, a3])]}, n1]
    last = known(FRONT + before)
    seen = {message.key: SEEN[0] for message in last}
    deletions = Deletions(frozenset(uuids([a2])), 1, is_there=True, are_noted=True)

    found = sort_absent(Known("c", live=last, seen=seen), places([*FRONT, *now]), deletions, ())

    (branch,) = found.branches
    assert [message.uuid for message in branch.moved.values()] == uuids([q3, a3])
    assert (found.deleted, found.replaced, found.expected, found.new) == (1, 1, 4, 2)
    assert [message.uuid for message in found.gone.values()] == uuids([a1, q4])
    assert missing(found) == uuids([q4])
    assert [message.uuid for message in found.newest_gone] == uuids([q4])


def test_where_all_came_back_nothing_is_absent() -> None:
    found = lacks(FIRST + LATER + talk(1, first=90))
    assert (found.missing, found.keys, found.went_back) == ((), frozenset(), False)


@pytest.mark.parametrize("deletions", [NAMED, OURS_ALONE])
def test_an_export_without_all_that_came_later_went_back(deletions: Deletions) -> None:
    for now in (FIRST, FIRST + talk(1, first=90), FIRST[:2] + FIRST[6:]):
        found = lacks(now, deletions)
        assert found.went_back is (now[:8] == FIRST)
        assert missing(found)[-6:] == uuids(LATER)


def test_what_came_with_something_that_is_there_did_not_go_back() -> None:
    found = lacks([*FIRST, *LATER[:2], *talk(1, first=90)])
    assert not found.went_back
    assert missing(found) == uuids(LATER[2:])


def test_what_was_missing_under_a_memory_before_is_accepted_in_the_next_exports_too() -> None:
    live = [one for one in stood() if one.seen_at == SEEN[0]]
    later = [one for one in stood() if one.seen_at == SEEN[1]]
    seen = {one.key: one.seen_at for one in stood()}

    def lacks_later(missing: frozenset[str]) -> Absent:
        known = Known("c", live=live, seen=seen, missing=missing)
        return sort_absent(known, places([*FRONT, *FIRST]), NAMED, later)

    keys = frozenset(one.key for one in later)
    assert lacks_later(frozenset()).went_back
    assert (lacks_later(keys).went_back, lacks_later(keys).under) == (False, keys)


def test_where_the_list_was_full_nobody_can_tell() -> None:
    found = lacks(FIRST, FULL)
    assert (found.went_back, found.evidence, len(found.missing)) == (False, "the list was full", 6)


def test_without_a_list_and_without_anything_of_ours_nobody_can_tell() -> None:
    standing = stood()
    seen = {one.key: one.seen_at for one in standing}
    found = sort_absent(Known("c", live=standing, seen=seen), places(FIRST), Deletions(), ())
    assert (found.went_back, found.evidence, len(found.missing)) == (False, "nothing is named", 6)


def test_what_the_list_names_is_deleted() -> None:
    found = lacks(FIRST, deleted=uuids(LATER))
    assert (found.missing, found.deleted, found.went_back) == ((), 6, False)


def test_an_answer_that_went_into_a_branch_is_still_in_the_export() -> None:
    whole = FIRST + LATER
    found = lacks(sent_again(whole, len(whole) - 2, ANSWER))
    assert (found.missing, found.replaced, found.went_back) == ((), 0, False)


def test_an_answer_that_another_one_took_the_place_of_is_replaced() -> None:
    found = lacks([*FIRST, *LATER[:-1], ANSWER], OURS_ALONE)
    assert (found.missing, found.replaced) == ((), 1)
    found = lacks([*FIRST, *LATER[:-1], user("No answer.", 9_901), ANSWER], OURS_ALONE)
    assert (missing(found), found.replaced) == (uuids(LATER[-1:]), 0)


def test_raw_messages_under_a_memory_that_is_not_shown_are_missing_unless_they_are_named() -> None:
    old = assistant("Under a memory.", 700)
    under = [KnownMessage(old["uuid"], old["uuid"], "d", "assistant", None, SEEN[0])]
    everything = {one.key: one.seen_at for one in [*stood(), *under]}
    last, here = Known("c", live=stood(), seen=everything), places([*FRONT, *FIRST, *LATER])
    for deletions, kept in ((NAMED, True), (OURS_ALONE, False)):
        found = sort_absent(last, here, deletions, under)
        assert (old["uuid"] in found.under) is kept
    named = Deletions(frozenset([old["uuid"]]), 1, is_there=True, are_noted=True)
    assert not sort_absent(last, here, named, under).under


def test_what_is_left_out_of_memories_is_missing_too_but_for_what_has_no_name() -> None:
    excluded = KnownMessage("k", "k", "d", "user", None, SEEN[0])
    divider = KnownMessage("digest:x", None, "x", None, None, SEEN[0])
    last = Known("c", live=stood(), left_out=[excluded, divider])
    found = sort_absent(last, places([*FRONT, *FIRST, *LATER]), NAMED, ())
    assert found.keys == {"k"}
