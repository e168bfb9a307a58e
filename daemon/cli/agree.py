"""Ask the person at a terminal before `memproc run`: on missing keys, and costs above a dollar.

Without a terminal nothing is asked, and memproc.toml decides.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click

from daemon.cli.key import ask_and_keep
from daemon.cli.plan import caps_and_spent, planned_rows
from daemon.cli.printing import print_error
from daemon.cli.settings import Settings
from daemon.reports.plan import PlannedRow, total_cost
from daemon.status.printable import in_one_line
from rules.money.price import ASKED_ABOVE, cost_in_words, in_words
from rules.plan.chat_plan import ChatPlan
from rules.wording import cut_title

_MOST_TITLES = 3
_STOPPED = "Stopped. Nothing was sent or written."
_STOPPED_WITH_KEY = "Stopped. Nothing was sent or written, but the key that you gave is kept."
_CHOICES = """\
  key      give the key now; the persona's own model writes{price}
  extract  go on without a model, for free: sentences that were really said
  stop     do nothing now"""


def agreed(settings: Settings, exports: Sequence[Path]) -> frozenset[str] | None:
    """Ask what must be asked; return the notices answered by that, or None to run nothing."""
    rows = planned_rows(settings, exports)
    titles = defaultdict[str, list[str]](list)
    answered: set[str] = set()
    stopped = _STOPPED
    for row in rows:
        plan, models = row.outcome, row.who
        if isinstance(plan, ChatPlan) and plan.work and models and models.lacks_key:
            titles[models.lacks_key].append(plan.title)
            answered.update(notice.sentence for notice in models.notices if notice.lacks_key)
    for provider, waiting in titles.items():
        answer = _ask_about_key(provider, waiting, _price_with_key(rows, provider))
        if answer == "stop":
            settings.say(stopped)
            return None
        if answer == "key":
            ask_and_keep(settings, provider)
            stopped = _STOPPED_WITH_KEY
    if titles:
        rows = planned_rows(settings, exports)
    cost = total_cost(rows)
    if cost.at_most > ASKED_ABOVE:
        cost_words = cost_in_words(cost.likely, cost.at_most, *caps_and_spent(settings))
        if not click.confirm(f"In all: {cost_words} Go on?", err=True):
            settings.say(f"{stopped} What it is for: memproc plan")
            return None
    return frozenset(answered)


def _price_with_key(rows: Sequence[PlannedRow], provider: str) -> str:
    """Return a clause on what a provider's models would cost with its key; empty if not known."""
    likely = 0
    for row in rows:
        if row.who and row.who.lacks_key == provider:
            if row.with_key is None:
                return ""
            likely += row.with_key.likely
    return f", for about {in_words(likely)}" if likely else ""


def _ask_about_key(provider: str, titles: Sequence[str], price: str) -> str:
    """Ask what to do without the key of a provider: `key`, `extract` or `stop`."""
    shown = ", ".join(map(in_one_line, map(cut_title, titles[:_MOST_TITLES])))
    omitted = len(titles) - _MOST_TITLES
    further = f" and {omitted:,} more" if omitted > 0 else ""
    print_error(
        f"There is no key for {provider}, whose model writes the memories of {shown}{further}."
    )
    click.echo(_CHOICES.format(price=price), err=True)
    choices = click.Choice(("key", "extract", "stop"), case_sensitive=False)
    answer = click.prompt("Your choice", type=choices, default="stop", show_choices=False, err=True)
    return str(answer)
