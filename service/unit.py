"""Define what a service manager is given: program, unit files, commands before and after.

Every unit file contains a hash of its text, so that an upgrade notices what the user has changed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

_MARK = re.compile(r"[^\n]*written by memproc, sha256=([0-9a-f]{64})[^\n]*\n")


@dataclass(frozen=True, slots=True)
class Account:
    """The user's account on this computer."""

    system: str
    """As in `sys.platform`."""
    name: str
    number: int
    """The user id; 0 on Windows."""
    environ: Mapping[str, str]
    has_runtime: bool
    """Whether the login's runtime folder exists, by which systemd's user manager is reached."""
    units: Path
    """The folder of the account's own systemd units."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs for months: how to start it, and what it may touch.

    Paths are absolute.
    """

    command: tuple[str, ...]
    """The command line that starts it; the console script comes first."""
    notice: tuple[str, ...]
    """The command that tells the user that systemd has given up on it."""
    writes: tuple[Path, ...]
    """The folders that it writes to, the inbox first."""
    home: Path
    code: tuple[Path, ...]
    """The folders of its modules, of its virtual environment, and of the Python below that."""
    log: Path
    """The file for what the program prints, on a system without a journal."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables to set; they never hold a key."""
    credentials: tuple[tuple[str, Path], ...] = ()
    """The variables of keys, each with the file that holds the key."""


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file that the service manager reads; its text has the comment of `marked`."""

    path: Path
    text: str
    encoding: str = "utf-8"

    @property
    def content(self) -> bytes:
        """Return the file's bytes."""
        return self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class SystemCommand:
    """A command to run; an `optional` one may fail, for instance when there is nothing to stop."""

    argv: tuple[str, ...]
    optional: bool = False
    attempts: int = 1
    """How often it is tried, a second apart: some systems report ready a little too early."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one service manager keeps one program running."""

    folders: tuple[Path, ...]
    """Folders to make before the program starts."""
    files: tuple[UnitFile, ...]
    start: tuple[SystemCommand, ...]
    """Commands to run after the files are written."""
    stop: tuple[SystemCommand, ...]
    """Commands to run before the files are removed."""
    after_removal: tuple[SystemCommand, ...] = ()
    outdated: tuple[Path, ...] = ()
    """Files of earlier installations that this one no longer uses."""
    remarks: tuple[str, ...] = ()
    """Sentences for the user about this installation."""


State = Literal["running", "troubled", "stopped", "not installed"]


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of the service in one word, and in sentences for the user."""

    state: State
    sentences: tuple[str, ...]


NOT_INSTALLED = ServiceState(
    "not installed", ("The service is not installed. Say: memproc service install",)
)


def marked(text: str) -> str:
    """Add a comment with the author and the hash at the beginning, in XML after the declaration."""
    signature = f"written by memproc, sha256={_digest(text)}"
    if not text.startswith("<?xml"):
        return f"# {signature}\n{text}"
    declaration, rest = text.split("\n", 1)
    return f"{declaration}\n<!-- {signature} -->\n{rest}"


def author(content: bytes) -> Literal["memproc", "memproc, changed since", "somebody else"]:
    """Return who wrote a unit file, by the comment in it."""
    # Task Scheduler's files are UTF-16, and begin with a byte order mark.
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    text = content.decode(encoding, "replace")
    mark = _MARK.search(text)
    if mark is None:
        return "somebody else"
    without_mark = text[: mark.start()] + text[mark.end() :]
    return "memproc" if _digest(without_mark) == mark[1] else "memproc, changed since"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
