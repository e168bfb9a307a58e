"""Which messages that claim to be ours are believed: whoever forges a claim must not hide a message by it.

A claim is a marker; or one of our uuids where another tool has stripped the marker; or our exact text where a
fork has given new uuids besides. Where a message with a uuid of ours says what was written under it, the archive
tells what it is, whatever its marker says. A claim fits where role and text are those that were written. What the
person has edited no longer fits, and is believed for its place:

    memory             it fits, or it stands in a row of one memory, four or more, of which another one fits
    opening, closing   two of four: it fits; it has a marker, and says what ours says; its uuid is ours; it stands
                       right before or behind a memory. An opening's marker may also name what ours says: the person
                       has edited it in a fork, and what they have written there is kept

A memory is claimed by text only for a row of messages (see rows.py). What stays in the chat as an original claims
nothing, whatever its uuid and its text.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from rules.export.message import Message
from rules.history.marker import CLOSING, MEMORY, OPENING, Marker, read_marker
from rules.history.originals import is_original
from rules.history.rows import rows_by_text, spoken, written

_Claims = Sequence[Marker | None]
_LEAST_LEFT = 4


def believed(messages: Sequence[Message], known: Mapping[str, Marker]) -> tuple[Marker | None, ...]:
    """The marker of each message that is ours; None for all others. `known` are our uuids, from the archive."""
    originals = [is_original(message.marker) for message in messages]
    said = ["" if kept else spoken(message) for message, kept in zip(messages, originals, strict=True)]
    own = [None if kept else known.get(message.uuid or "") for message, kept in zip(messages, originals, strict=True)]
    claims = [_claim(message, text, mine) for message, text, mine in zip(messages, said, own, strict=True)]
    claims = _with_texts(said, claims, _fitting(said, claims, own), known)
    fitting = _fitting(said, claims, own)
    memories = {at for at in fitting if _kind(claims[at]) == MEMORY}
    memories |= {at for row in _rows(claims) if fitting & set(row) for at in row}
    our_words = {written(marker) for marker in known.values() if marker.kind in (OPENING, CLOSING)}
    as_ours = [
        bool(message.marker) and (text in our_words or _named(message) in our_words)
        for message, text in zip(messages, said, strict=True)
    ]
    canned = {
        at
        for at, claim in enumerate(claims)
        if claim is not None and claim.kind in (OPENING, CLOSING)
        and [at in fitting, as_ours[at], own[at] is not None, _touches(at, claim, claims, memories)].count(True) >= 2
    }  # fmt: skip
    return tuple(claim if at in memories or at in canned else None for at, claim in enumerate(claims))


def _claim(message: Message, text: str, mine: Marker | None) -> Marker | None:
    """What a message says that it is; `mine` where it has that uuid and text, but names something else."""
    theirs = read_marker(message.marker)
    if theirs is None or mine is None:
        return theirs or mine
    same = (theirs.kind, theirs.memory, theirs.slot) == (mine.kind, mine.memory, mine.slot)
    return theirs if same or text != written(mine) else mine


def _fitting(said: Sequence[str], claims: _Claims, own: _Claims) -> frozenset[int]:
    """Where a message says what was written; one with a uuid of ours, what was written under that uuid."""
    return frozenset(
        at for at, claim in enumerate(claims) if claim is not None and said[at] == written(own[at] or claim)
    )


def _with_texts(
    said: Sequence[str], claims: _Claims, fitting: Set[int], known: Mapping[str, Marker]
) -> list[Marker | None]:
    """The claims, and for messages without one what they are by their text."""
    shown = {claim.memory for at, claim in enumerate(claims) if claim is not None and at in fitting}
    rows = rows_by_text(said, claims, shown, known)
    canned = {written(marker): marker for marker in known.values() if marker.kind in (OPENING, CLOSING)}
    return [claim or rows.get(at) or canned.get(said[at]) for at, claim in enumerate(claims)]


def _named(message: Message) -> str:
    """What an opening's marker says that it was written for."""
    marker = read_marker(message.marker)
    return written(marker) if marker is not None and marker.kind == OPENING else ""


def _kind(claim: Marker | None) -> str:
    return "" if claim is None else claim.kind


def _rows(claims: _Claims) -> Iterator[range]:
    """Where messages in a row claim to be of one memory, in the order of its slots; some may have been deleted."""
    start = 0
    for at in range(1, len(claims) + 1):
        if at == len(claims) or not _goes_on(claims[at - 1], claims[at]):
            if at - start >= _LEAST_LEFT:
                yield range(start, at)
            start = at


def _goes_on(one: Marker | None, following: Marker | None) -> bool:
    if one is None or following is None or following.kind != MEMORY:
        return False
    return one.memory == following.memory and one.slot < following.slot


def _touches(at: int, claim: Marker, claims: _Claims, memories: Set[int]) -> bool:
    """It stands where we put it: right before a memory's first message that is left, or right behind its last."""
    beside, behind = (at + 1, at - 1) if claim.kind == OPENING else (at - 1, at + 1)
    if beside not in memories:
        return False
    return behind not in memories or _memory(claims[behind]) != _memory(claims[beside])


def _memory(claim: Marker | None) -> str:
    return "" if claim is None else claim.memory
