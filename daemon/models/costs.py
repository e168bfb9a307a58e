"""What the plan of a chat will cost, by the prices of its models and by what their replies have shown."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.config import Config
from daemon.models.ask import time_for_batches
from daemon.models.prices import expected, price_of
from daemon.models.roles import Roles
from primer.models import takes_batches, token_factor
from primer.reply import Model
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
from rules.plan.chat_plan import ChatPlan


@dataclass(frozen=True, slots=True)
class PlanCost:
    """The money of one plan."""

    traffic: Traffic
    cost: CostEstimate | None
    """None where a model's price is not known, and `budget.unpriced` allows that."""
    replies: int
    """How many replies of the agent the estimate of tokens stands on; 0: on what is known of such models."""
    batched: bool = False
    """Whether the agent is asked in batches, at half the price."""


def plan_cost(archive: Archive, plan: ChatPlan, roles: Roles, config: Config, now: str) -> PlanCost:
    """What the work on a chat will cost, if it is begun now.

    Raises UnknownPrice where that is not known and not allowed.
    """
    if not plan.calls:
        return no_work(archive, roles.agent.name)
    agent = expected(archive, roles.agent.name)
    batched = time_for_batches(config.models.batch, config.schedule.night, now)
    model_of = _models(archive, roles, config, batched=batched)
    planned = calls(plan, config.memory.hindsight_tokens)
    longest = longest_calls(plan, config.memory.hindsight_tokens, config.fold.budget)
    return PlanCost(
        traffic(planned, model_of),
        estimate_cost(planned, longest, model_of),
        agent.replies if agent.is_sure else 0,
        batched and takes_batches(roles.agent.name),
    )


def no_work(archive: Archive, agent: str) -> PlanCost:
    """Nothing to do costs nothing; `agent` is the model that would do it."""
    shown = expected(archive, agent)
    return PlanCost(NO_TRAFFIC, NO_COST, shown.replies if shown.is_sure else 0)


def _models(archive: Archive, roles: Roles, config: Config, *, batched: bool) -> Callable[[PlannedCall], PricedModel]:
    """Which model is asked for a call, and what it costs."""
    agent = _priced(archive, roles.agent, config, batched=batched)
    manager = _priced(archive, roles.context_manager, config, batched=batched)
    if roles.fallback:
        price_of(roles.fallback, config.budget)  # it may be asked, so it is refused as early as the others
    embedding = _priced(archive, roles.embedding, config, batched=batched) if roles.embedding else manager
    return lambda call: {"agent": agent, "context manager": manager, "embedding": embedding}[call.role]


def _priced(archive: Archive, model: Model, config: Config, *, batched: bool) -> PricedModel:
    price = price_of(model, config.budget)
    if price is not None and batched and takes_batches(model.name):
        price = price.batched
    beforehand, shown = token_factor(model.name), expected(archive, model.name).factor
    return PricedModel(price, shown, max(beforehand, shown), model.thinking_room)
