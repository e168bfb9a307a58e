"""Which system keeps programs up here, and what it needs for ours."""

from dataclasses import dataclass
from pathlib import Path

from service import ask as lingering
from service import launchd, standing, systemd, windows
from service.ask import QUESTION, Account, Ask, NoBus, missing_bus
from service.recipe import Program, Recipe
from service.standing import Standing
from service.systemd import Sandbox


@dataclass(frozen=True, slots=True)
class Place:
    """The computer and the account: `system` is `sys.platform`'s name, `units` where the user's units lie."""

    system: str
    account: Account
    units: Path


@dataclass(frozen=True, slots=True)
class Keeper:
    """How the program is kept up here, and what the person is told of it."""

    recipe: Recipe
    remarks: tuple[str, ...] = ()


_SANDBOX_REMARKS = {
    Sandbox.FULL: (),
    Sandbox.FILTERS: (
        "This system lets no user's service have a file system of its own, so the sandbox filters calls only.",
    ),
    Sandbox.NONE: ("The service runs without a sandbox.",),
}


def keeper(place: Place, program: Program, ask: Ask, sandbox: Sandbox | None = None) -> Keeper | NoBus:
    """The recipe for this place, or why there is none. Without a `sandbox`, the best that works here is found."""
    if place.system == "darwin":
        return Keeper(launchd.recipe(program, place.account.number))
    if place.system == "win32":
        return Keeper(windows.recipe(program, program.log.parent, place.account.name))
    no_bus = missing_bus(ask(QUESTION), place.account, program.command)
    if no_bus is not None:
        return no_bus
    chosen = systemd.best_sandbox(program, ask) if sandbox is None else sandbox
    return Keeper(systemd.recipe(program, place.units, chosen), _SANDBOX_REMARKS[chosen])


def on_paper(place: Place, program: Program) -> Recipe:
    """The recipe for systemd where it cannot be asked, so without the sandbox that it might allow."""
    return systemd.recipe(program, place.units, Sandbox.NONE)


def offers(place: Place, ask: Ask) -> tuple[str, ...]:
    """What the person may want to do once the service runs."""
    if place.system in ("darwin", "win32"):
        return ()
    offer = lingering.offer(ask(lingering.question(place.account.name)))
    return (offer,) if offer else ()


def standing_here(place: Place, program: Program, ask: Ask) -> Standing | NoBus:
    """How the service stands on this computer."""
    if place.system == "darwin":
        return launchd.standing(ask(launchd.question(place.account.number)))
    if place.system == "win32":
        return windows.standing(ask(windows.question()))
    no_bus = missing_bus(ask(QUESTION), place.account, program.command)
    if no_bus is not None:
        return no_bus
    lingers = lingering.lingers(ask(lingering.question(place.account.name)))
    return standing.standing(ask(standing.QUESTION), lingers)
