"""The units with which systemd keeps a program running, in as much of a sandbox as this system's kernel allows.

And how the service is: systemd's answers in sentences, with the next step.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import gettempdir

from service.command import NOT_HERE, RunCommand
from service.unit import (
    NOT_INSTALLED,
    Account,
    Program,
    Recipe,
    ServiceState,
    State,
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


class Sandbox(Enum):
    """The extent of the sandbox: everything, the part that needs no namespaces of its own, or nothing."""

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
        remarks=(*_REMARKS[sandbox], *_lies_in_temporary(program)),
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
    # A private /tmp would hide what the program needs there.
    uses_temporary = in_temporary((Path(program.command[0]), *program.code, *program.writes))
    private_tmp = () if uses_temporary else (("PrivateTmp", "yes"),)
    return (*_FILTERS, *_NAMESPACES, *private_tmp)


def writable_folders(program: Program) -> tuple[Path, ...]:
    """The folders that the sandbox leaves writable.

    Where several lie in one folder that is not the person's home, it is that one: then a folder that is
    deleted and made again while the program runs is still writable.
    """
    chosen: list[Path] = []
    for folder in program.writes:
        shared = sum(other.parent == folder.parent for other in program.writes) > 1
        above = (
            folder.parent if shared and not program.home.is_relative_to(folder.parent) else folder
        )
        if above not in chosen:
            chosen.append(above)
    return tuple(chosen)


def in_temporary(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The paths among these that lie where every system keeps what need not last."""
    shared = tuple(Path(name) for name in ("/tmp", "/var/tmp", gettempdir()))  # noqa: S108  only compared
    return tuple(path for path in paths if any(path.is_relative_to(folder) for folder in shared))


def _lies_in_temporary(program: Program) -> tuple[str, ...]:
    """Sentences on a program that itself lies there."""
    places = in_temporary((Path(program.command[0]), *program.code))
    return tuple(
        f"memproc lies in {place}, where files need not last: once they are removed, the service does not start any "
        "more. For its sake the sandbox leaves that folder open. Better: install memproc elsewhere, then this service "
        "again."
        for place in places[:1]
    )


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
