"""The hosts that the person lets keys go to, beside their providers' own: a small file in the configuration folder."""

import os
import re
import stat
import sys
from pathlib import Path

from platformdirs import user_config_path

from daemon.keys import private_content, write_private
from rules.errors import ConfigurationError

_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_LINE = re.compile(r"(\S+)\s+(\S+)")


def hosts_file() -> Path:
    """Where the list of hosts is that keys may go to beside their providers' own."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def allowed() -> tuple[tuple[str, str], ...]:
    """Every provider and host that the person allowed.

    Raises ConfigurationError where somebody else could have written the file, FileTrouble where it cannot be read.
    """
    text = (private_content(hosts_file(), _refuse_foreign) or b"").decode("utf-8", "replace")
    lines = (_LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#"))
    return tuple((line[1], line[2]) for line in lines if line)


def allowed_hosts(provider: str) -> frozenset[str]:
    """The hosts that a provider's key may go to. Raises as `allowed`."""
    return frozenset(host for name, host in allowed() if name == provider)


def allow(provider: str, host: str) -> Path:
    """Let the provider's key go to a host; gives back the file that says so. Raises as `allowed`."""
    others = [pair for pair in allowed() if pair != (provider, host)]
    return write_private(hosts_file(), [_HEADING, *map(" ".join, [*others, (provider, host)])])


def disallow(provider: str, host: str) -> bool:
    """Take that back, and say whether it was allowed. Raises as `allowed`."""
    pairs = allowed()
    if (provider, host) not in pairs:
        return False
    write_private(hosts_file(), [_HEADING, *(" ".join(pair) for pair in pairs if pair != (provider, host))])
    return True


def _refuse_foreign(path: Path, status: os.stat_result) -> None:
    """Raise ConfigurationError where somebody else could have written the list of hosts."""
    if sys.platform != "win32" and (status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise ConfigurationError(
            f"{path} can be changed by others, so no host in it counts.", f"Look at it, make it yours: chmod 600 {path}"
        )
