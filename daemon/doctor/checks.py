"""All checks, in the order in which they are told, and how they are gone through."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from daemon.doctor.archive import archive, archive_clock, backups, outputs
from daemon.doctor.chats import chats
from daemon.doctor.finding import Finding, warning
from daemon.doctor.folders import disk, folders, rights
from daemon.doctor.installation import litellm, python, sqlite, tables
from daemon.doctor.keys import keys, keys_file
from daemon.doctor.models import ends, known
from daemon.doctor.place import Machine, Place
from daemon.doctor.service import lingering, reach, service
from daemon.doctor.stray import leftovers, start_files
from daemon.doctor.system import clock, watches
from rules.errors import MemprocError

OF_MACHINE: tuple[Callable[[Machine], Iterator[Finding]], ...] = (
    python,
    sqlite,
    litellm,
    start_files,
    leftovers,
    tables,
    clock,
    watches,
    service,
    lingering,
)
"""They need no memproc.toml."""

OF_HOUSE: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    folders,
    rights,
    disk,
    reach,
    keys_file,
    keys,
    known,
    ends,
    archive,
    archive_clock,
    backups,
    outputs,
    chats,
)
"""They need one that can be used."""

_Seen = TypeVar("_Seen")
_ORDER = ("error", "warning", "ok")


def carry_out(checks: Sequence[Callable[[_Seen], Iterator[Finding]]], seen: _Seen) -> Iterator[Finding]:
    """What every check finds. One that cannot be done is a warning that says so, and the others go on."""
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            yield from check(seen)
        except MemprocError as trouble:
            yield warning(name, f"This could not be looked at: {trouble.message}", trouble.next_step)
        except (OSError, ValueError) as trouble:
            told = f"This could not be looked at ({type(trouble).__name__}: {trouble})."
            yield warning(name, told, "Mend that, then say memproc doctor again.")


def worst_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors, then warnings, then what is well; each in the order of the checks."""
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.level)))
