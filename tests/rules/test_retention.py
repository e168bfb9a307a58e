"""The older kept versions are, the fewer of them stay."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rules.retention import Kept, choose_removals, find_surplus

NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)
_moments = st.integers(0, 400 * 24 * 60).map(lambda minutes: NOW - timedelta(minutes=minutes))


def kept(*moments: datetime) -> list[Kept]:
    return [Kept(number, False, when) for number, when in enumerate(sorted(moments), 1)]


@st.composite
def shelves(draw: st.DrawFn) -> list[Kept]:
    originals = draw(st.lists(_moments, max_size=2))
    later = draw(st.lists(_moments, max_size=60))
    if draw(st.booleans()):
        later.sort()  # otherwise the clock was set back now and then
    both = [(True, when) for when in originals] + [(False, when) for when in later]
    return [Kept(number, is_original, when) for number, (is_original, when) in enumerate(both, 1)]


def pruned(versions: list[Kept], now: datetime) -> list[Kept]:
    """What is left after so many rounds that nothing goes any more."""
    while gone := choose_removals(versions, now):
        versions = [version for version in versions if version.number not in gone]
    return versions


def ages(versions: list[Kept], now: datetime = NOW) -> list[timedelta]:
    return [now - version.when for version in versions]


def test_all_of_the_last_day_stay() -> None:
    every_hour = kept(*(NOW - timedelta(hours=hours) for hours in range(25)))

    assert find_surplus(every_hour, NOW) == frozenset()


def test_a_year_of_versions_every_four_hours_thins_out_with_age() -> None:
    year = kept(*(NOW - timedelta(hours=hours) for hours in range(0, 365 * 24, 4)))

    left = ages(pruned(year, NOW))

    assert len([age for age in left if age <= timedelta(days=1)]) == 7
    assert len([age for age in left if timedelta(days=1) < age <= timedelta(days=14)]) == 13
    assert len([age for age in left if timedelta(days=14) < age <= timedelta(weeks=8)]) == 6
    assert len([age for age in left if age > timedelta(weeks=8)]) == 10


def test_of_a_day_the_newest_stays() -> None:
    morning, evening, today = (
        datetime(2026, 7, day, hour, tzinfo=UTC) for day, hour in [(9, 8), (9, 20), (15, 11)]
    )

    assert find_surplus(kept(morning, evening, today), NOW) == {1}


def test_a_week_that_two_months_share_belongs_to_the_month_of_its_thursday() -> None:
    # Monday 30 March 2026 and Friday 3 April are in one week, and in April's.
    moments = [
        datetime(2026, 3, 20, tzinfo=UTC),
        datetime(2026, 3, 30, tzinfo=UTC),
        datetime(2026, 4, 3, tzinfo=UTC),
    ]

    assert find_surplus(kept(*moments, NOW), NOW) == {2}


def test_a_version_that_was_kept_last_stays_although_the_clock_was_set_back() -> None:
    old = NOW - timedelta(days=300)
    shelf = [Kept(1, False, old), Kept(2, False, NOW), Kept(3, False, old - timedelta(minutes=1))]

    assert find_surplus(shelf, NOW) == frozenset()


@given(shelves())
def test_originals_and_the_newest_never_go(shelf: list[Kept]) -> None:
    left = pruned(shelf, NOW)
    later = [version for version in shelf if not version.is_original]

    assert {version for version in shelf if version.is_original} <= set(left)
    if later:
        assert max(later, key=lambda version: version.when).when in {
            version.when for version in left
        }
        assert later[-1] in left


@given(shelves())
def test_at_most_half_go_at_once_and_the_oldest_first(shelf: list[Kept]) -> None:
    gone = choose_removals(shelf, NOW)

    assert len(gone) * 2 <= len([version for version in shelf if not version.is_original])
    dates = [next(version.when for version in shelf if version.number == number) for number in gone]
    left_over = [
        version.when for version in shelf if version.number in find_surplus(shelf, NOW) - set(gone)
    ]
    assert dates == sorted(dates)
    assert all(date <= min(left_over) for date in dates if left_over)


@given(shelves())
def test_what_is_left_once_stays_left(shelf: list[Kept]) -> None:
    left = pruned(shelf, NOW)

    assert find_surplus(left, NOW) == frozenset()
    assert {version.number for version in shelf} - {
        version.number for version in left
    } == find_surplus(shelf, NOW)


@given(st.lists(_moments, min_size=20, max_size=60), st.integers(1, 30))
def test_what_is_kept_in_the_end_does_not_depend_on_how_often_versions_were_removed(
    moments: list[datetime], every_days: int
) -> None:
    shelf = kept(*moments)
    for days in range(400, 0, -every_days):
        now = NOW - timedelta(days=days)
        gone = choose_removals([version for version in shelf if version.when <= now], now)
        shelf = [version for version in shelf if version.number not in gone]

    assert pruned(shelf, NOW) == pruned(kept(*moments), NOW)
