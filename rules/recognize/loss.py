"""Judge whether an export has suddenly lost what the chat held: then it is skipped.

    last time   [memories] m5 m6 m7 ... m60
    ordinary    [memories] m5 m6 m7 ... m60 m61     some edited, inserted, deleted or regenerated
    lost        [memories] m61, with m5 ... m60 in another branch, deleted or just gone

It then waits for the person to accept it, for the first of these reasons that holds:

    older       it lacks everything after some earlier moment, however little (`went_back`); or it
                lacks more than eight of the newest messages (more than two if nothing new came)
                that are in no branch and that TypingMind does not name as deleted
    branch      most of what is gone is in another branch, and one of the next two holds as well
    much        more than eight messages under no memory are gone, whatever explains that
    memories    most memories are gone

It also waits if the person deleted them one by one, as an accident looks the same. In a chat
without memories only `went_back` counts. Whatever is lost is still in the archive.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.history import Place
from rules.conversation.memory import shown_in
from rules.recognize.absent import Absent
from rules.recognize.known import KnownMessage, Recognized
from rules.recognize.user_edits import find_deleted_memories, find_memories_in_export
from rules.typingmind.dates import day_of

_MOST_GONE = 8
"""The most messages under no memory that may be gone."""
_MOST_GONE_AT_END = 2
"""The most that may be gone at the end if nothing new came: builds of 2024 name no deletions."""

_GO_BACK = (
    "Use the arrows at that message in TypingMind to go back to the other branch, and export the "
    "chat again; or, to go on from here, fork the chat there and export the fork."
)
_OR_FORK = (
    "or, to go on from here, fork the chat in TypingMind, so that it has an id of its own, "
    "and export the fork."
)
_EXPORT_WHOLE = f"Export the chat again from the device where it is whole; {_OR_FORK}"


@dataclass(frozen=True, slots=True)
class Lost:
    """Why the export is skipped, and what to do; in numbers and dates, never with what was said."""

    reason: str
    next_step: str
    earlier_export_has_it: bool = False
    """Whether the newest updated or the newest read export has what is missing."""

    def with_file(self, file: str) -> str:
        """Return the next step; `file` is the one that has what is missing, or ""."""
        if not (self.earlier_export_has_it and file):
            return self.next_step
        return (
            f"Import {file} into TypingMind, which has them, talk on there and export the chat; "
            f"{_OR_FORK}"
        )


def find_loss(export: Recognized, absent: Absent) -> Lost | None:
    """Return why this export is skipped until the person accepts it; None if nothing is lost."""
    known, shown = export.known, export.shown
    here = find_memories_in_export(known, export.places, shown)
    by_person = find_deleted_memories(known.memories, export.listed.uuids, export.ours)
    # A fold counts once, as the person sees it: to delete its six messages is to delete one memory.
    shown_as = shown_in(shown, known.memories)
    members = {member for memory in known.memories for member in memory.members}
    memories_here, deleted = {}, []
    for memory in known.memories:
        name = memory.memory_id
        if memory.forgotten or memory.recalled:
            continue
        if name in by_person and name not in here:
            if name not in members:
                deleted.append(name)
        elif not memory.is_fold:
            memories_here[shown_as.get(name, name)] = name in here
    return judge_loss(absent, memories_here, export.places, deleted)


def judge_loss(
    absent: Absent,
    memories: Mapping[str, bool],
    places: Sequence[Place],
    deleted: Collection[str] = (),
) -> Lost | None:
    """Return why this export is skipped until the person accepts it; None if nothing is lost.

    `memories` says of each memory whether the export shows it or still has raw messages of it;
    `deleted` are those that the person deleted, which `memories` leaves out. Without memories there
    is little to lose, and a chat's only memory may go if messages came back.
    """
    if absent.went_back:
        return _explain_older(absent.newly_missing, absent.missing, absent.new)
    if not (memories or deleted):
        return None
    if len(absent.newest_gone) > (_MOST_GONE if absent.new else _MOST_GONE_AT_END):
        return _explain_older(len(absent.newest_gone), absent.newest_gone, absent.new)
    return _judge_amount(absent, memories, places, deleted)


def _judge_amount(
    absent: Absent,
    memories: Mapping[str, bool],
    places: Sequence[Place],
    deleted: Collection[str],
) -> Lost | None:
    hidden = sum(not shown for shown in memories.values()) + len(deleted)
    total = len(memories) + len(deleted)
    few_left = hidden * 2 > total and (total > 1 or len(absent.gone) == absent.expected)
    count = len(absent.missing) + absent.branched + absent.deleted
    if absent.branched * 2 > count and (few_left or count > _MOST_GONE):
        return _explain_branch(absent, places)
    if count > _MOST_GONE:
        number = _count_in_words(count, absent.missing)
        if absent.deleted:
            number += f"; TypingMind names {absent.deleted:,} as deleted"
        gone = f"Much of what was under no memory the last time is gone ({number})."
        return Lost(gone, _EXPORT_WHOLE)
    if few_left:
        return Lost(f"Most of the chat's memories are gone ({hidden} of {total}).", _EXPORT_WHOLE)
    return None


def _explain_branch(absent: Absent, places: Sequence[Place]) -> Lost:
    taken = [branch for branch in absent.branches if branch.has_question]
    at = min(branch.branch.at for branch in taken)
    moved = [known for branch in taken for known in branch.moved.values()]
    whose = ", which is one of memproc's own," if places[at].ours else ""
    return Lost(
        f"Everything after message {at + 1} of the chat{whose} went into another branch of it "
        f"({_count_in_words(len(moved), moved)}), since that message was regenerated, or edited "
        "and sent again.",
        _GO_BACK,
    )


def _explain_older(count: int, newest: Sequence[KnownMessage], new: int) -> Lost:
    missing = f"the newest messages are missing ({_count_in_words(count, newest)})"
    if new:
        came = _count_in_words(new)
        reason = f"This export goes on from an older state: {missing}, and {came} came."
    else:
        reason = f"This is an older copy of the chat: {missing}, and nothing new came."
    return Lost(reason, _EXPORT_WHOLE, earlier_export_has_it=True)


def _count_in_words(count: int, gone: Iterable[KnownMessage] = ()) -> str:
    """Return the number of messages in words, with the day of the oldest if any has a date."""
    days = [day for known in gone if (day := day_of(known.created_at))]
    number = "1 message" if count == 1 else f"{count:,} messages"
    return f"{number}, the oldest from {min(days)}" if days else number
