"""What a service manager is given: the program, the files that it reads, and the commands before and after.

Every file carries a line with the hash of its text, so an upgrade knows a file that a person has changed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Account:
    """The person's account on this computer."""

    system: str
    """The system as `sys.platform` names it."""
    name: str
    number: int
    """The user id; 0 on Windows."""
    environ: Mapping[str, str]
    has_runtime: bool
    """Whether the folder is there that a login makes, in which systemd's user manager can be reached."""
    units: Path
    """The folder in which systemd looks for the account's own units."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs for months: how it is started, and what it may touch. All paths are absolute."""

    command: tuple[str, ...]
    """The arguments that start it; the first is the console script."""
    notice: tuple[str, ...]
    """The arguments of the command that tells the person when it has failed for good."""
    writes: tuple[Path, ...]
    """The folders that it writes to; the first is the inbox."""
    home: Path
    code: tuple[Path, ...]
    """The folders that hold what it is made of: its own modules, its environment, and the Python below that."""
    log: Path
    """The file for what the program prints, on a system without a journal."""
    environment: tuple[tuple[str, str], ...] = ()
    """The environment variables that it needs; never a key."""
    credentials: tuple[tuple[str, Path], ...] = ()
    """Files with one key each, and the variable that each stands for."""


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file that the service manager reads; its text is `marked`."""

    path: Path
    text: str
    encoding: str = "utf-8"

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class SystemCommand:
    """A command to run. `optional`: it may fail, for instance because there is nothing to stop."""

    argv: tuple[str, ...]
    optional: bool = False
    attempts: int = 1
    """The number of tries, a second apart: some systems say that they are ready a little too early."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe by which one service manager keeps one program running."""

    folders: tuple[Path, ...]
    """They are made before the program starts."""
    files: tuple[UnitFile, ...]
    start: tuple[SystemCommand, ...]
    """Run after the files are written."""
    stop: tuple[SystemCommand, ...]
    """Run before the files are removed."""
    after_removal: tuple[SystemCommand, ...] = ()
    outdated: tuple[Path, ...] = ()
    """Files that an earlier installation may have written, and this one has no use for."""
    remarks: tuple[str, ...] = ()
    """Remarks on this installation for the person."""


State = Literal["running", "troubled", "stopped", "not installed"]


@dataclass(frozen=True, slots=True)
class ServiceState:
    """Whether the service runs, in one word, and in sentences for the person."""

    state: State
    sentences: tuple[str, ...]


NOT_INSTALLED = ServiceState(
    "not installed", ("The service is not installed. Say: memproc service install",)
)

_MARK = re.compile(r"[^\n]*written by memproc, sha256=([0-9a-f]{64})[^\n]*\n")


def marked(text: str) -> str:
    """The text with a comment that says who wrote it: at the top, or in XML after the declaration."""
    words = f"written by memproc, sha256={_digest(text)}"
    if not text.startswith("<?xml"):
        return f"# {words}\n{text}"
    declaration, rest = text.split("\n", 1)
    return f"{declaration}\n<!-- {words} -->\n{rest}"


def author(content: bytes) -> Literal["memproc", "memproc, changed since", "somebody else"]:
    """The author of a unit file, by its mark."""
    # Task Scheduler's files are UTF-16, and begin with its byte order mark.
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    text = content.decode(encoding, "replace")
    mark = _MARK.search(text)
    if mark is None:
        return "somebody else"
    without_mark = text[: mark.start()] + text[mark.end() :]
    return "memproc" if _digest(without_mark) == mark[1] else "memproc, changed since"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
