"""The units with which systemd keeps a program running, in as much of a sandbox as this system's kernel allows.

And how the service is: systemd's answers in sentences, with the next step.
"""

from pathlib import Path

from service.sandbox import REMARKS, Sandbox, lies_in_temporary, sandbox_drop_in
from service.systemd_syntax import quoted, without_specifiers
from service.unit import (
    Program,
    Recipe,
    SystemCommand,
    UnitFile,
    marked,
)

UNIT = "memproc.service"
FAILED_UNIT = "memproc-failed.service"
SANDBOX_DROP_IN = "10-sandbox.conf"
_AGAIN_UNIT = "memproc-again"
_WATCHDOG_SECONDS = 120
CONFIGURATION_ERROR = 2
"""The exit code after which the program is not started again: a person has to correct its settings first."""
NO_CREDENTIAL = "-"
"""The text of a credential whose file is gone; systemd does not take an empty one."""
# What a shell may have put into the environment of the user's services would start another Python, or other settings.
_UNSET = "PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV MEMPROC_CONFIG"


def systemctl(*arguments: str, optional: bool = False) -> SystemCommand:
    """A command to the user's own service manager."""
    return SystemCommand(("systemctl", "--user", *arguments), optional)


NOT_AGAIN = systemctl("stop", f"{_AGAIN_UNIT}.timer", optional=True)
"""Takes a later start back, so that another can be planned."""
START_AGAIN = SystemCommand((
    # Collected, since a failed restart would keep the name, and the next systemd-run would be refused.
    *("systemd-run", "--user", "--quiet", "--collect", f"--unit={_AGAIN_UNIT}", "--on-active=10min"),
    *("systemctl", "--user", "restart", UNIT),
))  # fmt: skip
"""Starts a service that systemd has given up, ten minutes from now."""


def recipe(program: Program, folder: Path, sandbox: Sandbox) -> Recipe:
    """The recipe by which systemd keeps the program running; `folder` is where the user's units lie."""
    drop_in = folder / f"{UNIT}.d" / SANDBOX_DROP_IN
    files = [
        UnitFile(folder / UNIT, marked(unit(program))),
        UnitFile(folder / FAILED_UNIT, marked(failed_unit(program))),
    ]
    if sandbox is not Sandbox.NONE:
        files.append(UnitFile(drop_in, marked(sandbox_drop_in(program, sandbox))))
    return Recipe(
        folders=program.writes,
        files=tuple(files),
        start=(
            systemctl("daemon-reload"),
            # A unit that used up its starts would not start again for five minutes.
            systemctl("reset-failed", UNIT, f"{_AGAIN_UNIT}.service", optional=True),
            NOT_AGAIN,
            systemctl("enable", UNIT),
            systemctl("restart", UNIT),
        ),
        stop=(systemctl("disable", "--now", UNIT, optional=True), NOT_AGAIN),
        after_removal=(systemctl("daemon-reload"), systemctl("reset-failed", UNIT, optional=True)),
        outdated=(drop_in,) if sandbox is Sandbox.NONE else (),
        remarks=(*REMARKS[sandbox], *lies_in_temporary(program)),
    )


def unit(program: Program) -> str:
    """The text of the service's unit.

    Killed, crashed or hung, it is started again at once; after five starts within five minutes systemd gives it up,
    and the failed unit has it started again ten minutes later. A configuration that is wrong is not tried again.
    """
    lines = [
        "[Unit]",
        "Description=memproc turns the old part of long conversations into memories",
        "StartLimitIntervalSec=300",
        "StartLimitBurst=5",
        f"OnFailure={FAILED_UNIT}",
        "",
        "[Service]",
        f"ExecStart={_command(program.command)}",
        "Type=notify",
        "NotifyAccess=main",
        "ExecReload=/bin/kill -HUP $MAINPID",
        "Restart=on-failure",
        "RestartSec=200ms",
        f"RestartPreventExitStatus={CONFIGURATION_ERROR}",
        f"WatchdogSec={_WATCHDOG_SECONDS}",
        "TimeoutStartSec=120",
        "TimeoutStopSec=40",
        "# The daemon ends its worker itself, after the call that is under way.",
        "KillMode=mixed",
        "OOMPolicy=continue",
        "# Locks lie here, which others than the service may hold too.",
        "RuntimeDirectory=memproc",
        "RuntimeDirectoryMode=0700",
        "RuntimeDirectoryPreserve=yes",
        *_surroundings(program),
        *(
            f"LoadCredential={name}:{without_specifiers(str(path))}"
            for name, path in program.credentials
        ),
        # This value is used where the file has gone since: without it, the service would not start.
        *(f"SetCredential={name}:{NO_CREDENTIAL}" for name, _ in program.credentials),
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def failed_unit(program: Program) -> str:
    """The text of the unit that tells the person; systemd starts it when the service has failed for good."""
    lines = [
        "[Unit]",
        "Description=memproc tells that its service has failed",
        "",
        "[Service]",
        "Type=oneshot",
        f"ExecStart={_command(program.notice)}",
        "TimeoutStartSec=60",
        *_surroundings(program),
    ]
    return "\n".join(lines) + "\n"


def _surroundings(program: Program) -> tuple[str, ...]:
    return (
        "WorkingDirectory=/",
        *(f"Environment={quoted(f'{name}={value}')}" for name, value in program.environment),
        f"UnsetEnvironment={_UNSET}",
        "UMask=0077",
        "# A core file would hold keys and messages.",
        "LimitCORE=0",
        "Nice=10",
        "MemoryMax=1500M",
    )


def _command(argv: tuple[str, ...]) -> str:
    """The colon keeps systemd from reading `$` in the arguments as variables."""
    # systemd runs no program with a quote in its path; `env` does, and becomes that program.
    through = ("/usr/bin/env",) if set(argv[0]) & set("\"'\\") else ()
    return ":" + " ".join(quoted(argument) for argument in (*through, *argv))
