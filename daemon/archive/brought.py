"""Other programs' exports in the inbox from which conversations were brought; how many are left.

The number is stored when something is brought, and holds until the file changes, since listing the
conversations of a large export takes seconds.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.signs import remove_signs, set_sign, sign, signs_of
from daemon.files.read import fingerprint_of
from rules.wording import counted

_NAME = "brought from "


@dataclass(frozen=True, slots=True)
class RestingExport:
    """An unchanged export: `left` of its `conversations` were not brought."""

    path: Path
    left: int
    conversations: int

    @property
    def reason(self) -> str:
        """Return a sentence on how many conversations are left."""
        if not self.left:
            return "All of its conversations were brought."
        were = "was" if self.left == 1 else "were"
        whole = counted(self.conversations, "conversation")
        return f"It rests: {self.left:,} of its {whole} {were} not brought."

    @property
    def next_step(self) -> str:
        """Return how more is brought; empty where nothing is left."""
        return f"To bring more: memproc bring {shlex.quote(self.path.name)}" if self.left else ""


def note_what_is_left(archive: Archive, left: Mapping[Path, tuple[int, int]], when: str) -> None:
    """Store for each file how many conversations are left, and how many it holds.

    What was stored of files that are gone is removed.
    """
    for path, numbers in left.items():
        if sighting := fingerprint_of(path):
            set_sign(archive, f"{_NAME}{path}", json.dumps([*astuple(sighting), *numbers]), when)
    gone = [path for path in signs_of(archive, _NAME) if fingerprint_of(Path(path)) is None]
    remove_signs(archive, *(f"{_NAME}{path}" for path in gone))


def export_at_rest(archive: Archive, path: Path) -> RestingExport | None:
    """Return what is left of a file; None where nothing was brought from it, or it has changed."""
    stored = sign(archive, f"{_NAME}{path}")
    return _unchanged(path, stored.value) if stored else None


def exports_at_rest(archive: Archive) -> Iterator[RestingExport]:
    """Yield the exports of which something is left, by their paths."""
    for path, value in signs_of(archive, _NAME).items():
        resting = _unchanged(Path(path), value)
        if resting and resting.left:
            yield resting


def _unchanged(path: Path, value: str) -> RestingExport | None:
    """Return what was stored of a file, if the file is still the same; else None."""
    *seen_before, left, conversations = json.loads(value)
    sighting = fingerprint_of(path)
    is_same = sighting is not None and list(astuple(sighting)) == seen_before
    return RestingExport(path, left, conversations) if is_same else None
