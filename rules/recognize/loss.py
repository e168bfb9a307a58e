"""Whether an export has suddenly lost what the chat held the last time: then it is skipped, not mirrored.

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted or deleted, the newest answer regenerated
    lost        [memories] m61, with m5 ... m60 in another branch; or most of it is gone; or the newest are

What the chat's own list of deletions names was the person's will. What is lost here is still in the archive.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.marker import MEMORY, read_marker
from rules.recognize.absent import Absent, KnownMessage, TakenBranch
from rules.recognize.recognize import Place
from rules.typingmind.dates import parse_date

_FEW, _FEW_AT_THE_END, _FEW_BEFORE_NEW_ONES = 10, 2, 8

_GO_BACK = (
    "Use the arrows at that message in TypingMind to go back to the other branch, and export the chat again; "
    "or, to go on from here, fork the chat there and export the fork."
)
_OR_FORK = "or, to go on from here, fork the chat in TypingMind, so that it has an id of its own, and export the fork."
_EXPORT_WHOLE = f"Export the chat again from the device where it is whole; {_OR_FORK}"


@dataclass(frozen=True, slots=True)
class Lost:
    """Why the export is skipped, and what the person can do: numbers and dates, never what was said."""

    reason: str
    next_step: str
    import_again: bool = False
    """The newest updated export, or the newest export that memproc has read, has what is missing."""

    def with_file(self, file: str) -> str:
        """The next step, where what is missing stands in this file; empty where nobody knows of one."""
        if not (self.import_again and file):
            return self.next_step
        return f"Import {file} into TypingMind, which has them, talk on there and export the chat; {_OR_FORK}"


def lost(
    absent: Absent, memories: Mapping[str, bool], places: Sequence[Place], willed: Collection[str] = ()
) -> Lost | None:
    """Why this export of a chat is skipped until the person accepts it, or None where nothing is lost.

    `memories` are the chat's memories without those that the person deleted, which are `willed`; true where the export
    shows one or still has raw messages of it. Without memories there is little to lose.
    """
    if not (memories or willed or absent.went_back):
        return None
    if taken := [branch for branch in absent.branches if _is_a_loss(branch, memories)]:
        return _into_a_branch(taken, places)
    return (
        _went_back(absent)
        or _most_is_gone(absent, memories)
        or _most_memories_are_gone(memories, willed)
        or _the_newest_are_gone(absent)
    )


def _is_a_loss(held: TakenBranch, memories: Mapping[str, bool]) -> bool:
    """An answer that was regenerated leaves itself behind, never a question, and nothing of ours.

    A branch that has nothing of what is missing was there before: a fork keeps the branches of its origin.
    """
    if held.moved:
        return held.ours > 0 or any(known.role == "user" for known in held.moved.values())
    markers = (read_marker(message.marker) for message in held.branch.messages)
    return any(marker and marker.kind == MEMORY and not memories.get(marker.memory, True) for marker in markers)


def _into_a_branch(taken: Sequence[TakenBranch], places: Sequence[Place]) -> Lost:
    at = min(held.branch.at for held in taken)
    moved = [known for held in taken for known in held.moved.values()]
    count = len(moved) + sum(held.ours for held in taken)
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_counted(count, moved)}), since that message was regenerated, or edited and sent again.",
        _GO_BACK,
    )


def _most_is_gone(absent: Absent, memories: Mapping[str, bool]) -> Lost | None:
    count = len(absent.gone)
    nothing_left = count == absent.expected > 0 and not any(memories.values())
    if nothing_left or (count > _FEW and count * 2 > absent.expected):
        numbers = f"{_counted(count, absent.gone)}, of {absent.expected:,}"
        return Lost(f"Most of what stood under no memory the last time is gone ({numbers}).", _EXPORT_WHOLE)
    return None


def _most_memories_are_gone(memories: Mapping[str, bool], willed: Collection[str]) -> Lost | None:
    """Whether the person deleted them or not: all at once, that is a mistake of the hand more often than not."""
    hidden, count = sum(not shown for shown in memories.values()) + len(willed), len(memories) + len(willed)
    if count < 2 or hidden * 2 <= count:
        return None
    return Lost(f"Most of the chat's memories are gone ({hidden} of {count}).", _EXPORT_WHOLE)


def _went_back(absent: Absent) -> Lost | None:
    """It lacks all that came since some earlier moment, however little: it goes on from an older updated export."""
    if not absent.went_back:
        return None
    return _older(len(absent.missing) + len(absent.under), absent.missing, absent.new)


def _the_newest_are_gone(absent: Absent) -> Lost | None:
    """An older copy of the chat; or one in which the talk went on from an older copy.

    Where the person has deleted so much that TypingMind could not note it all, these may be among it.
    """
    few = _FEW_BEFORE_NEW_ONES if absent.new else _FEW_AT_THE_END
    if len(absent.newest_gone) <= few or absent.sure == "the list was full":
        return None
    return _older(len(absent.newest_gone), absent.newest_gone, absent.new)


def _older(count: int, newest: Sequence[KnownMessage], new: int) -> Lost:
    missing = f"the newest of the last time are missing ({_counted(count, newest)})"
    if new:
        reason = f"The chat went back, and on from there: {missing}, and {_counted(new)} came."
    else:
        reason = f"This is an older copy of the chat: {missing}, and nothing new came."
    return Lost(reason, _EXPORT_WHOLE, import_again=True)


def _counted(count: int, gone: Iterable[KnownMessage] = ()) -> str:
    """The number of messages in words, with the day of the oldest where one of them has a date."""
    dates = [date for known in gone if (date := parse_date(known.created_at))]
    number = "1 message" if count == 1 else f"{count:,} messages"
    return f"{number}, the oldest from {min(dates).date().isoformat()}" if dates else number
