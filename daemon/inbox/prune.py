"""Removes kept versions whose time is over; where anything in the backups is damaged, nothing is removed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from daemon.files.backup import Version, all_versions, check
from daemon.files.paths import Folders
from daemon.files.removal import finish_removals, remove_version
from rules.retention import Kept, going
from rules.typingmind.dates import parse_date, write_date

_MEND = "Look at it with: memproc verify. A version that is lost for good goes out of INDEX.tsv by hand."


@dataclass(frozen=True, slots=True)
class Pruned:
    """The files that were removed; `problem` says why none was, and what to do, or is empty."""

    removed: tuple[Path, ...]
    problem: str


def prune(folders: Folders, now: datetime) -> Pruned:
    """Remove what `rules.retention` lets go, chat by chat. Only while the archive's lock is held.

    All backups are read before: a damaged one may be the reason to need the others. Raises FileTrouble.
    """
    backups = folders.backups
    finished = finish_removals(backups)
    over = [version for kept in all_versions(backups).values() for version in _going(kept, now)]
    if over and (damages := check(backups)):
        found = f"{damages[0].path}: {damages[0].reason}"
        return Pruned(finished, f"The backups are damaged ({found}), so no old version was removed. {_MEND}")
    for version in over:
        remove_version(backups, version, write_date(now))
    return Pruned((*finished, *(version.path for version in over)), "")


def _going(versions: Sequence[Version], now: datetime) -> Iterator[Version]:
    numbers = going(tuple(_dated(versions)), now)
    return (version for version in versions if version.number in numbers)


def _dated(versions: Sequence[Version]) -> Iterator[Kept]:
    """Versions whose date can be read; any other stays."""
    for version in versions:
        if when := parse_date(version.written_at):
            yield Kept(version.number, version.kind == "original", when)
