"""What the plan of a chat will cost, by the prices of its models and by what their replies have shown (D15)."""

from collections.abc import Mapping
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.spending import learned
from daemon.batches.hours import time_for_batches
from daemon.config import Config
from daemon.models.prices import known_price, price_of
from daemon.models.roles import chat_model
from daemon.survey import Survey
from primer.models import token_factor
from primer.providers import takes_batches
from primer.request import Model
from rules.money.calls import Call, calls
from rules.money.outlook import NOTHING, Asked, Outlook, outlook, pays_back_after

_SURE = 5
"""So many replies show what a model makes of our tokens."""
_LEAST = 0.8
"""What a model counts for one of ours at least, against what its replies have shown on average."""


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The money of one plan."""

    outlook: Outlook | None
    """None where a model's price is not known, and `budget.unpriced` allows that."""
    uncached: int | None
    """After how many further messages it has paid for itself; None: never, or nobody knows what the chat costs."""
    cached: int | None
    """The same where the chat itself is read from the provider's cache."""
    replies: int
    """How many replies of the agent the estimate of tokens stands on; 0: on what is known of such models."""
    batched: bool = False
    """Whether the agent is asked in batches, at half the price."""


def reckon(archive: Archive, found: Survey, config: Config, now: str) -> Reckoning:
    """What the work on a chat will cost, if it is begun now.

    Raises UnknownPrice where that is not known and not allowed.
    """
    if not found.plan.calls:
        return no_work(archive, found.roles.agent.name)
    shown = learned(archive)
    replies = shown.get(found.roles.agent.name, (0.0, 0))[1]
    batched = time_for_batches(config.models.batch, config.schedule.night, now)
    agent, manager, *_ = (_asked(model, config, shown, batched) for model in found.roles.all)
    if agent is None or manager is None:
        return Reckoning(None, None, None, replies)

    def of(call: Call) -> Asked:
        return agent if call.role == "agent" else manager

    cost = outlook(calls(found.plan, config.memory.hindsight_tokens), of)
    uncached, cached = _pays_back(found, config, cost.likely)
    return Reckoning(cost, uncached, cached, replies, batched and takes_batches(found.roles.agent.name))


def no_work(archive: Archive, agent: str) -> Reckoning:
    """Nothing to do costs nothing; `agent` is the model that would do it."""
    return Reckoning(NOTHING, None, None, learned(archive).get(agent, (0.0, 0))[1])


def _asked(model: Model, config: Config, shown: Mapping[str, tuple[float, int]], batched: bool) -> Asked | None:
    price = price_of(model, config.budget)
    if price is None:
        return None
    if batched and takes_batches(model.name):
        price = price.batched
    expected = token_factor(model.name)
    factor, replies = shown.get(model.name, (expected, 0))
    sure = replies >= _SURE
    return Asked(
        price,
        factor if sure else expected,
        factor * _LEAST if sure else min(1.0, expected),
        max(expected, factor),
        model.thinking_room,
    )


def _pays_back(found: Survey, config: Config, likely: int) -> tuple[int | None, int | None]:
    """With the price of the model that the person talks with, which need not be the one that writes."""
    messages = [entry.message for entry in found.reading.entries]
    name = chat_model(found.chat, messages, config.models)[0]
    price = known_price(Model(name, config.models.options_for(name)), config.budget) if name else None
    if price is None:
        return None, None
    saved = round(found.plan.saved_tokens * token_factor(name))
    each = price.at(round(found.plan.tokens * token_factor(name)))
    return pays_back_after(likely, saved, each.input), pays_back_after(likely, saved, each.cache_read)
