"""Show what was and may be spent, call by call, and raise a cap: `memproc budget`, `calls`."""

import click

from daemon.archive.archive import Archive
from daemon.archive.arrivals import retry_paused
from daemon.archive.chats import find_chat
from daemon.archive.journal import forget_learned, learned_factors, raise_cap, thinking_models
from daemon.cli import NearGroup
from daemon.cli.settings import Settings, pass_settings
from daemon.files.clock import at, periods
from daemon.files.clock import now as present
from daemon.models.ask import caps_now
from daemon.reports.budget import budget_report, calls_report
from rules.errors import NotFound
from rules.money.price import MOST_USD, NAMES, PICO, in_words

_DOLLARS = click.FloatRange(0, MOST_USD)
_DOLLARS.name = "number of dollars"  # as a wrong value is answered


@click.group(cls=NearGroup, default="show")
def budget_command() -> None:
    """Show the caps on what may be spent, or raise one for a while.

    Without a command they are shown.
    """


@budget_command.command("show")
@pass_settings
def budget_show_command(settings: Settings) -> None:
    """Show the caps, and what is spent and reserved under each.

    What went to each model this month follows.
    """
    with settings.archive() as archive:
        settings.show(budget_report(archive, settings.config.budget, present()))


@budget_command.command("raise")
@click.option(
    "--run", "run_usd", type=_DOLLARS, metavar="USD", help="For each run, until the day turns."
)
@click.option("--day", "day_usd", type=_DOLLARS, metavar="USD", help="For today.")
@click.option("--month", "month_usd", type=_DOLLARS, metavar="USD", help="For this month.")
@pass_settings
def budget_raise_command(
    settings: Settings,
    run_usd: float | None,
    day_usd: float | None,
    month_usd: float | None,
) -> None:
    """Let more be spent until the day or the month turns.

    memproc.toml stays as it is. The daemon goes on at once.
    """
    dollars = {"run": run_usd, "day": day_usd, "month": month_usd}
    raised = {which: round(usd * PICO) for which in NAMES if (usd := dollars[which]) is not None}
    if not raised:
        raise click.UsageError("Say which cap: --run, --day or --month, each with dollars.")
    config = settings.config.budget
    when = present()
    with Archive.open(settings.folders.state) as archive:
        caps = caps_now(archive, config, when)
        ends = periods(at(when))
        with archive.transaction():  # if one cap is refused, none is raised
            for which, amount in raised.items():
                if amount <= caps.of(which):
                    raise click.UsageError(
                        f"--{which} must be more than {in_words(caps.of(which))}, which counts "
                        f"now. To lower a cap for good, change budget.{which}_usd in memproc.toml."
                    )
                until = ends.month_ends if which == "month" else ends.day_ends
                raise_cap(archive, which, amount, until, when)
            retry_paused(archive, when)
        settings.show(budget_report(archive, config, when))


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
    settings.done(f"Forgot what replies of {model} have shown.", model=model)


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@pass_settings
def calls_command(settings: Settings, chat: str | None, with_text: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        chat_id = find_chat(archive, chat, "part").chat_id if chat else None
        report = calls_report(archive, chat_id, with_text=with_text)
    settings.show(report)
