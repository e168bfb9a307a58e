"""The units with which systemd keeps a program running, in as much of a sandbox as this system's kernel allows."""

from enum import Enum
from pathlib import Path
from tempfile import gettempdir

from service.command import RunCommand
from service.unit import Program, Recipe, SystemCommand, UnitFile, marked

UNIT = "memproc.service"
FAILED_UNIT = "memproc-failed.service"
SANDBOX_DROP_IN = "10-sandbox.conf"
_AGAIN_UNIT = "memproc-again"
_WATCHDOG_SECONDS = 120
CONFIGURATION_ERROR = 2
"""The exit code after which the program is not started again: a person has to correct its settings first."""
NO_CREDENTIAL = "-"
"""What a credential holds whose file is gone; systemd does not take an empty one."""
# What a shell may have put into the environment of the user's services would start another Python, or other settings.
_UNSET = "PYTHONHOME PYTHONPATH PYTHONSTARTUP VIRTUAL_ENV MEMPROC_CONFIG"


class Sandbox(Enum):
    """How much of the sandbox is used: everything, the part that needs no namespaces of its own, or nothing."""

    FULL = "full"
    FILTERS = "filters"
    NONE = "none"


_REMARKS = {
    Sandbox.FULL: (),
    Sandbox.FILTERS: (
        "This system lets no user's service have a file system of its own, so the sandbox filters calls only.",
    ),
    Sandbox.NONE: ("The service runs without a sandbox.",),
}


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
    """How systemd keeps the program running; `folder` is where the user's units lie."""
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
        remarks=_REMARKS[sandbox],
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
        *(f"LoadCredential={name}:{_specifiers(str(path))}" for name, path in program.credentials),
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
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in program.environment),
        f"UnsetEnvironment={_UNSET}",
        "UMask=0077",
        "# A core file would hold keys and messages.",
        "LimitCORE=0",
        "Nice=10",
        "MemoryMax=1500M",
    )


_Setting = tuple[str, str]
_FILTERS: tuple[_Setting, ...] = (
    ("NoNewPrivileges", "yes"),
    ("RestrictNamespaces", "yes"),
    ("RestrictRealtime", "yes"),
    ("RestrictSUIDSGID", "yes"),
    ("LockPersonality", "yes"),
    ("MemoryDenyWriteExecute", "yes"),
    ("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6"),
    ("SystemCallArchitectures", "native"),
    ("SystemCallFilter", "@system-service"),
    ("SystemCallFilter", "~@privileged @resources"),
    ("SystemCallErrorNumber", "EPERM"),
)
# Without PrivateUsers, systemd before 254 takes the rest of these for a user's service and silently does nothing.
_NAMESPACES: tuple[_Setting, ...] = (
    ("PrivateUsers", "yes"),
    ("CapabilityBoundingSet", ""),
    ("ProtectSystem", "strict"),
    ("ProtectHome", "read-only"),
    ("PrivateDevices", "yes"),
    ("ProtectKernelTunables", "yes"),
    ("ProtectKernelModules", "yes"),
    ("ProtectKernelLogs", "yes"),
    ("ProtectControlGroups", "yes"),
    ("ProtectClock", "yes"),
    ("ProtectHostname", "yes"),
)


def sandbox_drop_in(program: Program, sandbox: Sandbox) -> str:
    """The text of the drop-in with the sandbox. A folder that is missing does not keep the service down."""
    folders = writable_folders(program) if sandbox is Sandbox.FULL else ()
    lines = [
        "# To change something, write a drop-in of your own that comes after this one: systemctl --user edit memproc",
        "[Service]",
        *(f"{name}={value}" for name, value in settings(sandbox, program)),
        *(f"ReadWritePaths={_quoted(f'-{folder}')}" for folder in folders),
    ]
    return "\n".join(lines) + "\n"


def settings(sandbox: Sandbox, program: Program) -> tuple[_Setting, ...]:
    """The settings of a sandbox for a program, but for the folders that it may write to."""
    if sandbox is Sandbox.NONE:
        return ()
    if sandbox is Sandbox.FILTERS:
        return _FILTERS
    private_tmp = () if _uses_temporary(program) else (("PrivateTmp", "yes"),)
    return (*_FILTERS, *_NAMESPACES, *private_tmp)


def writable_folders(program: Program) -> tuple[Path, ...]:
    """The folders that the sandbox leaves writable.

    Where several lie in one folder that is not the person's home, it is that one: then a folder that is
    deleted and made again while the program runs is still writable.
    """
    chosen: list[Path] = []
    for folder in program.writes:
        shared = sum(other.parent == folder.parent for other in program.writes) > 1
        above = folder.parent if shared and not program.home.is_relative_to(folder.parent) else folder
        if above not in chosen:
            chosen.append(above)
    return tuple(chosen)


def _uses_temporary(program: Program) -> bool:
    """Whether a private /tmp would hide something that the program needs."""
    shared = tuple(Path(name) for name in ("/tmp", "/var/tmp", gettempdir()))  # noqa: S108  only compared
    needed = (Path(program.command[0]), *program.writes)
    return any(path.is_relative_to(folder) for path in needed for folder in shared)


def best_sandbox(program: Program, run: RunCommand) -> Sandbox:
    """The most of the sandbox in which the program starts here: some systems refuse namespaces to their users."""
    levels = (Sandbox.FULL, Sandbox.FILTERS)
    return next((level for level in levels if run(probe(program, level)).code == 0), Sandbox.NONE)


def probe(program: Program, sandbox: Sandbox) -> tuple[str, ...]:
    """The command that ends with 0 if the program starts in this sandbox, here and now."""
    properties = (f"--property={name}={value}" for name, value in settings(sandbox, program))
    start = ("systemd-run", "--user", "--wait", "--collect", "--quiet", "--pipe", *properties)
    return (*start, "--", program.command[0], "--version")


def _command(argv: tuple[str, ...]) -> str:
    """The colon keeps systemd from reading `$` in the arguments as variables."""
    # systemd runs no program with a quote in its path; `env` does, and becomes that program.
    through = ("/usr/bin/env",) if set(argv[0]) & set("\"'\\") else ()
    return ":" + " ".join(_quoted(argument) for argument in (*through, *argv))


def _quoted(text: str) -> str:
    """A text as systemd's own quoting wants it."""
    escaped = "".join(_escaped(letter) for letter in _specifiers(text))
    return f'"{escaped}"' if escaped != text or " " in text or not text else text


def _escaped(letter: str) -> str:
    if letter in "\"\\'":
        return f"\\{letter}"
    return letter if letter.isprintable() else "".join(f"\\x{byte:02x}" for byte in letter.encode())


def _specifiers(text: str) -> str:
    return text.replace("%", "%%")
