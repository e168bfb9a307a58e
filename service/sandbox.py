"""What the program is kept from while systemd runs it: as much as this system's kernel lets a user's service have."""

from enum import Enum
from pathlib import Path
from tempfile import gettempdir

from service.program import Program

Setting = tuple[str, str]


class Sandbox(Enum):
    """How much of the sandbox is used: everything, the part that needs no namespaces of its own, or nothing."""

    FULL = "full"
    FILTERS = "filters"
    NONE = "none"


_FILTERS: tuple[Setting, ...] = (
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
_NAMESPACES: tuple[Setting, ...] = (
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


def settings(sandbox: Sandbox, program: Program) -> tuple[Setting, ...]:
    """The settings of a sandbox for a program, in the order of its drop-in; paths are not yet quoted."""
    if sandbox is Sandbox.NONE:
        return ()
    if sandbox is Sandbox.FILTERS:
        return _FILTERS
    private = () if _uses_temporary(program) else (("PrivateTmp", "yes"),)
    writable = tuple(("ReadWritePaths", str(path)) for path in writable_folders(program))
    return (*_FILTERS, *_NAMESPACES, *private, *writable)


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
