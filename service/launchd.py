"""The launchd agent that keeps memproc up on macOS.

launchd never gives an agent up. It has no watchdog: the program leaves by itself when it hangs (`notify.py`).
"""

import plistlib

from service.ask import Answer
from service.recipe import Program, Recipe, Run, UnitFile, marked
from service.standing import NOT_INSTALLED, Standing, State

LABEL = "io.memproc.agent"
_BUSY_TRIES = 5


def recipe(program: Program, user: int) -> Recipe:
    """How launchd keeps the program up for the account with the number `user`."""
    path = program.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    away = Run(("launchctl", "bootout", f"{_domain(user)}/{LABEL}"), optional=True)
    return Recipe(
        folders=(*program.writes, program.log.parent),
        files=(UnitFile(path, marked(agent(program))),),
        leftovers=(),
        start=(
            away,
            Run(("launchctl", "enable", f"{_domain(user)}/{LABEL}")),
            # What is still on its way out cannot be put in: "Bootstrap failed: 5".
            Run(("launchctl", "bootstrap", _domain(user), str(path)), tries=_BUSY_TRIES),
        ),
        stop=(away,),
        forget=(),
    )


def agent(program: Program) -> str:
    """The text of the agent's property list."""
    values = {
        "Label": LABEL,
        "ProgramArguments": list(program.command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "ExitTimeOut": 40,
        "Umask": 0o077,
        "WorkingDirectory": "/",
        "StandardOutPath": str(program.log),
        "StandardErrorPath": str(program.log),
        "EnvironmentVariables": {"LANG": "en_US.UTF-8", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
        | dict(program.environment),
    }
    return plistlib.dumps(values).decode()


def question(user: int) -> tuple[str, ...]:
    """The command that says how the agent stands."""
    return ("launchctl", "print", f"{_domain(user)}/{LABEL}")


def standing(answer: Answer) -> Standing:
    """How the agent stands, from the answer to the question."""
    if answer.code != 0:
        return NOT_INSTALLED
    lines = (line.strip().split(" = ", 1) for line in answer.out.splitlines() if " = " in line)
    said: dict[str, str] = {}
    for name, value in lines:
        said.setdefault(name, value)  # the agent's own values come first, those of its parts are further down
    if said.get("state") == "running":
        return Standing("running", (f"The service runs (process {said.get('pid', '?')}). It starts when you log in.",))
    ended = said.get("last exit code", "0")
    state: State = "stopped" if ended in ("0", "(never exited)") else "troubled"
    again = f"Say: launchctl kickstart {_again(answer.out)}{LABEL}"
    return Standing(state, (f"The service is installed, and does not run; it ended with {ended}. {again}",))


def _again(printed: str) -> str:
    """The domain, as the first line of what launchctl prints begins with it."""
    return printed.partition(LABEL)[0].strip()


def _domain(user: int) -> str:
    return f"gui/{user}"
