"""The line by which a unit that we wrote is known, and by which a person's change to it shows."""

import re
import shlex
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

_MARK = re.compile(r"[^\n]*written by memproc, sha256=([0-9a-f]{64})[^\n]*\n")

Hand = Literal["ours", "changed", "theirs"]


def marked(text: str) -> str:
    """The text with the line that says who wrote it: a comment at the top, in XML after the declaration."""
    words = f"written by memproc, sha256={_digest(text)}"
    if not text.startswith("<?xml"):
        return f"# {words}\n{text}"
    declaration, rest = text.split("\n", 1)
    return f"{declaration}\n<!-- {words} -->\n{rest}"


def hand(text: str) -> Hand:
    """Who wrote a text: we did; we did, and somebody changed it since; or somebody else did."""
    found = _MARK.search(text)
    if found is None:
        return "theirs"
    return "ours" if _digest(text[: found.start()] + text[found.end() :]) == found[1] else "changed"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


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
    log: Path
    """Where a system without a journal puts what the program prints."""
    environment: tuple[tuple[str, str], ...] = ()
    """What it needs of the environment; never a key."""
    credentials: tuple[tuple[str, Path], ...] = ()
    """Files with one key each, and the variable that each stands for."""


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file that the system reads; its text carries our mark."""

    path: Path
    text: str
    encoding: str = "utf-8"

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return self.text.encode(self.encoding)


@dataclass(frozen=True, slots=True)
class Run:
    """A command to run. `optional`: it may fail, for instance because there is nothing to stop."""

    argv: tuple[str, ...]
    optional: bool = False
    tries: int = 1
    """Some systems are not done when they say so: then the next command is tried again, a second later."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one system keeps one program up."""

    folders: tuple[Path, ...]
    """They have to be there before the program starts."""
    files: tuple[UnitFile, ...]
    leftovers: tuple[Path, ...]
    """Files that an earlier installation may have written, and this one does not want."""
    start: tuple[Run, ...]
    """After the files are written."""
    stop: tuple[Run, ...]
    """Before they are removed."""
    forget: tuple[Run, ...]
    """After they are removed."""


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A folder that is missing; only its owner will see into it."""

    path: Path


@dataclass(frozen=True, slots=True)
class Write:
    """A file to write, in the place of an older one of ours, if there is one."""

    path: Path
    content: bytes
    text: str


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """A file that stays as it is; `reason` completes "it ..."."""

    path: Path
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Erase:
    """A file of ours that is not needed any more."""

    path: Path


Step = MakeFolder | Write | LeaveAlone | Erase | Run


def sentence(step: Step) -> str:
    """What a step is about to do, in one line."""
    match step:
        case MakeFolder():
            return f"Making the folder {step.path}"
        case Write():
            return f"Writing {step.path}"
        case LeaveAlone():
            return f"Leaving {step.path} as it is: it {step.reason}. {step.next_step}"
        case Erase():
            return f"Removing {step.path}"
        case Run():
            return f"Running {shlex.join(step.argv)}"
