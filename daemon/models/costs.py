"""What the plan of a chat will cost, by the prices of its models and by what their replies have shown."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.chat.survey import Survey
from daemon.config import Config
from daemon.models.batch import time_for_batches
from daemon.models.prices import expected, price_of
from primer.models import takes_batches, token_factor
from primer.request import Model
from rules.money.estimate import (
    NO_COST,
    NO_TRAFFIC,
    CostEstimate,
    PlannedCall,
    PricedModel,
    Traffic,
    calls,
    estimate_cost,
    longest_calls,
    traffic,
)


@dataclass(frozen=True, slots=True)
class Reckoning:
    """The money of one plan."""

    traffic: Traffic
    cost: CostEstimate | None
    """None where a model's price is not known, and `budget.unpriced` allows that."""
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
    cost = estimate_cost(planned, longest, of)
    return Reckoning(traffic(planned, of), cost, replies, batched and takes_batches(found.roles.agent.name))


def no_work(archive: Archive, agent: str) -> Reckoning:
    """Nothing to do costs nothing; `agent` is the model that would do it."""
    shown = expected(archive, agent)
    return Reckoning(NO_TRAFFIC, NO_COST, shown.replies if shown.is_sure else 0)


def _askers(archive: Archive, found: Survey, config: Config, batched: bool) -> Callable[[PlannedCall], PricedModel]:
    """Which model is asked for a call, and what it costs."""
    agent = _asked(archive, found.roles.agent, config, batched)
    manager = _asked(archive, found.roles.context_manager, config, batched)
    if found.roles.fallback:
        price_of(found.roles.fallback, config.budget)  # it may be asked, so it is refused as early as the others
    embedding = _asked(archive, found.roles.embedding, config, batched) if found.roles.embedding else manager
    return lambda call: {"agent": agent, "context manager": manager, "embedding": embedding}[call.role]


def _asked(archive: Archive, model: Model, config: Config, batched: bool) -> PricedModel:
    price = price_of(model, config.budget)
    if price is not None and batched and takes_batches(model.name):
        price = price.batched
    beforehand, shown = token_factor(model.name), expected(archive, model.name)
    return PricedModel(price, shown.factor, max(beforehand, shown.factor), model.thinking_room)
