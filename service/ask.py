"""Runs one command of the system, as a list of arguments and never through a shell, for at most a minute."""

import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LIMIT_SECONDS = 60.0
NOT_HERE, TOO_SLOW = 127, 124


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended: its exit code (0: well), and what it printed."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def first_words(self) -> str:
        """The first line of what it complained about."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[0].strip() if lines else f"it ended with {self.code}"


Ask = Callable[[Sequence[str]], Answer]


def ask_system(argv: Sequence[str], limit_seconds: float = _LIMIT_SECONDS) -> Answer:
    """Run a command and wait for its end. One that is missing or too slow is an answer too."""
    try:
        ended = subprocess.run(  # noqa: S603  the arguments are ours
            list(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_seconds,
            check=False,
        )
    except FileNotFoundError:
        return Answer(NOT_HERE, err=f"{argv[0]} is not here")
    except subprocess.TimeoutExpired:
        return Answer(TOO_SLOW, err=f"{argv[0]} did not answer within {limit_seconds:g} seconds")
    except OSError as trouble:
        return Answer(NOT_HERE, err=f"{argv[0]} cannot be run: {trouble.strerror}")
    return Answer(ended.returncode, ended.stdout, ended.stderr)


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


def question(user: str) -> tuple[str, ...]:
    """The command that asks for it; `user` is a name or number."""
    return ("loginctl", "show-user", user, "--property=Linger", "--value")


def lingers(answer: Answer) -> bool | None:
    """Yes, no, or None where it cannot be known: there may be no loginctl here."""
    return {"yes": True, "no": False}.get(answer.out.strip()) if answer.code == 0 else None


def offer(answer: Answer) -> str:
    """What to say of it after installing; empty where there is nothing to offer."""
    if lingers(answer) is not False:
        return ""
    return "It runs while you are logged in. To have it run from boot on, logged in or not:\n  loginctl enable-linger"
