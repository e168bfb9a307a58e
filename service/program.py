"""What is to be kept up, in the same words for every system."""

from dataclasses import dataclass
from pathlib import Path


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
