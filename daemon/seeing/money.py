"""What was spent on models today and this month, by the local calendar, as the journal has it (D15)."""

from dataclasses import dataclass
from datetime import datetime

from daemon.archive.archive import Archive
from rules.export.dates import write_date


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars; `unpriced` calls of this month have no known price, and are not in them."""

    today_usd: float
    month_usd: float
    unpriced: int


def spent(archive: Archive, now: datetime) -> Money:
    """The money of the calls that were asked since midnight, and since the first of the month."""
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    day, month = (write_date(start.astimezone()) for start in (midnight, midnight.replace(day=1)))
    row = archive.one(
        "SELECT coalesce(sum(CASE WHEN asked_at >= ?1 THEN usd END), 0.0), coalesce(sum(usd), 0.0), "
        "count(*) - count(usd) FROM reply WHERE asked_at >= ?2",
        (day, month),
    )
    return Money(*row) if row else Money(0.0, 0.0, 0)
