"""What a file looked like from outside, and what it means when it looks different the next time."""

from dataclasses import dataclass
from typing import Literal

from rules.arrival.states import UNTAKEN, State


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file from outside; `size` is in bytes. A change of any of these means that it has been written to."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    def same_file(self, other: "Sighting") -> bool:
        """Whether both are one file, whatever was written to it meanwhile."""
        return (self.device, self.inode) == (other.device, other.inode)


Comparison = Literal["new", "replaced", "changed", "unchanged"]
"""
new         a file that was never seen here, or one with new content in the place of a file that was taken
replaced    another file in the place of one that was not taken yet
changed     the same file, not taken yet, has been written to
unchanged   as it was when it was seen last
"""


def compare(state: State | None, last: Sighting | None, present: Sighting) -> Comparison:
    """What became of the file at a path: `state` and `last` are those of the newest arrival there, or None.

    A file that is found again after it was gone is a new one.
    """
    if last is None or state is None or state == "gone":
        return "new"
    if last == present:
        return "unchanged"
    if state not in UNTAKEN:
        return "new"
    return "changed" if last.same_file(present) else "replaced"
