"""How many tokens a model counts for one of ours, as its replies show, and what a plan costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from daemon.archive.archive import Archive
from daemon.archive.journal import LearnedFactor, learned_factors, thinking_of
from daemon.archive.trials import Trial, trial_of, trials
from daemon.config.model_tables import BudgetSettings, WhenToBatch
from daemon.config.settings import Config
from daemon.files.clock import at
from daemon.models.roles import Roles
from primer.models import Model, takes_batches, token_factor
from primer.thinking import Thinking
from rules.errors import UnknownPrice
from rules.money.estimate import (
    NO_COST,
    NO_TRAFFIC,
    CostEstimate,
    PricedModel,
    estimate_cost,
    longest_calls,
    planned_calls,
    sum_traffic,
)
from rules.money.price import Price, Usage
from rules.money.usage import can_be_learned
from rules.plan.chat_plan import ChatPlan

ENOUGH = 5
"""The number of replies after which a model's factor is relied on."""
LEARNED_FOR = timedelta(days=30)
"""How long after a model's newest reply its learned factor is used."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How many tokens a model is expected to count for one of ours."""

    factor: float
    replies: int
    """The replies seen; `factor` follows them only once there are ENOUGH."""
    beforehand: float
    """What is expected without replies: by the model's trial, else by its name."""

    @property
    def is_sure(self) -> bool:
        """Return whether the factor comes from replies."""
        return self.replies >= ENOUGH


def expected(archive: Archive, model: str, now: str) -> Expected:
    """Return how many tokens a model is expected to count for one of ours, at the time `now` (UTC).

    What its replies have shown is used for thirty days after the newest: a tokenizer may have
    changed since, and a wrong factor could otherwise keep the model from ever being asked again.
    """
    trial = trials(archive).get(model)
    estimate, learned = token_factor(model), learned_factors(archive).get(model)
    tried = trial.factor if trial and can_be_learned(trial.factor, estimate) else estimate
    if learned is None or not counts_now(learned, estimate, now):
        return Expected(tried, 0, tried)
    factor = learned.factor if learned.replies >= ENOUGH else tried
    return Expected(factor, learned.replies, tried)


def counts_now(learned: LearnedFactor, estimate: float, now: str) -> bool:
    """Return whether what was learned of a model is recent and plausible at `now` (UTC)."""
    is_fresh = bool(learned.newest) and at(now) - at(learned.newest) <= LEARNED_FOR
    return is_fresh and can_be_learned(learned.factor, estimate)


def require_price(model: Model, budget: BudgetSettings) -> Price | None:
    """Return a model's price, None where `budget.unpriced` allows that; else raise UnknownPrice."""
    if model.price is None and not budget.unpriced:
        raise UnknownPrice(
            f"The price of {model.name} is not known, so it is not asked.",
            "Say it in memproc.toml: a table [[budget.price]] with model, as_of, input and output, "
            "in dollars for a million tokens (0 where it is free); or set budget.unpriced = true.",
        )
    return model.price


def step_of(model: Model, budget: BudgetSettings) -> int | None:
    """Return the prompt tokens above which the price rises; None where they may be exceeded."""
    price = None if budget.above_step else model.price
    return price.above if price and price.rises else None


def time_for_batches(when: WhenToBatch, night: str, now: str) -> bool:
    """Return whether batches are sent at this time (UTC); `night` is a window of local time."""
    if when != "night":
        return when == "always"
    from rules.retention import in_window  # late: few have batches

    return in_window(night, at(now).astimezone().time())


@dataclass(frozen=True, slots=True)
class PlanCost:
    """The money of one plan."""

    traffic: Usage
    cost: CostEstimate | None
    """None where a model's price is not known, which `budget.unpriced` allows."""
    replies: int
    """The replies that the estimate of tokens is based on; 0: general figures."""
    batched: bool = False
    """Whether the agent is asked in batches, at half the price."""
    trial: Trial | None = None
    """The last trial of the agent, where it is on a server of one's own."""

    @property
    def seconds(self) -> float | None:
        """Return how many seconds the calls take, by the agent's trial; None if there was none."""
        sent = self.traffic
        if self.trial is None:
            return None
        return self.trial.seconds(sent.prompt - sent.cached, sent.answer)


def plan_cost(archive: Archive, plan: ChatPlan, roles: Roles, config: Config, now: str) -> PlanCost:
    """Return the cost of the work on a chat, if it begins now.

    Raises UnknownPrice where a price is not known, unless `budget.unpriced` allows that.
    """
    if not plan.calls:
        return no_work(archive, roles.agent.name, now)
    models, batched = priced_models(archive, roles, config, now)
    asked = roles.asked
    shares_slot = asked.slots == 1 and asked.base == roles.context_manager.base
    planned = planned_calls(plan, one_slot=shares_slot)
    longest = longest_calls(plan, plan.largest_section)
    return PlanCost(
        sum_traffic(planned, models),
        estimate_cost(planned, longest, models),
        _replies(archive, asked.name, now),
        batched and takes_batches(asked.name),
        trial_of(archive, asked.name, asked.base),
    )


def priced_models(
    archive: Archive, roles: Roles, config: Config, now: str
) -> tuple[Mapping[str, PricedModel], bool]:
    """Return what each role's tokens cost now, and whether batches are sent now.

    Raises UnknownPrice where a price is not known, unless `budget.unpriced` allows that.
    """
    batched = time_for_batches(config.models.batch, config.schedule.night, now)

    def priced(model: Model) -> PricedModel:
        price = require_price(model, config.budget)
        if price is not None and batched and takes_batches(model.name):
            price = price.batched
        shown = expected(archive, model.name, now).factor
        most = max(token_factor(model.name), shown)
        thinking = thinking_of(archive, model.name) or Thinking(room=0, spent=0)
        room = model.thinking_room + thinking.room
        return PricedModel(price, shown, most, room, thinking.spent, model.slots == 1)

    if roles.fallback:
        require_price(roles.fallback, config.budget)  # it may be asked, so its price must be known
    models = {"agent": priced(roles.agent), "context manager": priced(roles.context_manager)}
    if roles.embedding:
        models["embedding"] = priced(roles.embedding)
    return models, batched


def no_work(archive: Archive, agent: str, now: str) -> PlanCost:
    """Return the cost of a plan with nothing to do; `agent` is the model that would do it."""
    return PlanCost(NO_TRAFFIC, NO_COST, _replies(archive, agent, now))


def _replies(archive: Archive, model: str, now: str) -> int:
    shown = expected(archive, model, now)
    return shown.replies if shown.is_sure else 0
