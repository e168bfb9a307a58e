"""Models with all that is known of them, whether there is a key for them or not."""

from collections.abc import Mapping
from types import MappingProxyType

from daemon.config.model_tables import BudgetSettings
from daemon.config.settings import Config
from daemon.models.resolve import known_model
from primer.models import Model

_NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
_NO_BUDGET = BudgetSettings()


def known(
    name: str, options: Mapping[str, object] = _NO_OPTIONS, budget: BudgetSettings = _NO_BUDGET
) -> Model:
    """Return a model that is asked with just these options."""
    return known_model(name, options, Config(budget=budget))
