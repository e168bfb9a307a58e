"""Claims of messages to be ours, and which of them are believed.

A message claims to be ours by its marker, or by its uuid where another tool has stripped the
marker. A forged claim must not hide a message, so a claim is believed only where role and text
are those that were written. What the person has edited no longer fits, and is believed for its
place:

    memory             it fits, or is in a row of one memory, four or more, of which another fits
    opening, closing   two of four: it fits; it has a marker, and says what ours says; its uuid is
                       ours; it comes right before or after a memory. An opening's marker may also
                       name what ours says: edited in a fork, the person's words there are kept

Where a message with a uuid of ours says what was written under it, the archive tells what it is,
whether or not its marker agrees. What stays in the chat as an original claims nothing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, read_marker, text_digest
from rules.typingmind.message import Message
from rules.typingmind.originals import is_original

_LEAST_LEFT = 4
"""The least messages left of a memory that the person has edited."""

_Written = tuple[str | None, str]
"""Role and digest of a message."""


@dataclass(frozen=True, slots=True)
class _Claims:
    """What each message of an export claims to be, by its index."""

    messages: Sequence[Message]
    by_uuid: Sequence[Marker | None]
    """The marker that the archive has for its uuid."""
    claimed: Sequence[Marker | None]

    @property
    def fitting(self) -> frozenset[int]:
        """Return the indices of the messages that say what was written."""
        return frozenset(
            at
            for at, claim in enumerate(self.claimed)
            if claim and _spoken(self.messages[at]) == _written(self.by_uuid[at] or claim)
        )


def believed(messages: Sequence[Message], known: Mapping[str, Marker]) -> tuple[Marker | None, ...]:
    """Return the marker of each message that is ours; None for all others.

    `known` are the markers of our messages in the archive, by uuid.
    """
    claims = _read_claims(messages, known)
    fitting = claims.fitting
    memories = _memories(claims.claimed, fitting)
    canned = {_written(marker) for marker in known.values() if _is_canned(marker)}
    ours = {
        at
        for at, claim in enumerate(claims.claimed)
        if claim
        and _is_canned(claim)
        and _is_our_canned(at, claim, claims, fitting, memories, canned)
    }
    return tuple(
        claim if at in memories or at in ours else None for at, claim in enumerate(claims.claimed)
    )


def _read_claims(messages: Sequence[Message], known: Mapping[str, Marker]) -> _Claims:
    by_uuid = [
        None if is_original(message.marker) else known.get(message.uuid or "")
        for message in messages
    ]
    claimed = [_claim(message, own) for message, own in zip(messages, by_uuid, strict=True)]
    return _Claims(messages, by_uuid, claimed)


def _memories(claimed: Sequence[Marker | None], fitting: Set[int]) -> set[int]:
    """Return the indices of the messages that are believed to be of a memory."""
    alone = {at for at in fitting if (claim := claimed[at]) and claim.kind == MEMORY}
    return alone.union(*(row for row in _rows(claimed) if not fitting.isdisjoint(row)))


def _is_canned(marker: Marker) -> bool:
    return marker.kind in (OPENING, CLOSING)


def _is_our_canned(
    at: int,
    claim: Marker,
    claims: _Claims,
    fitting: Set[int],
    memories: Set[int],
    canned: Collection[_Written],
) -> bool:
    """Return whether two of the four signs of an opening or a closing hold."""
    message = claims.messages[at]
    marker = read_marker(message.marker)
    words = [_spoken(message)]
    if marker and marker.kind == OPENING:
        words.append(_written(marker))
    signs = (
        at in fitting,
        bool(message.marker) and any(word in canned for word in words),
        claims.by_uuid[at] is not None,
        _touches(at, claim, claims.claimed, memories),
    )
    return sum(signs) >= 2


def _claim(message: Message, by_uuid: Marker | None) -> Marker | None:
    """Return the claim of a message: its marker, or the archive's for its uuid.

    The archive's counts where the text is ours, too, but the marker names something else.
    """
    marker = read_marker(message.marker)
    if marker is None or by_uuid is None:
        return marker or by_uuid
    same = (marker.kind, marker.memory, marker.slot) == (by_uuid.kind, by_uuid.memory, by_uuid.slot)
    return marker if same or _spoken(message) != _written(by_uuid) else by_uuid


def _written(marker: Marker) -> _Written:
    """Return role and digest of the message that a marker was written for."""
    return "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user", marker.text


def _spoken(message: Message) -> _Written:
    """Return role and digest of a message of the export, to be compared with `_written`."""
    return message.role, text_digest(message.text)


def _rows(claims: Sequence[Marker | None]) -> Iterator[range]:
    """Find runs of messages that claim to be of one memory, in the order of its slots.

    Some of its messages may have been deleted.
    """
    start = 0
    for at in range(1, len(claims) + 1):
        if at == len(claims) or not _follows(claims[at - 1], claims[at]):
            if at - start >= _LEAST_LEFT:
                yield range(start, at)
            start = at


def _follows(before: Marker | None, after: Marker | None) -> bool:
    """Return whether both are of one memory, in the order of its slots."""
    return (
        before is not None
        and after is not None
        and after.kind == MEMORY
        and before.memory == after.memory
        and before.slot < after.slot
    )


def _touches(at: int, claim: Marker, claims: Sequence[Marker | None], memories: Set[int]) -> bool:
    """Return whether it is right before the first message left of a memory, or after its last."""
    inner, outer = (at + 1, at - 1) if claim.kind == OPENING else (at - 1, at + 1)
    if inner not in memories or outer not in memories:
        return inner in memories
    names = {marker.memory for marker in (claims[inner], claims[outer]) if marker}
    return len(names) > 1
