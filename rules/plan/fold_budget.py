"""Limit what folds take: how large the memory section may be, and how much making a fold may read.

The section's budget is a fixed number, or grows with the conversation:

    auto    a tenth of the raw tokens under memories, at least 16,000;
            at most a fifth of the agent's window

If a model costs more above some length, that length counts as its window, as it does for all plans.
The budget depends only on the messages and the window, so ten rounds give what one gives.

A fold of folds reads the memories of its chunks again, the last answer of each, so that no more
than two generations are between it and the raw words. That is more to read than its member folds.
So all folds together may read one and a half times of what they would read from their members; a
fold that would exceed this is made from its members:

    memories        1 2 3 4 5 6 | 7 8 9 10 11 12 | 13 ...
    folds           each reads its six memories whole
    fold of folds   reads the last answers of 1 to 12, while everything read so far stays within
                    one and a half times of the usual

It depends only on the memories under a fold, and never on when rounds happened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.memory import CHUNK_LEVEL, Memory

LEAST = 16_000
"""The least budget that grows, unless the window is too small for it."""
PART_OF_WINDOW = 5
"""A budget that grows takes at most a fifth of the agent's window."""
_PART_OF_RAW = 10


@dataclass(frozen=True, slots=True)
class Bounds:
    """The settings of `[fold]` in memproc.toml, for one chat."""

    budget: int | None
    """The section's tokens without quotes and wishes; None if it grows with the conversation."""
    wishes: int = 1_500
    """The most tokens of all wishes together."""
    window: int | None = None
    """The agent's window, or the length at which its price rises, in tokens as memories are
    counted; None if unknown."""

    def at(self, raw_tokens: int) -> int:
        """Return the budget, in tokens, of a section that replaces `raw_tokens` of messages."""
        if self.budget is not None:
            return self.budget
        growing = max(LEAST, raw_tokens // _PART_OF_RAW)
        return min(growing, self.window // PART_OF_WINDOW) if self.window else growing


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read to make a memory or a fold and all folds in it, in tokens."""

    usual: int = 0
    """What would have been read from members alone."""
    spent: int = 0
    """What was read."""
    answers: int | None = 0
    """The last answers of the memories under it; None where these are not all known."""


@dataclass(frozen=True, slots=True)
class FoldMember:
    """A memory or a fold that goes into a fold."""

    tokens: int
    is_fold: bool
    reading: Reading
    """What was read to make it."""


@dataclass(frozen=True, slots=True)
class FoldReading:
    """What one fold reads: the memories of its chunks or its members, and how much."""

    from_memories: bool
    is_beyond: bool
    """Whether it reads its members because the memories under them would be too much."""
    tokens: int
    whole: Reading
    """The reading of the fold with all folds in it."""


def read_for_fold(members: Sequence[FoldMember]) -> FoldReading:
    """Return what a fold reads of its members."""
    own = sum(member.tokens for member in members)
    usual = own + sum(member.reading.usual for member in members)
    spent = sum(member.reading.spent for member in members)
    known = [member.reading.answers for member in members if member.reading.answers is not None]
    answers = sum(known) if len(known) == len(members) else None
    if answers is None or not any(member.is_fold for member in members):
        return FoldReading(False, False, own, Reading(usual, spent + own, answers))
    is_within = 2 * (spent + answers) <= 3 * usual
    tokens = answers if is_within else own
    return FoldReading(is_within, not is_within, tokens, Reading(usual, spent + tokens, answers))


def reading_for(memory: Memory, by_id: Mapping[str, Memory]) -> Reading:
    """Return what was read for a memory or a fold."""
    if memory.is_fold:
        return members_reading([by_id[name] for name in memory.members], by_id).whole
    if memory.forgotten:
        return Reading()
    if memory.level != CHUNK_LEVEL:
        return Reading(answers=None)
    # The tokens of its last answer are estimated by its share of the characters.
    edition = memory.in_prompts
    characters = sum(map(len, edition.texts))
    return Reading(answers=edition.tokens * len(edition.texts[5]) // max(1, characters))


def members_reading(members: Iterable[Memory], by_id: Mapping[str, Memory]) -> FoldReading:
    """Return what a fold of these memories and folds reads."""
    fold_members = []
    for member in members:
        edition = member.in_prompts
        tokens = 0 if member.forgotten else edition.tokens - edition.permanent_tokens
        fold_members.append(FoldMember(tokens, member.is_fold, reading_for(member, by_id)))
    return read_for_fold(fold_members)


def parts_within(sizes: Sequence[int], room: int | None) -> tuple[range, ...]:
    """Return runs of neighbours, of about equal size, that each fit into `room` tokens.

    An item that is larger than that is a run by itself.
    """
    if room is None or sum(sizes) <= room:
        return (range(len(sizes)),)
    fewest = -(-sum(sizes) // max(1, room))
    share = sum(sizes) / fewest
    parts: list[range] = []
    start, size = 0, 0
    for at, tokens in enumerate(sizes):
        if at > start and (size + tokens > room or size >= share):
            parts.append(range(start, at))
            start, size = at, 0
        size += tokens
    return (*parts, range(start, len(sizes)))
