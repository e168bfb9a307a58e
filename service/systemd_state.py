"""Read the service's state from systemd: whether it runs, how it failed, when it starts."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from service.command import NOT_HERE, RunCommand
from service.systemd import CONFIGURATION_ERROR, SANDBOX_DROP_IN, UNIT
from service.unit import NOT_INSTALLED, Account, ServiceState, State

_PROPERTIES = (
    "LoadState,UnitFileState,ActiveState,SubState,Result,ExecMainStatus,MainPID,NRestarts,"
    "ActiveEnterTimestamp,StatusText,DropInPaths,NeedDaemonReload"
)
_REASONS = {
    "exit-code": "it ended with an error each time it was started",
    "signal": "it was killed each time it was started",
    "core-dump": "it crashed each time it was started",
    "watchdog": "it hung each time it was started",
    "timeout": "it did not come up in time",
    "oom-kill": "it needed more memory than it may have",
    "start-limit-hit": "it was started too often within five minutes",
    "resources": "the system could not give it what it needs",
}


class NoUserManager(Exception):
    """systemd's user manager cannot be reached. Both texts are whole sentences."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


def require_user_manager(account: Account, run: RunCommand, command: tuple[str, ...]) -> None:
    """Raise NoUserManager unless the account's user manager answers.

    `command` starts the program without systemd; the advice names it.
    """
    answer = run(("systemctl", "--user", "show", "--property=Version", "--value"))
    if answer.code == 0:
        return
    line = shlex.join(command).replace("%", r"\%")  # for cron a command ends at a bare %
    cron = (
        "Without it, start memproc by other means, for instance with this line in `crontab -e`:\n"
        f"  @reboot {line}"
    )
    if answer.code == NOT_HERE:
        raise NoUserManager("This system has no systemd, so there is no service to install.", cron)
    message = f"The user's service manager cannot be reached ({answer.first_line})."
    raise NoUserManager(message, f"{_way_out(account)}\n{cron}")


def _way_out(account: Account) -> str:
    """Return what the account is missing for a service manager of its own, and how to get it."""
    export = f"  export XDG_RUNTIME_DIR=/run/user/{account.number}"
    if sudo_user := account.environ.get("SUDO_USER"):
        return f"memproc is a service of your own account: say it as {sudo_user}, without sudo."
    if not account.has_runtime:
        return (
            f"It runs while {account.name} is logged in. Log in (ssh does, su does not), "
            f"or let it run always:\n  sudo loginctl enable-linger {account.name}\n{export}\n"
            "Then try again."
        )
    if not account.environ.get("XDG_RUNTIME_DIR"):
        return f"After su, and in cron, its place is not known. Name it, then try again:\n{export}"
    return "Log in again (ssh does, su does not), then try again."


def lingers(user: str, run: RunCommand) -> bool | None:
    """Return whether the user's services run without a login; None where loginctl does not say."""
    answer = run(("loginctl", "show-user", user, "--property=Linger", "--value"))
    return {"yes": True, "no": False}.get(answer.out.strip()) if answer.code == 0 else None


@dataclass(frozen=True, slots=True)
class ServiceFailure:
    """Why the service is down, and what helps."""

    message: str
    next_step: str
    may_pass: bool = True
    """False where a restart cannot help before the user has done the next step."""


def failure(run: RunCommand) -> ServiceFailure:
    """Ask systemd why it gave up on the service."""
    return _failure(_show("Result,ExecMainStatus", run)[1])


def state(user: str, run: RunCommand) -> ServiceState:
    """Return the state of the user's service, when it starts, and which drop-ins were added."""
    code, properties = _show(_PROPERTIES, run)
    if code != 0 or properties.get("LoadState") != "loaded":
        return NOT_INSTALLED
    word, sentence = _activity(properties)
    return ServiceState(word, (sentence, *_further(properties, lingers(user, run))))


def _show(names: str, run: RunCommand) -> tuple[int, dict[str, str]]:
    """Return the exit code of systemctl, and the properties asked for, by name."""
    answer = run(("systemctl", "--user", "show", UNIT, f"--property={names}"))
    pairs = (line.partition("=") for line in answer.out.splitlines())
    return answer.code, {name: value for name, _, value in pairs}


def _failure(properties: Mapping[str, str]) -> ServiceFailure:
    """Return why systemd has given up on the service, and what helps."""
    result, status = properties.get("Result", ""), properties.get("ExecMainStatus")
    if result == "exit-code" and status == str(CONFIGURATION_ERROR):
        message = "The memproc service is down: its settings cannot be used."
        return ServiceFailure(message, "Say: memproc config check", may_pass=False)
    reason = _REASONS.get(result, "systemd gave it up")
    return ServiceFailure(
        f"The memproc service is down: {reason}.",
        "See: memproc logs, then: memproc service install",
    )


def _activity(properties: Mapping[str, str]) -> tuple[State, str]:
    """Return the state of the service, and a sentence about it, from systemd's properties."""
    match properties.get("ActiveState"):
        case "active":
            doing = f": {properties['StatusText']}" if properties.get("StatusText") else "."
            number = properties.get("NRestarts", "0")
            restarts = {"0": "never", "1": "once"}.get(number, f"{number} times")
            since = properties.get("ActiveEnterTimestamp", "a moment")
            process = f"process {properties.get('MainPID')}, started again {restarts}"
            return "running", f"The service runs since {since} ({process}){doing}"
        case "failed":
            down = _failure(properties)
            return "troubled", f"{down.message} {down.next_step}"
        case "activating" | "deactivating" | "reloading" as active:
            return "troubled", f"The service is {active} ({properties.get('SubState')})."
        case _:
            start = "Say: systemctl --user start memproc"
            return "stopped", f"The service is installed, and does not run. {start}"


def _further(properties: Mapping[str, str], is_lingering: bool | None) -> Iterator[str]:
    """Yield sentences on when the service starts, and on what was changed around it."""
    if properties.get("UnitFileState") != "enabled":
        yield "It does not start by itself. Say: systemctl --user enable memproc"
    elif is_lingering:
        yield "It starts at boot, logged in or not."
    else:
        yield (
            "It starts when you log in, and stops when you leave. "
            "To have it run always: loginctl enable-linger"
        )
    if properties.get("NeedDaemonReload") == "yes":
        yield "Its unit was changed since it was read. Say: systemctl --user daemon-reload"
    paths = properties.get("DropInPaths", "").split()
    if drop_ins := [path for path in paths if not path.endswith(SANDBOX_DROP_IN)]:
        yield f"Added to its unit: {' '.join(drop_ins)}"
