"""What a system needs so that it keeps a program up: files, and commands around them."""

from dataclasses import dataclass
from pathlib import Path


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
