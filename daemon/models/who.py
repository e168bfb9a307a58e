"""The models that work on a chat, by their names, and what is to be said about them."""

from dataclasses import dataclass

from daemon.models.roles import Roles


@dataclass(frozen=True, slots=True)
class Who:
    """As `memproc plan` shows them; `fallback` is empty where there is none."""

    agent: str
    context_manager: str
    fallback: str
    window: int | None
    notices: tuple[str, ...]


def who(roles: Roles) -> Who:
    """The roles without options and keys."""
    return Who(
        agent=roles.agent.name,
        context_manager=roles.context_manager.name,
        fallback=roles.fallback.name if roles.fallback else "",
        window=roles.window,
        notices=(*roles.addresses, *roles.notices),
    )
