"""Which models are offered tools: all requests of an agent carry them, since a provider's cache begins with them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from daemon.models.catalogue import facts
from daemon.models.roles import Roles
from primer.request import ENGINE, Model


def offered(roles: Roles, tools: Sequence[Mapping[str, object]], form: Literal["auto", "tools", "json"]) -> Roles:
    """The same roles, in which the agent, and who steps in for it, are offered these tools if they can call them."""
    fallback = _offered(roles.fallback, tools, form) if roles.fallback else None
    return replace(roles, agent=_offered(roles.agent, tools, form), fallback=fallback)


def _offered(model: Model, tools: Sequence[Mapping[str, object]], form: str) -> Model:
    if model == ENGINE or form == "json":
        return model
    return replace(model, tools=tuple(tools)) if form == "tools" or facts(model.name).calls_tools else model
