"""Keep a program running with systemd: its units, and as much sandbox as the kernel allows."""

from pathlib import Path

from service.sandbox import REMARKS, Sandbox, lies_in_temporary, sandbox_drop_in
from service.systemd_syntax import quoted, without_specifiers
from service.unit import Program, Recipe, SystemCommand, UnitFile, marked

UNIT = "memproc.service"
FAILED_UNIT = "memproc-failed.service"
SANDBOX_DROP_IN = "10-sandbox.conf"
_AGAIN_UNIT = "memproc-again"
_WATCHDOG_SECONDS = 120
CONFIGURATION_ERROR = 2
"""The exit code after which systemd does not restart: the settings need a person first."""
NO_CREDENTIAL = "-"
"""The credential's text where its file is gone; systemd refuses an empty one."""
# Variables that a shell may have exported, and that would choose another Python or other settings.
_UNSET = "PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV MEMPROC_CONFIG"
NOT_AGAIN = SystemCommand(("systemctl", "--user", "stop", f"{_AGAIN_UNIT}.timer"), optional=True)
"""Cancels a planned start, so that another can be planned."""
START_AGAIN = SystemCommand(
    (
        # --collect: a failed restart would keep its name, and the next systemd-run be refused.
        *("systemd-run", "--user", "--quiet", "--collect"),
        *(f"--unit={_AGAIN_UNIT}", "--on-active=10min"),
        *("systemctl", "--user", "restart", UNIT),
    )
)
"""Starts a service that systemd gave up, ten minutes from now."""


def recipe(program: Program, folder: Path, sandbox: Sandbox) -> Recipe:
    """Return the recipe that installs the service; `folder` is where the user's units lie."""
    drop_in = folder / f"{UNIT}.d" / SANDBOX_DROP_IN
    texts = {folder / UNIT: unit(program), folder / FAILED_UNIT: failed_unit(program)}
    if sandbox is not Sandbox.NONE:
        texts[drop_in] = sandbox_drop_in(program, sandbox)
    return Recipe(
        folders=program.writes,
        files=tuple(UnitFile(path, marked(text)) for path, text in texts.items()),
        start=(
            _systemctl("daemon-reload"),
            # A unit that used up its starts would not start again for five minutes.
            _systemctl("reset-failed", UNIT, f"{_AGAIN_UNIT}.service", optional=True),
            NOT_AGAIN,
            _systemctl("enable", UNIT),
            _systemctl("restart", UNIT),
        ),
        stop=(_systemctl("disable", "--now", UNIT, optional=True), NOT_AGAIN),
        after_removal=(
            _systemctl("daemon-reload"),
            _systemctl("reset-failed", UNIT, optional=True),
        ),
        outdated=(drop_in,) if sandbox is Sandbox.NONE else (),
        remarks=(*REMARKS[sandbox], *lies_in_temporary(program)),
    )


def unit(program: Program) -> str:
    """Return the text of the service's unit.

    A crash or hang restarts it at once. After five starts in five minutes systemd gives up, and the
    failed unit starts it again ten minutes later. A wrong configuration is not retried.
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
        # Used where the file is gone: without it, the service would not start.
        *(f"SetCredential={name}:{NO_CREDENTIAL}" for name, _ in program.credentials),
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def failed_unit(program: Program) -> str:
    """Return the text of the unit that tells the person that the service has failed for good."""
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


def _systemctl(*arguments: str, optional: bool = False) -> SystemCommand:
    return SystemCommand(("systemctl", "--user", *arguments), optional)


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
    """Write a command for ExecStart; the colon keeps systemd from expanding `$`."""
    # systemd runs no program with a quote in its path; `env` does, and becomes that program.
    through = ("/usr/bin/env",) if set(argv[0]) & set("\"'\\") else ()
    return ":" + " ".join(quoted(argument) for argument in (*through, *argv))
