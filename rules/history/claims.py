"""Which messages that claim to be ours are believed (D10): whoever forges a claim must not hide a message by it.

A claim is a marker, or one of our uuids where another tool has stripped the marker. It fits where role and
text are those that were written. What the person has edited no longer fits, and is believed for its place:

    memory             it fits, or it stands in a whole row of six of which another one fits
    opening, closing   two of three: it fits; its uuid is ours; it stands right before or behind a memory
"""

from collections.abc import Iterator, Mapping, Sequence

from rules.export.message import Message
from rules.history.marker import MEMORY, OPENING, Marker, read_marker, text_digest

_SLOTS = range(1, 7)


def believed(messages: Sequence[Message], known: Mapping[str, Marker]) -> tuple[Marker | None, ...]:
    """The marker of each message that is ours; None for all others. `known` are our uuids, from the archive."""
    claims = [read_marker(message.marker) or known.get(message.uuid or "") for message in messages]
    fitting = frozenset(
        at
        for at, (message, claim) in enumerate(zip(messages, claims, strict=True))
        if claim is not None and _fits(message, known.get(message.uuid or "", claim))
    )
    memories = {at for at in fitting if _kind(claims[at]) == MEMORY}
    memories |= {at for row in _rows(claims) if fitting & set(row) for at in row}
    canned = {
        at
        for at, claim in enumerate(claims)
        if claim is not None and claim.kind != MEMORY
        and [at in fitting, messages[at].uuid in known, _touches(at, claim, claims, memories)].count(True) >= 2
    }  # fmt: skip
    return tuple(claim if at in memories or at in canned else None for at, claim in enumerate(claims))


def _fits(message: Message, claim: Marker) -> bool:
    role = "assistant" if claim.kind == MEMORY and claim.slot % 2 == 0 else "user"
    return message.role == role and text_digest(message.text) == claim.text


def _kind(claim: Marker | None) -> str:
    return "" if claim is None else claim.kind


def _rows(claims: Sequence[Marker | None]) -> Iterator[range]:
    """Where six messages in a row claim to be the six of one memory."""
    said = [(claim.memory, claim.slot) if claim is not None and claim.kind == MEMORY else None for claim in claims]
    for at, found in enumerate(said):
        if found is not None and said[at : at + 6] == [(found[0], slot) for slot in _SLOTS]:
            yield range(at, at + 6)


def _touches(at: int, claim: Marker, claims: Sequence[Marker | None], memories: set[int]) -> bool:
    """It stands where we put it: right before a memory's first message, or right behind one's last."""
    beside, slot = (at + 1, 1) if claim.kind == OPENING else (at - 1, 6)
    if beside not in memories:
        return False
    neighbour = claims[beside]
    return neighbour is not None and neighbour.slot == slot
