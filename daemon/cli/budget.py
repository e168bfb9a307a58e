"""`memproc budget`: what was spent and may be spent, and a higher cap for a while; `memproc calls`: what was asked."""

from dataclasses import asdict

import click

from daemon.archive.archive import Archive
from daemon.archive.arrivals import retry_paused
from daemon.archive.chats import find_chat
from daemon.archive.journal import Reply, raise_cap, replies
from daemon.cli.settings import Settings, json_option, moment, pass_settings, print_table
from daemon.config.settings import MOST_USD
from daemon.files.clock import at, now, periods
from daemon.models.ask import caps_now
from daemon.status.sentences import printable_json, visible, with_span
from daemon.status.status import Budget, Cap
from daemon.status.status import budget as gather
from rules.money.price import NAMES, PICO, Amounts, Which, in_words

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_DOLLARS = click.FloatRange(0, MOST_USD)


@click.group
def budget() -> None:
    """Show the caps on what may be spent, or raise one for a while."""


@budget.command
@json_option
@pass_settings
def show(settings: Settings, as_json: bool) -> None:
    """Show the caps, and what is spent and reserved under each.

    What went to each model this month follows.
    """
    with settings.archive() as archive:
        budget = gather(archive, settings.config.budget, now())
    _show(budget, as_json)


@budget.command("raise")
@click.option("--run", "run_usd", type=_DOLLARS, metavar="USD", help="For each run, until the day turns.")
@click.option("--day", "day_usd", type=_DOLLARS, metavar="USD", help="For today.")
@click.option("--month", "month_usd", type=_DOLLARS, metavar="USD", help="For this month.")
@json_option
@pass_settings
def raise_(
    settings: Settings, run_usd: float | None, day_usd: float | None, month_usd: float | None, as_json: bool
) -> None:
    """Let more be spent until the day or the month turns.

    memproc.toml stays as it is. The daemon goes on at once.
    """
    dollars = {"run": run_usd, "day": day_usd, "month": month_usd}
    raised = {which: round(usd * PICO) for which in NAMES if (usd := dollars[which]) is not None}
    if not raised:
        raise click.UsageError("Say which cap: --run, --day or --month, each with dollars.")
    config, when = settings.config.budget, now()
    with Archive.open(settings.folders.state) as archive:
        _refuse_lower(raised, caps_now(archive, config, when))
        ends = periods(at(when))
        with archive.transaction():
            for which, amount in raised.items():
                raise_cap(archive, which, amount, ends.month_ends if which == "month" else ends.day_ends, when)
            retry_paused(archive, when)
        budget = gather(archive, config, when)
    _show(budget, as_json)


def _refuse_lower(raised: dict[Which, int], caps: Amounts) -> None:
    for which, amount in raised.items():
        if amount <= caps.of(which):
            raise click.UsageError(
                f"--{which} must be more than {in_words(caps.of(which))}, which counts now. To lower a cap for good, "
                f"change budget.{which}_usd in memproc.toml."
            )


def _show(budget: Budget, as_json: bool) -> None:
    if as_json:
        click.echo(printable_json(asdict(budget)))
        return
    when = now()
    print_table(("", "Cap", "Spent", "Turns"), [_cap_row(cap, when) for cap in budget.caps], right=(1, 2))
    for model in budget.models:
        line = f"{model.model}: {model.calls:,} calls this month, {_usd(model.usd)}"
        if model.open_usd:
            line += f"; up to {_usd(model.open_usd)} for calls under way, or cut off and perhaps billed"
        if model.unpriced:
            line += f"; {model.unpriced:,} of them without a known price"
        click.echo(visible(line))


def _cap_row(cap: Cap, when: str) -> list[str]:
    raised = f" (raised from {_usd(cap.configured_usd)})" if cap.usd != cap.configured_usd else ""
    turns = with_span(cap.turns_at, when) if cap.turns_at else "with each run; spent is the last one's"
    return [_SPANS[cap.name], f"{_usd(cap.usd)}{raised}", _usd(cap.spent_usd), turns]


def _usd(dollars: float) -> str:
    return in_words(round(dollars * PICO))


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@json_option
@pass_settings
def calls(settings: Settings, chat: str | None, with_text: bool, as_json: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        journal = replies(archive, find_chat(archive, chat).chat_id if chat else None)
    if as_json:
        rows = [{key: value for key, value in asdict(reply).items() if with_text or key != "text"} for reply in journal]
        click.echo(printable_json(rows))
    elif with_text:
        click.echo(visible("\n".join(f"--- {'  '.join(_call_row(reply))}\n{reply.text}\n" for reply in journal)))
    else:
        headings = ("Asked (UTC)", "Step", "Model", "Ended", "In", "Cached", "Out", "Dollars", "Request")
        print_table(headings, [_call_row(reply) for reply in journal], right=(4, 5, 6, 7))


def _call_row(reply: Reply) -> list[str]:
    tokens = [f"{number:,}" for number in (reply.tokens_in, reply.tokens_cached, reply.tokens_out)]
    money = "unknown" if reply.usd is None else f"{reply.usd:.6f}"
    return [moment(reply.asked_at), reply.step, reply.model, reply.finish, *tokens, money, reply.request[:12]]
