"""Reads a part of the backups a day, and the updated exports, and holds them against their hashes.

What was found damaged is read again every day, until it is mended: so the last result tells all that is known.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from daemon.archive.archive import Archive
from daemon.archive.jobs import part_verified, set_sign, sign
from daemon.files.backup import Damage, check
from daemon.files.paths import Folders
from daemon.status.outputs import written_exports

_DAMAGED = "damaged_backups"


@dataclass(frozen=True, slots=True)
class Verified:
    """All that is known to be damaged; `problem` says it in sentences, or is empty."""

    backups: tuple[Damage, ...]
    outputs: tuple[Damage, ...]
    problem: str


def verify_part(folders: Folders, archive: Archive, part: int, parts: int, now: str) -> Verified:
    """Verify the backups whose names fall into this part, from 0, those that were damaged, and all outputs.

    Raises FileTrouble where the index of the backups cannot be read.
    """
    said = sign(archive, _DAMAGED)
    before = frozenset(json.loads(said.value)) if said else frozenset()
    backups = check(folders.backups, lambda file: part_of(file, parts) == part or file in before)
    known = [damage.path.relative_to(folders.backups).as_posix() for damage in backups]
    set_sign(archive, _DAMAGED, json.dumps(known), now)
    part_verified(archive, part, now)
    outputs = tuple(_changed_outputs(archive))
    return Verified(backups, outputs, " ".join(_sentences(backups, outputs)))


def part_of(file: str, parts: int) -> int:
    """The part that a kept file belongs to, for ever: by the hash of its place below the backups folder."""
    return int.from_bytes(sha256(file.encode()).digest()[:8], "big") % parts


def _changed_outputs(archive: Archive) -> Iterator[Damage]:
    """Updated exports that are not what was written. One that is gone is the person's doing, and no damage."""
    for export in written_exports(archive):
        if export.state == "changed":
            yield Damage(export.path, "The updated export was changed after memproc wrote it.")


def _sentences(backups: tuple[Damage, ...], outputs: tuple[Damage, ...]) -> Iterator[str]:
    if backups:
        yield f"{len(backups)} damaged in the backups, such as {backups[0].path}: {backups[0].reason}"
        yield "See all with: memproc verify."
    if outputs:
        yield f"{outputs[0].path}: {outputs[0].reason} Drop the chat's export again to have it made anew."
