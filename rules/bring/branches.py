"""The branches of a tree of messages, in which every message names the one before it.

    a - b - c            an answer was asked for again at b, and the person went on there
         \\
          d - e - f      f was said last: this branch is brought, and c ends another one
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MessageTree:
    """The messages of a conversation by the program's own ids, in the order of the export."""

    parents: Mapping[str, str]
    """The id of the message before each; empty, or unknown, for one that begins a branch."""
    dates: Mapping[str, datetime | None]
    current: str = ""
    """The message on which the person was last, where the export says so."""

    @property
    def ends(self) -> tuple[str, ...]:
        """Return the last message of each branch: the one last spoken on, then the newest first.

        Of those of one date, the export's last is the newest. Where messages only lead round in a
        circle, the newest of them is the end.
        """
        if not self.parents:
            return ()
        followed = set(self.parents.values())
        places = {key: place for place, key in enumerate(self.parents)}
        leaves = [key for key in self.parents if key not in followed] or list(self.parents)[-1:]
        leaves.sort(key=lambda key: (self.dates[key] or _NEVER, places[key]), reverse=True)
        chosen = self.current if self.current in self.parents else leaves[0]
        return (chosen, *(key for key in leaves if key != chosen))

    def path_to(self, end: str) -> Sequence[str]:
        """Return the messages from the beginning to this one; a circle is gone round once."""
        path: dict[str, None] = {}
        key = end
        while key in self.parents and key not in path:
            path[key] = None
            key = self.parents[key]
        return list(path)[::-1]

    def branch_ends(self) -> tuple[datetime | None, ...]:
        """Return when each branch ends, in the order of `ends`."""
        return tuple(self.dates[key] for key in self.ends)


def chosen_branch(tree: MessageTree, number: int) -> Sequence[str]:
    """Return the messages of a branch, numbered from 1; the last branch for a number beyond."""
    ends = tree.ends
    return tree.path_to(ends[min(number, len(ends)) - 1]) if ends else ()
