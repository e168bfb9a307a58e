"""Keep memproc running on macOS with a launchd agent.

launchd never gives up on an agent, but has no watchdog: a program that hangs must end itself
(`notify.StallExit`).
"""

import plistlib

from service.command import RunCommand
from service.unit import (
    NOT_INSTALLED,
    Program,
    Recipe,
    ServiceState,
    State,
    SystemCommand,
    UnitFile,
    marked,
)

LABEL = "io.memproc.agent"
_BUSY_ATTEMPTS = 5


def recipe(program: Program, user: int) -> Recipe:
    """Return the recipe that installs the agent for the account with the user id `user`."""
    path = program.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    unload = SystemCommand(("launchctl", "bootout", f"gui/{user}/{LABEL}"), optional=True)
    return Recipe(
        folders=(*program.writes, program.log.parent),
        files=(UnitFile(path, marked(agent(program))),),
        start=(
            unload,
            SystemCommand(("launchctl", "enable", f"gui/{user}/{LABEL}")),
            # An agent that is still being unloaded cannot be loaded: "Bootstrap failed: 5".
            SystemCommand(
                ("launchctl", "bootstrap", f"gui/{user}", str(path)), attempts=_BUSY_ATTEMPTS
            ),
        ),
        stop=(unload,),
    )


def agent(program: Program) -> str:
    """Return the agent's property list as text."""
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


def state(user: int, run: RunCommand) -> ServiceState:
    """Ask launchd whether the agent runs."""
    answer = run(("launchctl", "print", f"gui/{user}/{LABEL}"))
    if answer.code != 0:
        return NOT_INSTALLED
    properties: dict[str, str] = {}
    for line in answer.out.splitlines():
        name, separator, value = line.strip().partition(" = ")
        if separator:  # the agent's own values come first, those of its parts later
            properties.setdefault(name, value)
    if properties.get("state") == "running":
        sentence = (
            f"The service runs (process {properties.get('pid', '?')}). It starts when you log in."
        )
        return ServiceState("running", (sentence,))
    code = properties.get("last exit code", "0")
    word: State = "stopped" if code in ("0", "(never exited)") else "troubled"
    start = f"Say: launchctl kickstart gui/{user}/{LABEL}"
    sentence = f"The service is installed, and does not run; it ended with {code}. {start}"
    return ServiceState(word, (sentence,))
