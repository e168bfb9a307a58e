"""Gathers what `memproc budget show` prints: the three caps, what is spent and reserved under each, and by model."""

from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.ledger import by_model, last_run, spent
from daemon.config.providers import BudgetSettings
from daemon.files.clock import at, periods
from daemon.models.run_budget import caps_now
from rules.money.price import NAMES, Which, dollars


@dataclass(frozen=True, slots=True)
class Cap:
    """One cap, in dollars; `configured` is what memproc.toml says, where the person has raised it for a while."""

    name: Which
    usd: float
    configured_usd: float
    spent_usd: float
    """Spent and reserved."""
    turns_at: str
    """UTC; empty for the cap on a run, since each run has its own."""


@dataclass(frozen=True, slots=True)
class OnModel:
    """What one model has cost this month, in dollars."""

    model: str
    calls: int
    usd: float
    open_usd: float
    """Reserved for calls that are under way, or were cut off and may have been billed."""
    unpriced: int


@dataclass(frozen=True, slots=True)
class Budget:
    """All that `memproc budget show` prints."""

    caps: tuple[Cap, ...]
    models: tuple[OnModel, ...]


def budget(archive: Archive, settings: BudgetSettings, now: str) -> Budget:
    """The budget at `now`; the run is the last in which anything was reserved."""
    when = periods(at(now))
    caps, amounts = caps_now(archive, settings, now), spent(archive, last_run(archive), when)
    turns: dict[Which, str] = {"run": "", "day": when.day_ends, "month": when.month_ends}
    return Budget(
        tuple(
            Cap(
                name,
                dollars(caps.of(name)),
                dollars(settings.caps.of(name)),
                dollars(amounts.of(name)),
                turns[name],
            )
            for name in NAMES
        ),
        tuple(
            OnModel(entry.model, entry.calls, dollars(entry.settled), dollars(entry.open), entry.unpriced)
            for entry in by_model(archive, when.month_began)
        ),
    )
