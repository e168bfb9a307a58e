"""What a model costs, and how many tokens it counts for one of ours: as its replies have shown, else as is known.

configured                     [[budget.price]], the last that fits
the built-in engine            free
a server on one's own network  free (api_base, or a provider that runs models locally)
known to LiteLLM               its price, with the dearer tier for long prompts
none of these                  refused, unless budget.unpriced
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from daemon.archive.archive import Archive
from daemon.archive.journal import learned_factors
from daemon.config.settings import BudgetSettings
from daemon.models import catalogue
from primer.models import provider_of, token_factor
from primer.reply import ENGINE, Model
from rules.errors import UnknownPrice
from rules.money.price import FREE, Price

ENOUGH = 5
"""How many replies it takes to know what a model makes of our tokens."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Tokens that a model counts for one of ours."""

    factor: float
    replies: int
    """How many replies have been seen; fewer than enough of them change nothing."""

    @property
    def is_sure(self) -> bool:
        """Whether replies have shown it."""
        return self.replies >= ENOUGH


def expected(archive: Archive, model: str) -> Expected:
    """What a model is expected to make of one of our tokens."""
    shown, replies = learned_factors(archive).get(model, (0.0, 0))
    return Expected(shown if replies >= ENOUGH else token_factor(model), replies)


_LOCAL_NAMES = (".local", ".localhost", ".lan", ".home.arpa", ".internal")


def price_of(model: Model, budget: BudgetSettings) -> Price | None:
    """The price of a call to a model; None where nobody knows it and `budget.unpriced` allows that.

    Raises UnknownPrice where it is not allowed, ModelError where LiteLLM's map cannot be read.
    """
    price = known_price(model, budget)
    if price is None and not budget.unpriced:
        raise UnknownPrice(
            f"Nobody has told what {model.name} costs, so it is not asked.",
            "Say it in memproc.toml: a table [[budget.price]] with model, as_of, input and output, in dollars for a "
            "million tokens (0 where it is free); or set budget.unpriced = true.",
        )
    return price


def known_price(model: Model, budget: BudgetSettings) -> Price | None:
    """The price of a call to a model, or None where nobody knows it. Raises ModelError as `price_of` does."""
    if model == ENGINE:
        return FREE
    configured = budget.price_of(model.name)
    if configured is not None:
        return configured
    return FREE if is_local(model) else catalogue.price(model.name)


def step_of(model: Model, budget: BudgetSettings) -> int | None:
    """Above how many tokens a model's prompts cost more, where they are to be kept under that; else None.

    Raises ModelError as `price_of` does.
    """
    price = None if budget.above_step else known_price(model, budget)
    return price.above if price and price.rises else None


def is_local(model: Model) -> bool:
    """Whether the calls go to a machine of the person's own, so that nobody bills them."""
    from daemon.models.addresses import LOCAL_PROVIDERS  # late: the built-in engine is asked at no address

    base = _base(model.options)
    if base is None:
        return provider_of(model.name) in LOCAL_PROVIDERS
    return _is_near(urlsplit(base if "//" in base else f"//{base}").hostname or "")


def _base(options: Mapping[str, object]) -> str | None:
    base = options.get("api_base", options.get("base_url"))
    return base if isinstance(base, str) else None


def _is_near(host: str) -> bool:
    """Whether a host is this machine or one of the local network: by its address, or a name without a domain."""
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)
    return address.is_private
