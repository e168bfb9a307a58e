"""Choose this computer's service manager: systemd, launchd, or Windows' Task Scheduler."""

from service import launchd, systemd, systemd_state, windows
from service.command import RunCommand
from service.systemd import best_sandbox
from service.unit import Account, Program, Recipe, ServiceState


def recipe_for(account: Account, program: Program, run: RunCommand, *, no_sandbox: bool) -> Recipe:
    """Return this system's recipe for the program, in the strictest sandbox that works or in none.

    Raises NoUserManager where systemd cannot be reached.
    """
    if account.system == "darwin":
        return launchd.recipe(program, account.number)
    if account.system == "win32":
        return windows.recipe(program, program.log.parent, account.name)
    systemd_state.require_user_manager(account, run, program.command)
    sandbox = "none" if no_sandbox else best_sandbox(program, run)
    return systemd.recipe(program, account.units, sandbox)


def state_here(
    account: Account, run: RunCommand, command: tuple[str, ...] = ("memproc", "watch")
) -> ServiceState:
    """Return the state of the service on this computer.

    Raises NoUserManager where systemd cannot be reached; its advice names the `command` that starts
    the program.
    """
    if account.system == "darwin":
        return launchd.state(account.number, run)
    if account.system == "win32":
        return windows.state(run)
    systemd_state.require_user_manager(account, run, command)
    return systemd_state.state(account.name, run)


def offer(account: Account, run: RunCommand) -> str:
    """Return a suggestion of what the user may want to set up next, or ""."""
    if (
        account.system in ("darwin", "win32")
        or systemd_state.lingers(account.name, run) is not False
    ):
        return ""
    return (
        "It runs while you are logged in. To have it run from boot on, logged in or not:\n"
        "  loginctl enable-linger"
    )
