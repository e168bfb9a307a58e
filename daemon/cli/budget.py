"""`memproc budget`: what was spent and may be spent, and a higher cap for a while; `memproc calls`: what was asked."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

import click

from daemon.archive.archive import Archive
from daemon.archive.arrivals import retry_paused
from daemon.archive.chats import find_chat
from daemon.archive.journal import (
    Reply,
    by_model,
    forget_factor,
    last_run,
    learned_factors,
    odd_usages,
    raise_cap,
    replies,
    spent,
)
from daemon.cli import NearGroup
from daemon.cli.settings import (
    Settings,
    in_width,
    json_option,
    moment,
    paged,
    pass_settings,
    print_table,
)
from daemon.config.settings import MOST_USD, BudgetSettings
from daemon.files.clock import at, periods
from daemon.files.clock import now as present
from daemon.models.ask import caps_now
from daemon.models.prices import ENOUGH, LEARNED_FOR, counts_now
from daemon.status.printable import printable_json, visible
from daemon.status.spans import with_span
from primer.models import EXTRACTIVE, token_factor
from rules.errors import NotFound
from rules.money.price import NAMES, PICO, dollars, in_words
from rules.wording import counted

_SPANS = {"run": "Each run", "day": "Today", "month": "This month"}
_DOLLARS = click.FloatRange(0, MOST_USD)


@click.group(cls=NearGroup, default="show")
def budget() -> None:
    """Show the caps on what may be spent, or raise one for a while.

    Without a command they are shown.
    """


@budget.command
@json_option
@pass_settings
def show(settings: Settings, as_json: bool) -> None:
    """Show the caps, and what is spent and reserved under each.

    What went to each model this month follows.
    """
    with settings.archive() as archive:
        _show(archive, settings.config.budget, as_json)


@budget.command("raise")
@click.option(
    "--run", "run_usd", type=_DOLLARS, metavar="USD", help="For each run, until the day turns."
)
@click.option("--day", "day_usd", type=_DOLLARS, metavar="USD", help="For today.")
@click.option("--month", "month_usd", type=_DOLLARS, metavar="USD", help="For this month.")
@json_option
@pass_settings
def raise_(
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
            if amount <= caps.of(which):
                raise click.UsageError(
                    f"--{which} must be more than {in_words(caps.of(which))}, which counts now. To lower a cap for "
                    f"good, change budget.{which}_usd in memproc.toml."
                )
        ends = periods(at(when))
        with archive.transaction():
            for which, amount in raised.items():
                raise_cap(
                    archive,
                    which,
                    amount,
                    ends.month_ends if which == "month" else ends.day_ends,
                    when,
                )
            retry_paused(archive, when)
        _show(archive, config, as_json)


@budget.command
@click.argument("model")
@pass_settings
def forget(settings: Settings, model: str) -> None:
    """Forget how many tokens replies of MODEL have shown that it counts.

    The next plans and reservations are made as for a model that was never asked.
    """
    with Archive.open(settings.folders.state) as archive:
        if not forget_factor(archive, model):
            known = ", ".join(learned_factors(archive)) or "none"
            raise NotFound(
                f"Nothing was learned of the model {model}.",
                f"Models of which something was: {known}.",
            )
    settings.say(f"Forgot how {model} counts tokens.")


def _show(archive: Archive, settings: BudgetSettings, as_json: bool) -> None:
    """Print the budget now, in dollars; the run is the last in which anything was reserved."""
    now = present()
    when = periods(at(now))
    caps, amounts = caps_now(archive, settings, now), spent(archive, last_run(archive), when)
    turns = {"run": "", "day": when.day_ends, "month": when.month_ends}
    models = by_model(archive, when.month_began)
    if as_json:
        rows = [
            {
                "name": name,
                "usd": dollars(caps.of(name)),
                "configured_usd": dollars(settings.caps.of(name)),
                "spent_usd": dollars(amounts.of(name)),
                "turns_at": turns[name],
            }
            for name in NAMES
        ]
        of_models = [
            {
                "model": model.model,
                "calls": model.calls,
                "usd": dollars(model.settled),
                "open_usd": dollars(model.open),
                "unpriced": model.unpriced,
            }
            for model in models
        ]
        learned = [
            {"model": name, **asdict(factor), "counts": counts_now(factor, token_factor(name), now)}
            for name, factor in learned_factors(archive).items()
        ]
        click.echo(printable_json({"caps": rows, "models": of_models, "learned": learned}))
        return
    cells = []
    for name in NAMES:
        cap, configured = caps.of(name), settings.caps.of(name)
        raised = f" (raised from {in_words(configured)})" if cap != configured else ""
        turn = (
            with_span(turns[name], now) if turns[name] else "with each run; spent is the last one's"
        )
        cells.append((_SPANS[name], f"{in_words(cap)}{raised}", in_words(amounts.of(name)), turn))
    print_table(("", "Cap", "Spent", "Turns"), cells, right=(1, 2), prose=(3,))
    for model in models:
        line = (
            f"{model.model}: {counted(model.calls, 'call')} this month, {in_words(model.settled)}"
        )
        if model.open:
            line += (
                f"; up to {in_words(model.open)} for calls under way, or cut off and perhaps billed"
            )
        if model.unpriced:
            line += f"; {model.unpriced:,} of them without a known price"
        click.echo(in_width(visible(line)))
    for line in _learned_lines(archive, now):
        click.echo(in_width(visible(line)))


def _learned_lines(archive: Archive, now: str) -> Iterator[str]:
    """Yield a line on how each model counts tokens, as its replies have shown."""
    for name, learned in learned_factors(archive).items():
        shown = counted(learned.replies, "reply", "replies")
        line = f"{name}: counts {learned.factor:.2f} tokens for one of memproc's, by {shown}"
        if not counts_now(learned, token_factor(name), now):
            line += f"; not used any more, {LEARNED_FOR.days} days after the newest of them"
        elif learned.replies < ENOUGH:
            line += f"; used from {ENOUGH} on"
        yield f"{line} (to forget it: memproc budget forget {name})"


@click.command
@click.argument("chat", required=False)
@click.option("--text", "with_text", is_flag=True, help="Print the answers too.")
@json_option
@pass_settings
def calls(settings: Settings, chat: str | None, with_text: bool, as_json: bool) -> None:
    """List the calls in the journal, of all chats or of CHAT, oldest first."""
    with settings.archive() as archive:
        kept = replies(archive, find_chat(archive, chat).chat_id if chat else None)
        odd = odd_usages(archive)
    journal = [
        reply for reply in kept if reply.model != EXTRACTIVE
    ]  # the built-in engine is no model, and calls nobody
    if as_json:
        rows = [_call_as_json(reply, odd.get(reply.request, ""), with_text) for reply in journal]
        click.echo(printable_json(rows))
    elif with_text:
        paged(
            visible(
                "\n".join(
                    f"--- {'  '.join(_call_row(reply, odd))}\n{reply.text}\n" for reply in journal
                )
            )
        )
    else:
        headings = (
            "Asked (UTC)",
            "Step",
            "Model",
            "Ended",
            "In",
            "Cached",
            "Out",
            "Dollars",
            "Request",
        )
        print_table(
            headings,
            [_call_row(reply, odd) for reply in journal],
            right=(4, 5, 6, 7),
            prose=(),
            drop=(8, 5, 3, 4, 6),
            pages=True,
        )


def _call_as_json(reply: Reply, odd_usage: str, with_text: bool) -> dict[str, object]:
    """Return a call for programs; its answer only `with_text`, and what the provider counted where that cannot be."""
    row = {key: value for key, value in asdict(reply).items() if with_text or key != "text"}
    return {**row, "odd_usage": odd_usage}


def _call_row(reply: Reply, odd: Mapping[str, str]) -> list[str]:
    """Return a call's cells; its counts are question marks where those of the provider cannot be."""
    if reply.request in odd:
        tokens = ["?", "?", "?"]
    else:
        tokens = [
            f"{number:,}" for number in (reply.tokens_in, reply.tokens_cached, reply.tokens_out)
        ]
    money = "unknown" if reply.usd is None else f"{reply.usd:.6f}"
    return [
        moment(reply.asked_at),
        reply.step,
        reply.model,
        reply.finish,
        *tokens,
        money,
        reply.request[:12],
    ]
