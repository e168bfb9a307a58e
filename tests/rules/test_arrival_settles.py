"""When a file in the inbox may be taken."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.arrival import (
    ATTENTION_AFTER,
    LONGEST_PAUSE,
    Incomplete,
    Sighting,
    Stillness,
    Wait,
    decide,
    update_stillness,
)

FILE = Sighting(1, 2, 100, 1_000)
SETTLE = 5.0
CUT = Incomplete("JSON not closed at byte 100")
seconds = st.floats(0, 100_000)
LARGE = Incomplete("it is too large", "Export less.")
contents: st.SearchStrategy[Incomplete | None] = st.sampled_from([None, CUT, LARGE])


def first_look(now: float) -> Stillness:
    return update_stillness(None, FILE, FILE, now, SETTLE)


def test_a_complete_file_that_stood_still_is_ready() -> None:
    assert decide(first_look(0), 5, 5, SETTLE, None) is None


def test_a_complete_file_that_did_not_stand_still_long_enough_settles_on() -> None:
    assert decide(first_look(0), 3, 3, SETTLE, None) == Wait(2, "")


@given(seconds, seconds, seconds, st.floats(0, 600), contents)
def test_nothing_is_ready_before_it_has_stood_still(
    began: float, passed: float, waited: float, settle: float, content: Incomplete | None
) -> None:
    decision = decide(
        update_stillness(None, FILE, FILE, began, settle), began + passed, waited, settle, content
    )
    if began + passed - began < settle:
        assert decision


@given(
    seconds,
    st.sampled_from(["device", "inode", "size", "mtime_ns"]),
    st.integers(-99, 10**12).filter(bool),
)
def test_any_change_starts_again(now: float, field: str, by: int) -> None:
    settled = Stillness(now - 60, now - 55)
    changed = replace(FILE, **{field: getattr(FILE, field) + by})
    again = update_stillness(settled, FILE, changed, now, SETTLE)
    assert (again.since, again.look_at) == (now, now + SETTLE)
    assert decide(again, now, 0, SETTLE, None)


def test_what_does_not_change_keeps_its_time() -> None:
    standing = Stillness(10, 40, "still growing")
    assert update_stillness(standing, FILE, FILE, 20, SETTLE) is standing


def test_a_larger_file_is_said_to_grow_and_another_to_change() -> None:
    assert update_stillness(None, FILE, replace(FILE, size=101), 0, SETTLE).moved == "still growing"
    assert update_stillness(None, FILE, replace(FILE, size=99), 0, SETTLE).moved == "still changing"
    assert (
        update_stillness(None, FILE, replace(FILE, mtime_ns=7), 0, SETTLE).moved == "still changing"
    )


def test_at_the_first_look_it_is_known_when_to_look_inside() -> None:
    assert first_look(3) == Stillness(3, 3 + SETTLE)


def test_what_is_cut_short_says_so_and_is_looked_at_again_until_it_needs_the_person() -> None:
    standing = Stillness(0, SETTLE)
    early = decide(standing, 10, ATTENTION_AFTER - 1, SETTLE, CUT)
    assert early is not None and (early.reason, early.next_step) == (CUT.reason, "")
    late = decide(standing, 10, ATTENTION_AFTER, SETTLE, CUT)
    assert late is not None and late.reason == CUT.reason and late.next_step
    assert decide(Stillness(0, SETTLE), SETTLE - 0.25, 1, SETTLE, None) == Wait(0.25, "")


def test_the_pauses_double_up_to_a_minute() -> None:
    now, pauses = SETTLE, []
    for _ in range(6):
        decision = decide(first_look(0), now, now, SETTLE, CUT)
        assert decision
        pauses.append(decision.seconds)
        now += decision.seconds
    assert pauses == [5, 10, 20, 40, 60, 60]


@given(st.floats(0, 100), st.floats(0, 10_000))
def test_what_never_becomes_complete_needs_attention_after_an_hour_and_is_looked_at_for_ever(
    settle: float, began: float
) -> None:
    standing, now = update_stillness(None, FILE, FILE, began, settle), began + settle
    for _ in range(200):
        decision = decide(standing, now, now - began, settle, CUT)
        assert decision
        if now - began < ATTENTION_AFTER:
            assert not decision.next_step
            assert decision.seconds <= max(LONGEST_PAUSE, settle)
        now += max(decision.seconds, 1)
    assert now - began > ATTENTION_AFTER
    assert decision
    assert decision.reason == CUT.reason
    assert decision.next_step


def test_what_becomes_complete_after_hours_is_taken() -> None:
    assert decide(first_look(0), 9_000, 9_000, SETTLE, None) is None


def test_what_will_not_do_needs_attention_at_once() -> None:
    assert decide(first_look(0), 5, 5, SETTLE, LARGE) == Wait(
        600, "it is too large", "Export less."
    )


def test_what_is_written_to_for_more_than_an_hour_needs_attention() -> None:
    growing = update_stillness(None, FILE, replace(FILE, size=101), 4_000, SETTLE)
    assert decide(growing, 4_000, 3_599, SETTLE, None) == Wait(5, "still growing")
    decision = decide(growing, 4_000, 3_600, SETTLE, None)
    assert decision
    assert decision.next_step
    assert (decision.seconds, decision.reason) == (5, "still growing")


def test_a_file_that_was_seen_yesterday_settles_quietly_after_a_start() -> None:
    assert decide(first_look(0), 0, 86_400, SETTLE, None) == Wait(5, "")
