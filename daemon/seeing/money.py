"""What was spent on models today and this month, by the local calendar, as the ledger has it."""

from dataclasses import dataclass
from datetime import datetime

from daemon.archive import spending
from daemon.archive.archive import Archive
from daemon.clock import periods
from rules.money.price import dollars


@dataclass(frozen=True, slots=True)
class Money:
    """Dollars, with what is reserved; `unpriced` calls of this month have no known price, and are not in them."""

    today_usd: float
    month_usd: float
    unpriced: int


def spent(archive: Archive, now: datetime) -> Money:
    """The money of the calls that were asked since midnight, and since the first of the month."""
    when = periods(now)
    amounts = spending.spent(archive, "", when)
    return Money(dollars(amounts.day), dollars(amounts.month), spending.unpriced_since(archive, when.month_began))
