"""What the plan of a chat will cost, by the prices of its models and by what their replies have shown."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.chat.survey import Survey
from daemon.config import Config
from daemon.models.batch import time_for_batches
from daemon.models.prices import expected, known_price, price_of
from daemon.models.roles import chat_model
from primer.models import takes_batches, token_factor
from primer.request import Model
from rules.money.estimate import (
    NOTHING,
    QUIET,
    Asked,
    Call,
    Outlook,
    Traffic,
    calls,
    longest_calls,
    outlook,
    pays_back_after,
    traffic,
)

_LEAST = 0.8
"""What a model counts for one of ours at least, against what its replies have shown on average."""


@dataclass(frozen=True, slots=True)
class Payback:
    """After how many further messages the work has paid for itself, in a chat that is held with `model`.

    Never, where a number is None.
    """

    model: str
    uncached: int | None
    """Where each message pays the whole chat at the price of a prompt."""
    cached: int | None
    """Where each finds the chat in the provider's cache, as it would without the work, too. The work changes the chat's
    beginning, so that the first message after it writes what is left of the chat to the cache anew: that is part of
    what is to be paid back."""


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The money of one plan."""

    traffic: Traffic
    outlook: Outlook | None
    """None where a model's price is not known, and `budget.unpriced` allows that."""
    payback: Payback | None
    """None where nothing is paid, or nobody knows what the chat costs."""
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
    agent = expected(archive, found.roles.agent.name)
    replies = agent.replies if agent.is_sure else 0
    batched = time_for_batches(config.models.batch, config.schedule.night, now)
    of = _askers(archive, found, config, batched)
    plan, after = found.plan, config.memory.hindsight_tokens
    planned, longest = calls(plan, after), longest_calls(plan, after, config.fold.budget)
    cost = outlook(planned, longest, of)
    payback = _payback(archive, found, config, cost.likely) if cost and cost != NOTHING else None
    return Reckoning(traffic(planned, of), cost, payback, replies, batched and takes_batches(found.roles.agent.name))


def no_work(archive: Archive, agent: str) -> Reckoning:
    """Nothing to do costs nothing; `agent` is the model that would do it."""
    shown = expected(archive, agent)
    return Reckoning(QUIET, NOTHING, None, shown.replies if shown.is_sure else 0)


def _askers(archive: Archive, found: Survey, config: Config, batched: bool) -> Callable[[Call], Asked]:
    """Which model is asked for a call, and what it costs."""
    agent = _asked(archive, found.roles.agent, config, batched)
    manager = _asked(archive, found.roles.context_manager, config, batched)
    if found.roles.fallback:
        price_of(found.roles.fallback, config.budget)  # it may be asked, so it is refused as early as the others
    embedding = _asked(archive, found.roles.embedding, config, batched) if found.roles.embedding else manager
    return lambda call: {"agent": agent, "context manager": manager, "embedding": embedding}[call.role]


def _asked(archive: Archive, model: Model, config: Config, batched: bool) -> Asked:
    price = price_of(model, config.budget)
    if price is not None and batched and takes_batches(model.name):
        price = price.batched
    beforehand, shown = token_factor(model.name), expected(archive, model.name)
    least = shown.factor * _LEAST if shown.is_sure else min(1.0, beforehand)
    return Asked(price, shown.factor, least, max(beforehand, shown.factor), model.thinking_room)


def _payback(archive: Archive, found: Survey, config: Config, likely: int) -> Payback | None:
    """With the price of the model that the person talks with; where nobody knows it, of the one that writes."""
    messages = [entry.message for entry in found.reading.entries]
    name = chat_model(found.chat, messages, config.models)[0]
    price = known_price(Model(name, config.models.options_for(name)), config.budget) if name else None
    if price is None:
        name = found.roles.agent.name
        price = known_price(found.roles.agent, config.budget)
    if price is None or price.is_free:
        return None
    factor = expected(archive, name).factor
    after = round(found.plan.left_tokens * factor)
    before = after + round(found.plan.saved_tokens * factor)
    old, new = price.at(before), price.at(after)
    anew = after * max(0, new.cache_write - new.cache_read)
    return Payback(
        name,
        pays_back_after(likely, before * old.input - after * new.input),
        pays_back_after(likely + anew, before * old.cache_read - after * new.cache_read),
    )
