"""Show what was spent and may be spent, and raise a cap for a while: `memproc budget`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import click

from daemon.archive.archive import Archive
from daemon.archive.arrivals import retry_paused
from daemon.archive.journal import (
    OfModel,
    by_model,
    forget_learned,
    last_run,
    learned_factors,
    raise_cap,
    spent,
    thinking_models,
)
from daemon.cli import NearGroup
from daemon.cli.printing import print_json, print_table, print_text
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, periods, with_span
from daemon.files.clock import now as present
from daemon.models.ask import caps_now
from daemon.models.prices import ENOUGH, LEARNED_FOR, counts_now
from primer.models import token_factor
from rules.errors import NotFound
from rules.money.price import MOST_USD, NAMES, PICO, dollars, in_words
from rules.wording import counted

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_DOLLARS = click.FloatRange(0, MOST_USD)


@dataclass(frozen=True, slots=True)
class _Cap:
    """A cap, in picodollars, with what is spent and reserved under it."""

    name: str
    amount: int
    configured: int
    spent: int
    turns_at: str
    """When the sum begins at nothing again; empty for a run's."""

    def cells(self, now: str) -> tuple[str, str, str, str]:
        """Return its row of the table."""
        cap = in_words(self.amount)
        if self.amount != self.configured:
            cap += f" (raised from {in_words(self.configured)})"
        turn = "with each run; spent is the last one's"
        if self.turns_at:
            turn = with_span(self.turns_at, now)
        return _SPANS[self.name], cap, in_words(self.spent), turn

    def as_json(self) -> dict[str, object]:
        """Return the cap for programs, in dollars."""
        return {
            "name": self.name,
            "usd": dollars(self.amount),
            "configured_usd": dollars(self.configured),
            "spent_usd": dollars(self.spent),
            "turns_at": self.turns_at,
        }


@click.group(cls=NearGroup, default="show")
def budget_command() -> None:
    """Show the caps on what may be spent, or raise one for a while.

    Without a command they are shown.
    """


@budget_command.command("show")
@json_option
@pass_settings
def budget_show_command(settings: Settings, as_json: bool) -> None:
    """Show the caps, and what is spent and reserved under each.

    What went to each model this month follows.
    """
    with settings.archive() as archive:
        _show(archive, settings.config.budget, as_json)


@budget_command.command("raise")
@click.option(
    "--run", "run_usd", type=_DOLLARS, metavar="USD", help="For each run, until the day turns."
)
@click.option("--day", "day_usd", type=_DOLLARS, metavar="USD", help="For today.")
@click.option("--month", "month_usd", type=_DOLLARS, metavar="USD", help="For this month.")
@json_option
@pass_settings
def budget_raise_command(
    settings: Settings,
    run_usd: float | None,
    day_usd: float | None,
    month_usd: float | None,
    as_json: bool,
) -> None:
    """Let more be spent until the day or the month turns.

    memproc.toml stays as it is. The daemon goes on at once.
    """
    dollars = {"run": run_usd, "day": day_usd, "month": month_usd}
    raised = {which: round(usd * PICO) for which in NAMES if (usd := dollars[which]) is not None}
    if not raised:
        raise click.UsageError("Say which cap: --run, --day or --month, each with dollars.")
    config, when = settings.config.budget, present()
    with Archive.open(settings.folders.state) as archive:
        caps = caps_now(archive, config, when)
        for which, amount in raised.items():
            _refuse_to_lower(which, amount, caps.of(which))
        ends = periods(at(when))
        until = {"month": ends.month_ends}
        with archive.transaction():
            for which, amount in raised.items():
                raise_cap(archive, which, amount, until.get(which, ends.day_ends), when)
            retry_paused(archive, when)
        _show(archive, config, as_json)


def _refuse_to_lower(which: str, amount: int, counts_now: int) -> None:
    """Raise UsageError if the cap would not become larger."""
    if amount <= counts_now:
        raise click.UsageError(
            f"--{which} must be more than {in_words(counts_now)}, which counts now. To lower a cap "
            f"for good, change budget.{which}_usd in memproc.toml."
        )


@budget_command.command("forget")
@click.argument("model")
@pass_settings
def budget_forget_command(settings: Settings, model: str) -> None:
    """Forget how MODEL counts tokens and whether it thinks, as its replies have shown.

    The next plans and reservations are made as for a model that was never asked.
    """
    with Archive.open(settings.folders.state) as archive:
        if not forget_learned(archive, model):
            every = dict.fromkeys((*learned_factors(archive), *thinking_models(archive)))
            known = ", ".join(every) or "none"
            raise NotFound(
                f"Nothing was learned of the model {model}.",
                f"Models of which something was: {known}.",
            )
    settings.say(f"Forgot what replies of {model} have shown.")


def _show(archive: Archive, settings: BudgetSettings, as_json: bool) -> None:
    """Print the budget; the run's figures are those of the last run that reserved anything."""
    now = present()
    caps = _caps(archive, settings, now)
    models = by_model(archive, periods(at(now)).month_began)
    if as_json:
        print_json(_budget_as_json(archive, caps, models, now))
        return
    cells = [cap.cells(now) for cap in caps]
    print_table(("", "Cap", "Spent", "Starts again"), cells, right=(1, 2), prose=(3,))
    for model in models:
        print_text(_model_line(model))
    for line in _learned_lines(archive, now):
        print_text(line)


def _caps(archive: Archive, settings: BudgetSettings, now: str) -> list[_Cap]:
    """Return the caps as they count at the time `now`, with what is spent under each."""
    when = periods(at(now))
    counting = caps_now(archive, settings, now)
    amounts = spent(archive, last_run(archive), when)
    turns = {"run": "", "day": when.day_ends, "month": when.month_ends}
    caps = []
    for name in NAMES:
        configured = settings.caps.of(name)
        caps.append(_Cap(name, counting.of(name), configured, amounts.of(name), turns[name]))
    return caps


def _budget_as_json(
    archive: Archive, caps: Sequence[_Cap], models: Sequence[OfModel], now: str
) -> dict[str, object]:
    """Return caps, what models cost this month, and how they count tokens, for programs."""
    learned = []
    for name, factor in learned_factors(archive).items():
        counts = counts_now(factor, token_factor(name), now)
        learned.append({"model": name, **asdict(factor), "counts": counts})
    return {
        "caps": [cap.as_json() for cap in caps],
        "models": [_model_as_json(model) for model in models],
        "learned": learned,
        "thinking": [
            {"model": name, **asdict(thinking)}
            for name, thinking in thinking_models(archive).items()
        ],
    }


def _model_as_json(model: OfModel) -> dict[str, object]:
    """Return what a model cost this month, for programs."""
    return {
        "model": model.model,
        "calls": model.calls,
        "usd": dollars(model.settled),
        "open_usd": dollars(model.open),
        "unpriced": model.unpriced,
    }


def _model_line(model: OfModel) -> str:
    """Say what a model was asked this month, and what that cost."""
    line = f"{model.model}: {counted(model.calls, 'call')} this month, {in_words(model.settled)}"
    if model.open:
        line += f"; up to {in_words(model.open)} for calls under way, or cut off and perhaps billed"
    if model.unpriced:
        line += f"; {model.unpriced:,} of them without a known price"
    return line


def _learned_lines(archive: Archive, now: str) -> Iterator[str]:
    """Say how each model counts tokens, and which think, as their replies have shown."""
    for name, learned in learned_factors(archive).items():
        shown = counted(learned.replies, "reply", "replies")
        line = f"{name}: counts {learned.factor:.2f} tokens for one of memproc's, by {shown}"
        if not counts_now(learned, token_factor(name), now):
            line += f"; not used any more, {LEARNED_FOR.days} days after the newest of them"
        elif learned.replies < ENOUGH:
            line += f"; used from {ENOUGH} on"
        yield f"{line} (to forget it: memproc budget forget {name})"
    for name, thinking in thinking_models(archive).items():
        yield (
            f"{name}: thinks before it answers, lately some {thinking.spent:,} tokens; has room "
            f"for {thinking.room:,} (to forget it: memproc budget forget {name})"
        )
