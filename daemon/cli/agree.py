"""What a person on a terminal is asked before `memproc run` begins: a key that is missing, and money above a dollar.

Without a terminal nothing is asked, and everything goes on as memproc.toml has it.
"""

from collections.abc import Sequence
from pathlib import Path

import click

from daemon.cli.key import ask_and_keep
from daemon.cli.plan import planned_rows, spendable, total_cost
from daemon.cli.printing import in_width
from daemon.cli.settings import Settings
from daemon.status.printable import in_one_line, visible
from rules.money.estimate import CostEstimate
from rules.money.price import PICO, in_words
from rules.plan.chat_plan import ChatPlan

_ASKED_ABOVE = PICO
"""One dollar, in picodollars."""
_MOST_TITLES = 3


def agreed(settings: Settings, exports: Sequence[Path]) -> frozenset[str] | None:
    """The notices to which the person has given an answer; None where they do not want this run."""
    rows = planned_rows(settings, exports)
    lacking: dict[str, list[str]] = {}
    answered: set[str] = set()
    for row in rows:
        if isinstance(row.outcome, ChatPlan) and row.outcome.work and row.who and row.who.lacks_key:
            lacking.setdefault(row.who.lacks_key, []).append(row.outcome.title)
            answered |= {
                notice for notice in row.who.notices if notice.startswith("There is no key for ")
            }
    for provider, titles in lacking.items():
        answer = _about_key(provider, titles)
        if answer == "stop":
            settings.say("Stopped. Nothing was sent or written.")
            return None
        if answer == "key":
            ask_and_keep(settings, provider)
    if any(lacking):
        rows = planned_rows(settings, exports)
    cost = total_cost(rows)
    if cost.at_most <= _ASKED_ABOVE:
        return frozenset(answered)
    most = spendable(settings)
    if click.confirm(f"{_price_sentence(cost, most)} Go on?", err=True):
        return frozenset(answered)
    settings.say("Stopped. Nothing was sent or written. What it is for: memproc plan")
    return None


def _price_sentence(cost: CostEstimate, most: int) -> str:
    """Return what the run costs, as a sentence: never more than the `most` picodollars that the caps leave."""
    if most < cost.likely:
        return f"This will likely need {in_words(cost.likely)}, and pause at the {in_words(most)} that the caps leave."
    if most < cost.at_most:
        return f"This will likely cost {in_words(cost.likely)}, and at most the {in_words(most)} that the caps leave."
    return f"This will likely cost {in_words(cost.likely)}, and at most {in_words(cost.at_most)}."


def _about_key(provider: str, titles: Sequence[str]) -> str:
    """Ask what to do without the key of a provider: `key`, `extract` or `stop`."""
    shown = ", ".join(in_one_line(title) for title in titles[:_MOST_TITLES])
    more = f" and {len(titles) - _MOST_TITLES:,} more" if len(titles) > _MOST_TITLES else ""
    lacking = f"There is no key for {provider}, whose model writes the memories of {shown}{more}."
    click.echo(in_width(visible(lacking)), err=True)
    click.echo("  key      give the key now; the persona's own model writes", err=True)
    click.echo(
        "  extract  go on without a model, for free: sentences that were really said", err=True
    )
    click.echo("  stop     do nothing now", err=True)
    choices = click.Choice(("key", "extract", "stop"), case_sensitive=False)
    return str(
        click.prompt("What shall it be", type=choices, default="stop", show_choices=False, err=True)
    )
