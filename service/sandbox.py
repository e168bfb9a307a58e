"""Sandbox the service: which settings this system can keep, and which folders stay writable."""

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from tempfile import gettempdir

from service.command import RunCommand
from service.systemd_syntax import quoted
from service.unit import Program

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


class Sandbox(Enum):
    """How much of the sandbox is used: all, what needs no namespaces, or nothing."""

    FULL = "full"
    FILTERS = "filters"
    NONE = "none"


REMARKS = {
    Sandbox.FULL: (),
    Sandbox.FILTERS: (
        "This system lets no user's service have a file system of its own, "
        "so the sandbox filters calls only.",
    ),
    Sandbox.NONE: ("The service runs without a sandbox.",),
}


def sandbox_drop_in(program: Program, sandbox: Sandbox) -> str:
    """Return the text of the drop-in. A missing folder does not keep the service from starting."""
    folders = writable_folders(program) if sandbox is Sandbox.FULL else ()
    lines = [
        "# To change something, write a drop-in of your own that comes after this one: "
        "systemctl --user edit memproc",
        "[Service]",
        *(f"{name}={value}" for name, value in sandbox_settings(sandbox, program)),
        *(f"ReadWritePaths={quoted(f'-{folder}')}" for folder in folders),
    ]
    return "\n".join(lines) + "\n"


def sandbox_settings(sandbox: Sandbox, program: Program) -> tuple[_Setting, ...]:
    """Return the settings of a sandbox, without the folders that stay writable."""
    if sandbox is Sandbox.NONE:
        return ()
    if sandbox is Sandbox.FILTERS:
        return _FILTERS
    # A private /tmp would hide what the program needs there.
    uses_temporary = in_temporary((Path(program.command[0]), *program.code, *program.writes))
    private_tmp = () if uses_temporary else (("PrivateTmp", "yes"),)
    return (*_FILTERS, *_NAMESPACES, *private_tmp)


def writable_folders(program: Program) -> tuple[Path, ...]:
    """Return the folders that the sandbox leaves writable.

    Siblings become their parent, unless that holds the home folder: a folder that is deleted and
    made again while the program runs then stays writable.
    """
    chosen: list[Path] = []
    for folder in program.writes:
        has_sibling = sum(other.parent == folder.parent for other in program.writes) > 1
        holds_home = program.home.is_relative_to(folder.parent)
        chosen.append(folder.parent if has_sibling and not holds_home else folder)
    return tuple(dict.fromkeys(chosen))


def in_temporary(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return the paths that lie in a folder for temporary files."""
    folders = ("/tmp", "/var/tmp", gettempdir())  # noqa: S108  only compared
    return tuple(path for path in paths if any(path.is_relative_to(folder) for folder in folders))


def lies_in_temporary(program: Program) -> tuple[str, ...]:
    """Warn, in at most one sentence, where the program itself lies in a temporary folder."""
    places = in_temporary((Path(program.command[0]), *program.code))
    return tuple(
        f"memproc lies in {place}, where files need not last: once they are removed, "
        "the service does not start any more. For its sake the sandbox leaves that folder open. "
        "Better: install memproc elsewhere, then this service again."
        for place in places[:1]
    )


def best_sandbox(program: Program, run: RunCommand) -> Sandbox:
    """Try the sandboxes, strictest first; some systems refuse namespaces to their users."""
    levels = (Sandbox.FULL, Sandbox.FILTERS)
    return next((level for level in levels if run(probe(program, level)).code == 0), Sandbox.NONE)


def probe(program: Program, sandbox: Sandbox) -> tuple[str, ...]:
    """Return a command that exits 0 if the program starts in this sandbox here and now."""
    properties = (
        f"--property={name}={value}" for name, value in sandbox_settings(sandbox, program)
    )
    start = ("systemd-run", "--user", "--wait", "--collect", "--quiet", "--pipe", *properties)
    return (*start, "--", program.command[0], "--version")
