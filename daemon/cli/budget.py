"""`memproc budget show`, `raise`: what was spent and may be spent, and a higher cap for today or this month."""

from collections.abc import Iterator
from dataclasses import asdict

import click

from daemon.archive.archive import Archive
from daemon.archive.arrivals import look_again
from daemon.archive.ledger import raise_cap
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.config.providers import MOST_USD
from daemon.files.clock import at, now, periods
from daemon.models.run_budget import caps_now
from daemon.status.budget import Budget, Cap
from daemon.status.budget import budget as gather
from daemon.status.sentences import printable_json, visible, with_span
from rules.money.price import NAMES, PICO, Amounts, Which, in_words

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_DOLLARS = click.FloatRange(0, MOST_USD)


@click.group
def budget() -> None:
    """Show the caps on what may be spent, or raise one for a while."""


@budget.command
@json_option
@pass_settings
def show(settings: Settings, as_json: bool) -> int:
    """Show the caps, what is spent and reserved under each, and on which models."""
    with settings.archive() as archive:
        found = gather(archive, settings.config.budget, now())
    _show(found, as_json)
    return 0


@budget.command("raise")
@click.option("--run", "run_usd", type=_DOLLARS, help="Dollars for each run, until the day turns.")
@click.option("--day", "day_usd", type=_DOLLARS, help="Dollars for today.")
@click.option("--month", "month_usd", type=_DOLLARS, help="Dollars for this month.")
@json_option
@pass_settings
def raise_(
    settings: Settings, run_usd: float | None, day_usd: float | None, month_usd: float | None, as_json: bool
) -> int:
    """Let more be spent until the day or the month turns; memproc.toml stays as it is. The daemon goes on at once."""
    given = {"run": run_usd, "day": day_usd, "month": month_usd}
    wanted = {which: round(usd * PICO) for which in NAMES if (usd := given[which]) is not None}
    if not wanted:
        raise click.UsageError("Say which cap: --run, --day or --month, each with dollars.")
    config, when = settings.config.budget, now()
    with Archive.open(settings.folders.state) as archive:
        _refuse_lower(wanted, caps_now(archive, config, when))
        ends = periods(at(when))
        with archive.transaction():
            for which, amount in wanted.items():
                raise_cap(archive, which, amount, ends.month_ends if which == "month" else ends.day_ends, when)
            look_again(archive, when)
        found = gather(archive, config, when)
    _show(found, as_json)
    return 0


def _refuse_lower(wanted: dict[Which, int], caps: Amounts) -> None:
    for which, amount in wanted.items():
        if amount <= caps.of(which):
            raise click.UsageError(
                f"--{which} must be more than {in_words(caps.of(which))}, which counts now. To lower a cap for good, "
                f"change budget.{which}_usd in memproc.toml."
            )


def _show(found: Budget, as_json: bool) -> None:
    if as_json:
        click.echo(printable_json(asdict(found)))
        return
    when = now()
    print_table(("", "Cap", "Spent", "Turns"), [_row(cap, when) for cap in found.caps], right=(1, 2))
    for line in _models(found):
        click.echo(visible(line))


def _row(cap: Cap, when: str) -> list[str]:
    usd, spent, configured = (in_words(round(one * PICO)) for one in (cap.usd, cap.spent_usd, cap.configured_usd))
    raised = f" (raised from {configured})" if cap.usd != cap.configured_usd else ""
    turns = with_span(cap.turns_at, when) if cap.turns_at else "with each run; spent is the last one's"
    return [_SPANS[cap.name], f"{usd}{raised}", spent, turns]


def _models(found: Budget) -> Iterator[str]:
    """What went to each model this month."""
    for one in found.models:
        told = f"{one.model}: {one.calls:,} calls this month, {in_words(round(one.usd * PICO))}"
        if one.open_usd:
            told += f"; up to {in_words(round(one.open_usd * PICO))} for calls under way, or cut off and perhaps billed"
        if one.unpriced:
            told += f"; {one.unpriced:,} of them without a known price"
        yield told
