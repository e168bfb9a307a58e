"""Money by the calendar on the wall."""

import time
from datetime import UTC, datetime

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import costs_since
from daemon.status.status import Money, money_spent
from tests.daemon.status.filled import NOON, call, reply


def test_nothing_was_spent_where_nothing_was_asked(archive: Archive) -> None:
    assert money_spent(archive, NOON) == Money(0.0, 0.0, 0)


def test_a_day_begins_at_local_midnight_and_a_month_on_its_first(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "XXX-5")  # five hours east of Greenwich
    time.tzset()
    for asked_at, usd in (
        ("2026-11-20T19:00:00.000Z", 1.0),
        ("2026-11-20T18:59:59.999Z", 2.0),
        ("2026-10-31T19:00:00.000Z", 4.0),
        ("2026-10-31T18:59:59.999Z", 8.0),
    ):
        call(archive, asked_at, usd)
        reply(archive, asked_at, usd)

    assert money_spent(archive, NOON) == Money(1.0, 7.0, 0)
    days = {cost.day: cost.usd for cost in costs_since(archive, "2026-11-20T00:00:00.000Z")}
    assert days == {"2026-11-20": 2.0, "2026-11-21": 1.0}, "the chart's days are those of the caps"
    assert money_spent(archive, datetime(2026, 11, 1, 5, 0, tzinfo=UTC)) == Money(7.0, 7.0, 0)


def test_calls_without_a_price_are_counted(archive: Archive) -> None:
    call(archive, "2026-11-21T11:00:00.000Z", None)
    call(archive, "2026-11-21T11:00:00.000Z", 0.5)
    call(archive, "2026-10-01T11:00:00.000Z", None)

    assert money_spent(archive, NOON) == Money(0.5, 0.5, 1)
