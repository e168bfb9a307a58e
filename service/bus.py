"""Why the user's service manager cannot be reached, and the way out."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from service.ask import NOT_HERE, Answer

QUESTION = ("systemctl", "--user", "show", "--property=Version", "--value")


@dataclass(frozen=True, slots=True)
class NoBus:
    """There is no user manager to talk to: what happened, and what to do, each in whole sentences."""

    message: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Account:
    """Who asks: the name and number of the account, its environment, and whether its runtime folder is there."""

    name: str
    number: int
    environ: Mapping[str, str]
    runtime_there: bool

    @property
    def runtime(self) -> Path:
        """The folder that a login makes, in which the user manager can be reached."""
        return Path(f"/run/user/{self.number}")


def missing_bus(answer: Answer, account: Account, command: tuple[str, ...]) -> NoBus | None:
    """None if QUESTION was answered well; else why not, with the way that still leads there."""
    if answer.code == 0:
        return None
    cron = (
        "Without it, start memproc by other means, for instance with this line in `crontab -e`:\n"
        f"  @reboot {shlex.join(command)}"
    )
    if answer.code == NOT_HERE:
        return NoBus("This system has no systemd, so there is no service to install.", cron)
    message = f"The user's service manager cannot be reached ({answer.first_words})."
    return NoBus(message, f"{_way_out(account)}\n{cron}")


def _way_out(account: Account) -> str:
    export = f"  export XDG_RUNTIME_DIR={account.runtime}"
    if account.environ.get("SUDO_USER"):
        return f"memproc is a service of your own account: say it as {account.environ['SUDO_USER']}, without sudo."
    if account.runtime_there and not account.environ.get("XDG_RUNTIME_DIR"):
        return f"su and cron do not say where it is. Say so, then try again:\n{export}"
    if not account.runtime_there:
        return (
            f"It runs while {account.name} is logged in. Log in (ssh does, su does not), or let it run always:\n"
            f"  sudo loginctl enable-linger {account.name}\n{export}\nThen try again."
        )
    return "Log in anew (ssh does, su does not), then try again."
