"""The whole conversation is cut into sheets, each message on one of them."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.messages import OutlinedMessage
from daemon.page.reading import cut_sheets, find_local_days, group_by_month

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)
SHEET_BYTES = 40_000


def _row(hours: float | None, size: int = 1_000) -> OutlinedMessage:
    """A message so many hours after the first; None where nothing says when."""
    said_at = "" if hours is None else (NOON + timedelta(hours=hours)).isoformat()
    return OutlinedMessage("k", said_at, size, "", "", is_deleted=False, is_edited=False)


ROWS = st.lists(
    st.builds(_row, st.none() | st.floats(0, 900), st.integers(0, 90_000)), min_size=1, max_size=80
)


@given(ROWS)
def test_each_message_is_on_one_sheet_in_its_order(rows: list[OutlinedMessage]) -> None:
    sheets = cut_sheets(rows, find_local_days(rows, UTC))
    assert [at for sheet in sheets for at in sheet] == list(range(len(rows)))
    assert all(sheets)


@given(ROWS)
def test_no_sheet_is_heavy_unless_one_message_is(rows: list[OutlinedMessage]) -> None:
    for sheet in cut_sheets(rows, find_local_days(rows, UTC)):
        assert len(sheet) == 1 or sum(rows[at].size for at in sheet) <= SHEET_BYTES


def test_a_sheet_ends_where_a_day_does() -> None:
    rows = [_row(hours, 9_000) for hours in (0, 1, 2, 24, 25, 48, 49)]
    days = find_local_days(rows, UTC)
    assert cut_sheets(rows, days) == [range(3), range(3, 7)]
    for before, after in pairwise(cut_sheets(rows, days)):
        assert days[before[-1]] < days[after[0]]


def test_a_very_long_day_is_cut_between_messages() -> None:
    rows = [_row(0, 30_000) for _ in range(3)]
    assert cut_sheets(rows, find_local_days(rows, UTC)) == [range(1), range(1, 2), range(2, 3)]


def test_a_message_without_a_date_has_the_day_of_the_one_before() -> None:
    first, second = (NOON + timedelta(hours=hours) for hours in (0, 48))
    expected = [moment.astimezone().date() for moment in (first, first, second, second)]
    assert find_local_days([_row(None), _row(0), _row(48), _row(None)], UTC) == expected
    assert find_local_days([_row(None)], UTC) == [date.min]


def test_all_days_are_listed_by_month_with_their_sheets() -> None:
    rows = [_row(hours, 30_000) for hours in (0, 24, 24 * 40)]
    days = find_local_days(rows, UTC)
    months = group_by_month(days, cut_sheets(rows, days))
    assert list(months) == ["March 2024", "April 2024"]
    assert [number for days_of in months.values() for _, number in days_of] == [1, 2, 3]
