"""Hosts to which the person lets a key go although they are not its provider's own: a line a host.

The file lies in the person's own configuration folder, and not in the state folder, which a memproc.toml can name.
"""

import os
import re
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_config_path

from daemon.files.folders import make_private
from daemon.files.trouble import told
from daemon.files.write import replace_file
from rules.errors import ConfigurationError

_HEADING = "# Hosts that keys may go to: provider and host. Written by `memproc key allow`."
_LINE = re.compile(r"(\S+)\s+(\S+)")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def hosts_file() -> Path:
    """Where the file is."""
    return user_config_path("memproc", appauthor=False) / "allowed-hosts"


def allowed() -> tuple[tuple[str, str], ...]:
    """Every provider and host that the person allowed.

    Raises ConfigurationError where somebody else could have written the file, FileTrouble where it cannot be read.
    """
    path = hosts_file()
    with told(path, "read"):
        try:
            with path.open("rb") as file:
                _refuse_foreign(path, os.fstat(file.fileno()))
                text = file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ()
    lines = (_LINE.fullmatch(line.strip()) for line in text.splitlines() if not line.startswith("#"))
    return tuple((line[1], line[2]) for line in lines if line)


def allowed_hosts(provider: str) -> frozenset[str]:
    """The hosts that a provider's key may go to. Raises as `allowed`."""
    return frozenset(host for each, host in allowed() if each == provider)


def allow(provider: str, host: str) -> Path:
    """Let the provider's key go to a host; where that is written. Raises as `allowed`."""
    return _write([*(line for line in allowed() if line != (provider, host)), (provider, host)])


def disallow(provider: str, host: str) -> bool:
    """Take that back, and say whether it was allowed. Raises as `allowed`."""
    lines = allowed()
    if (provider, host) not in lines:
        return False
    _write([line for line in lines if line != (provider, host)])
    return True


def _write(lines: Sequence[tuple[str, str]]) -> Path:
    path = hosts_file()
    make_private(path.parent)
    replace_file(path, ["".join(f"{line}\n" for line in (_HEADING, *map(" ".join, lines))).encode()])
    return path


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    if sys.platform != "win32" and (found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE):
        raise ConfigurationError(
            f"{path} can be changed by others, so no host in it counts.", f"Look at it, make it yours: chmod 600 {path}"
        )
