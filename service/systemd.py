"""Keep a program running with systemd: write its units, with as much of a sandbox as works here.

Units have a syntax of their own, in which words are quoted and percent signs doubled. Which
settings of the sandbox work on this system is found out by trying; some folders stay writable.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Literal

from service.command import RunCommand
from service.unit import Program, Recipe, SystemCommand, UnitFile, marked

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
# Without PrivateUsers, systemd before 254 accepts the others for a user's service and ignores them.
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

UNIT = "memproc.service"
FAILED_UNIT = "memproc-failed.service"
SANDBOX_DROP_IN = "10-sandbox.conf"
_AGAIN_UNIT = "memproc-again"
_WATCHDOG_SECONDS = 120
CONFIGURATION_ERROR = 2
"""The exit code after which systemd does not restart: the user must correct the settings."""
NO_CREDENTIAL = "-"
"""The credential's text where its file is missing; systemd refuses an empty one."""
# Variables that a shell may have exported, and that would select another Python or other settings.
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
"""Starts a service on which systemd gave up again, ten minutes from now."""

Sandbox = Literal["full", "filters", "none"]
"""How much of the sandbox is used: all of it, only what needs no namespaces, or nothing."""
_REMARKS: Mapping[Sandbox, tuple[str, ...]] = {
    "full": (),
    "filters": (
        "This system lets no user's service have a file system of its own, "
        "so the sandbox filters calls only.",
    ),
    "none": ("The service runs without a sandbox.",),
}


def quoted(text: str) -> str:
    """Quote an argument by systemd's own rules."""
    escaped = ""
    for letter in without_specifiers(text):
        if letter in "\"\\'":
            escaped += f"\\{letter}"
        elif letter.isprintable():
            escaped += letter
        else:
            escaped += "".join(f"\\x{byte:02x}" for byte in letter.encode())
    return f'"{escaped}"' if escaped != text or " " in text or not text else text


def without_specifiers(text: str) -> str:
    """Double percent signs, since systemd expands them as specifiers."""
    return text.replace("%", "%%")


def sandbox_drop_in(program: Program, sandbox: Sandbox) -> str:
    """Return the text of the drop-in. With it, the service starts even if a folder is missing."""
    folders = writable_folders(program) if sandbox == "full" else ()
    lines = [
        "# To change something, write a drop-in of your own that comes after this one: "
        "systemctl --user edit memproc",
        "[Service]",
        *(f"{name}={value}" for name, value in sandbox_settings(sandbox, program)),
        *(f"ReadWritePaths={quoted(f'-{folder}')}" for folder in folders),
    ]
    return "\n".join(lines) + "\n"


def sandbox_settings(sandbox: Sandbox, program: Program) -> tuple[_Setting, ...]:
    """Return the settings of a sandbox except its writable folders."""
    if sandbox == "none":
        return ()
    if sandbox == "filters":
        return _FILTERS
    # A private /tmp would hide what the program needs there.
    uses_temporary = paths_in_temporary((Path(program.command[0]), *program.code, *program.writes))
    private_tmp = () if uses_temporary else (("PrivateTmp", "yes"),)
    return (*_FILTERS, *_NAMESPACES, *private_tmp)


def writable_folders(program: Program) -> tuple[Path, ...]:
    """Return the folders that the sandbox leaves writable.

    Siblings are replaced by their parent, unless that contains the home folder: so a folder that is
    deleted and made again while the program runs stays writable.
    """
    chosen: list[Path] = []
    for folder in program.writes:
        has_sibling = sum(other.parent == folder.parent for other in program.writes) > 1
        holds_home = program.home.is_relative_to(folder.parent)
        chosen.append(folder.parent if has_sibling and not holds_home else folder)
    return tuple(dict.fromkeys(chosen))


def paths_in_temporary(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of the paths that are in a folder for temporary files."""
    folders = ("/tmp", "/var/tmp", gettempdir())  # noqa: S108  only compared
    return tuple(path for path in paths if any(path.is_relative_to(folder) for folder in folders))


def warn_of_temporary(program: Program) -> tuple[str, ...]:
    """Return a warning if the program itself is in a temporary folder; otherwise ()."""
    places = paths_in_temporary((Path(program.command[0]), *program.code))
    return tuple(
        f"memproc lies in {place}, where files need not last: once they are removed, "
        "the service does not start any more. For its sake the sandbox leaves that folder open. "
        "Better: install memproc elsewhere, then this service again."
        for place in places[:1]
    )


def best_sandbox(program: Program, run: RunCommand) -> Sandbox:
    """Return the strictest sandbox that works here; some systems refuse namespaces to users."""
    levels: tuple[Sandbox, ...] = ("full", "filters")
    return next((level for level in levels if run(probe(program, level)).code == 0), "none")


def probe(program: Program, sandbox: Sandbox) -> tuple[str, ...]:
    """Return a command that exits with 0 if the program can start in this sandbox here."""
    properties = (
        f"--property={name}={value}" for name, value in sandbox_settings(sandbox, program)
    )
    start = ("systemd-run", "--user", "--wait", "--collect", "--quiet", "--pipe", *properties)
    return (*start, "--", program.command[0], "--version")


def recipe(program: Program, folder: Path, sandbox: Sandbox) -> Recipe:
    """Return the recipe that installs the service; `folder` is that of the user's units."""
    drop_in = folder / f"{UNIT}.d" / SANDBOX_DROP_IN
    texts = {folder / UNIT: unit(program), folder / FAILED_UNIT: failed_unit(program)}
    if sandbox != "none":
        texts[drop_in] = sandbox_drop_in(program, sandbox)
    return Recipe(
        folders=program.writes,
        files=tuple(UnitFile(path, marked(text)) for path, text in texts.items()),
        start=(
            _systemctl("daemon-reload"),
            # A unit that has used up its starts could not be started for five minutes.
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
        outdated=(drop_in,) if sandbox == "none" else (),
        remarks=(*_REMARKS[sandbox], *warn_of_temporary(program)),
    )


def unit(program: Program) -> str:
    """Return the text of the service's unit.

    After a crash or a hang it is restarted at once. After five starts in five minutes systemd gives
    up, and the failed unit starts it again ten minutes later. Wrong settings cause no restart.
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
        # Used where the file is missing: without it, the service would not start.
        *(f"SetCredential={name}:{NO_CREDENTIAL}" for name, _ in program.credentials),
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def failed_unit(program: Program) -> str:
    """Return the text of the unit that runs when systemd has given up on the service.

    It tells the user, and has the service started again where that may help.
    """
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
    """Return the lines on where and with what limits the program runs."""
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
    # systemd cannot run a program with a quote in its path; `env` can, and becomes that program.
    through = ("/usr/bin/env",) if set(argv[0]) & set("\"'\\") else ()
    return ":" + " ".join(quoted(argument) for argument in (*through, *argv))
