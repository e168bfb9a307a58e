"""What systemd says of the service: whether it runs, how it failed, and whether it may stay."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from service.command import NOT_HERE, RunCommand
from service.systemd import CONFIGURATION_ERROR, SANDBOX_DROP_IN, UNIT
from service.unit import (
    NOT_INSTALLED,
    Account,
    ServiceState,
    State,
)

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
    """systemd's user manager cannot be reached: what happened, and the ways out, each in whole sentences."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


def require_user_manager(account: Account, run: RunCommand, command: tuple[str, ...]) -> None:
    """Raise NoUserManager unless the account's user manager answers; `command` would start the program without it."""
    answer = run(("systemctl", "--user", "show", "--property=Version", "--value"))
    if answer.code == 0:
        return
    cron = (
        "Without it, start memproc by other means, for instance with this line in `crontab -e`:\n"
        f"  @reboot {shlex.join(command)}"
    )
    if answer.code == NOT_HERE:
        raise NoUserManager("This system has no systemd, so there is no service to install.", cron)
    message = f"The user's service manager cannot be reached ({answer.first_line})."
    raise NoUserManager(message, f"{_way_out(account)}\n{cron}")


def _way_out(account: Account) -> str:
    export = f"  export XDG_RUNTIME_DIR=/run/user/{account.number}"
    if sudo_user := account.environ.get("SUDO_USER"):
        return f"memproc is a service of your own account: say it as {sudo_user}, without sudo."
    if not account.has_runtime:
        return (
            f"It runs while {account.name} is logged in. Log in (ssh does, su does not), or let it run always:\n"
            f"  sudo loginctl enable-linger {account.name}\n{export}\nThen try again."
        )
    if not account.environ.get("XDG_RUNTIME_DIR"):
        return f"After su, and in cron, its place is not known. Name it, then try again:\n{export}"
    return "Log in anew (ssh does, su does not), then try again."


def lingers(user: str, run: RunCommand) -> bool | None:
    """Whether the services of `user` run while nobody is logged in; None where loginctl does not say."""
    answer = run(("loginctl", "show-user", user, "--property=Linger", "--value"))
    return {"yes": True, "no": False}.get(answer.out.strip()) if answer.code == 0 else None


@dataclass(frozen=True, slots=True)
class ServiceFailure:
    """Why the service is down, and what helps."""

    message: str
    next_step: str
    may_pass: bool = True
    """Whether starting it again may help; else the person has to do the next step first."""


def failure(run: RunCommand) -> ServiceFailure:
    """Why systemd gave the service up."""
    return _failure(_show("Result,ExecMainStatus", run)[1])


def state(user: str, run: RunCommand) -> ServiceState:
    """Whether the service of `user` runs, when it starts, and what a person has added to it."""
    code, shown = _show(_PROPERTIES, run)
    if code != 0 or shown.get("LoadState") != "loaded":
        return NOT_INSTALLED
    word, sentence = _activity(shown)
    return ServiceState(word, (sentence, *_further(shown, lingers(user, run))))


def _show(names: str, run: RunCommand) -> tuple[int, dict[str, str]]:
    """The exit code, and what it printed: a line of `NAME=value` for each property."""
    answer = run(("systemctl", "--user", "show", UNIT, f"--property={names}"))
    pairs = (line.partition("=") for line in answer.out.splitlines())
    return answer.code, {name: value for name, _, value in pairs}


def _failure(shown: Mapping[str, str]) -> ServiceFailure:
    if shown.get("Result") == "exit-code" and shown.get("ExecMainStatus") == str(
        CONFIGURATION_ERROR
    ):
        message = "The memproc service is down: its settings cannot be used."
        return ServiceFailure(message, "Say: memproc config check", may_pass=False)
    reason = _REASONS.get(shown.get("Result", ""), "systemd gave it up")
    return ServiceFailure(
        f"The memproc service is down: {reason}.",
        "See: memproc logs, then: memproc service install",
    )


def _activity(shown: Mapping[str, str]) -> tuple[State, str]:
    match shown.get("ActiveState"):
        case "active":
            doing = f": {shown['StatusText']}" if shown.get("StatusText") else "."
            starts = {"0": "never", "1": "once"}.get(
                number := shown.get("NRestarts", "0"), f"{number} times"
            )
            since = shown.get("ActiveEnterTimestamp", "a moment")
            process = f"process {shown.get('MainPID')}, started again {starts}"
            return "running", f"The service runs since {since} ({process}){doing}"
        case "failed":
            down = _failure(shown)
            return "troubled", f"{down.message} {down.next_step}"
        case "activating" | "deactivating" | "reloading" as active:
            return "troubled", f"The service is {active} ({shown.get('SubState')})."
        case _:
            return (
                "stopped",
                "The service is installed, and does not run. Say: systemctl --user start memproc",
            )


def _further(shown: Mapping[str, str], is_lingering: bool | None) -> Iterator[str]:
    if shown.get("UnitFileState") != "enabled":
        yield "It does not start by itself. Say: systemctl --user enable memproc"
    elif is_lingering:
        yield "It starts at boot, logged in or not."
    else:
        yield "It starts when you log in, and stops when you leave. To have it run always: loginctl enable-linger"
    if shown.get("NeedDaemonReload") == "yes":
        yield "Its unit was changed since it was read. Say: systemctl --user daemon-reload"
    if drop_ins := [
        path for path in shown.get("DropInPaths", "").split() if not path.endswith(SANDBOX_DROP_IN)
    ]:
        yield f"Added to its unit: {' '.join(drop_ins)}"
