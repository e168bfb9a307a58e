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
from dataclasses import dataclass, replace
from types import MappingProxyType

from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, read_marker
from rules.recognize.rows import rows_by_text, spoken, written
from rules.typingmind.message import Message, left_out, read_message
from rules.typingmind.originals import is_original, plain_original

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


Under = Mapping[str, Mapping[str, str]]
"""By memory id: the keys of the messages that stand under it, each with the digest of what was said."""

_NAMELESS = "digest:"
_NOTHING: Under = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """One message of the export, at its index, and what it is there for."""

    at: int
    message: Message
    """As the person and the agent wrote it: an original that we keep beside its memory is without our fields."""
    key: str
    """Its name within the chat; the same message has the same key in the next export."""
    ours: Marker | None
    left_out: str | None
    original: str = ""
    """The id of the memory beside which we keep this original; empty for all others."""
    written: bytes = b""
    """Its bytes in the export."""

    @property
    def lived(self) -> bool:
        """It is part of the agent's experience: memories are made of these."""
        return self.ours is None and self.left_out is None


def recognise(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    under: Under = _NOTHING,
    aliases: Mapping[str, str] = _SAME,
) -> tuple[Place, ...]:
    """What each message of a chat is.

    `known` are the markers of our messages in the archive, by uuid. Names that a memory of this export has
    replaced are taken. Nameless messages are named after what they say, so the next "ok" is another message than
    the first; a uuid that stands twice is another message where it says something else. `aliases` are the ids by
    which a fork's export may still call its memories, with those that they have here.
    """
    ours = [_renamed(marker, aliases) for marker in believed(messages, known)]
    shown = {marker.memory for marker in ours if marker is not None}
    taken = {key: digest for memory in shown for key, digest in under.get(memory, {}).items()}
    times = dict.fromkeys(taken, 1)
    waiting = {memory: dict(keys) for memory, keys in under.items()}
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        kept = _original(message, waiting, aliases) if marker is None else None
        if kept is not None:
            places.append(kept.at_index(at, message.raw))
            continue
        name = message.uuid or _NAMELESS + message.digest
        came_back = message.uuid is not None and taken.pop(name, None) == message.digest
        key = name if came_back else _free_key(name, times)
        places.append(Place(at, message, key, marker, None if marker else left_out(message), "", message.raw))
    return tuple(places)


@dataclass(frozen=True, slots=True)
class _Original:
    plain: Message
    key: str
    memory: str

    def at_index(self, at: int, written: bytes) -> Place:
        return Place(at, self.plain, self.key, None, left_out(self.plain), self.memory, written)


def _original(message: Message, waiting: Mapping[str, dict[str, str]], aliases: Mapping[str, str]) -> _Original | None:
    """The raw message that we kept here beside its memory: by its uuid, or by what it says, in order.

    In a fork no uuid is known; where a uuid stands twice, what the message says tells which of them has stayed.
    """
    if not is_original(message.marker):
        return None
    said = str((message.marker or {})["memory"])
    memory = aliases.get(said, said)
    keys = waiting.get(memory, {})
    plain = read_message(plain_original(message.raw))
    named = plain.uuid if plain.uuid in keys else None
    key = named if named and keys[named] == plain.digest else _saying(keys, plain.digest, named)
    if key is None:
        return None
    del keys[key]
    return _Original(plain, key, memory)


def _saying(keys: Mapping[str, str], digest: str, named: str | None) -> str | None:
    """The first key of a message that says this; else `named`, whose message the person has edited."""
    return next((key for key in keys if keys[key] == digest), named)


def _renamed(marker: Marker | None, aliases: Mapping[str, str]) -> Marker | None:
    if marker is None or marker.memory not in aliases:
        return marker
    return replace(marker, memory=aliases[marker.memory])


def _free_key(name: str, times: dict[str, int]) -> str:
    """The name itself, or with a number where it is taken; `times` counts every name and key given out."""
    key = name
    while key in times:
        times[name] += 1
        key = f"{name}#{times[name]}"
    times[key] = 1
    return key
