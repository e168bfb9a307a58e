"""What the plan of a chat will cost, by the prices of its models and by what their replies have shown."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.config import Config
from daemon.models.ask import time_for_batches
from daemon.models.prices import expected, price_of
from daemon.models.roles import Roles
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
    traffic,
)
from rules.plan.chat_plan import ChatPlan

_LEAST = 0.8
"""What a model counts for one of ours at least, against what its replies have shown on average."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The money of one plan."""

    traffic: Traffic
    outlook: Outlook | None
    """None where a model's price is not known, and `budget.unpriced` allows that."""
    replies: int
    """How many replies of the agent the estimate of tokens stands on; 0: on what is known of such models."""
    batched: bool = False
    """Whether the agent is asked in batches, at half the price."""


def estimate_cost(archive: Archive, plan: ChatPlan, roles: Roles, config: Config, now: str) -> CostEstimate:
    """What the work on a chat will cost, if it is begun now.

    Raises UnknownPrice where that is not known and not allowed.
    """
    if not plan.calls:
        return no_work(archive, roles.agent.name)
    agent = expected(archive, roles.agent.name)
    batched = time_for_batches(config.models.batch, config.schedule.night, now)
    of = _askers(archive, roles, config, batched)
    planned = calls(plan, config.memory.hindsight_tokens)
    longest = longest_calls(plan, config.memory.hindsight_tokens, config.fold.budget)
    return CostEstimate(
        traffic(planned, of),
        outlook(planned, longest, of),
        agent.replies if agent.is_sure else 0,
        batched and takes_batches(roles.agent.name),
    )


def no_work(archive: Archive, agent: str) -> CostEstimate:
    """Nothing to do costs nothing; `agent` is the model that would do it."""
    shown = expected(archive, agent)
    return CostEstimate(QUIET, NOTHING, shown.replies if shown.is_sure else 0)


def _askers(archive: Archive, roles: Roles, config: Config, batched: bool) -> Callable[[Call], Asked]:
    """Which model is asked for a call, and what it costs."""
    agent = _asked(archive, roles.agent, config, batched)
    manager = _asked(archive, roles.context_manager, config, batched)
    if roles.fallback:
        price_of(roles.fallback, config.budget)  # it may be asked, so it is refused as early as the others
    embedding = _asked(archive, roles.embedding, config, batched) if roles.embedding else manager
    return lambda call: {"agent": agent, "context manager": manager, "embedding": embedding}[call.role]


def _asked(archive: Archive, model: Model, config: Config, batched: bool) -> Asked:
    price = price_of(model, config.budget)
    if price is not None and batched and takes_batches(model.name):
        price = price.batched
    beforehand, shown = token_factor(model.name), expected(archive, model.name)
    least = shown.factor * _LEAST if shown.is_sure else min(1.0, beforehand)
    return Asked(price, shown.factor, least, max(beforehand, shown.factor), model.thinking_room)
